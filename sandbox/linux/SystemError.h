#pragma once

#include "sandbox/policy/Result.h"

#include <string>

namespace spettro::sandbox {

/// An error that names the system call (or the path) and what the system says about `number`.
Error systemError(ErrorKind kind, std::string subject, int number);

/// The text for an error number, e.g. `Permission denied (EACCES)`.
std::string errorText(int number);

} // namespace spettro::sandbox
