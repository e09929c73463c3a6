#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// `spettro sandbox doctor`: attacks the sandbox and prints which promises hold here. Returns the exit code:
/// 0 when the asked policy can be kept, 1 when it cannot.
int doctorCommand(const CommandLine &line);

} // namespace spettro
