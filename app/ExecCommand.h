#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// `spettro exec`: runs one command under the policy. Returns the exit code.
int execCommand(const CommandLine &line);

} // namespace spettro
