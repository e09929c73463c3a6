#pragma once

#include "sandbox/policy/Result.h"

#include <string>

namespace spettro {

/// `~/.spettro`, where Spettro keeps what is its own, with the folders in it: made where they are missing, readable by
/// the operator alone. A usage error where HOME does not say where that is, or where it cannot be made.
sandbox::Result<std::string> createStateFolder();

} // namespace spettro
