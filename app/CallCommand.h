#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// `spettro call`: carries out one call of a tool, or a session of them, and prints each result as one line of JSON.
/// Returns the exit code: 0 done, 1 a tool failed, 126 a policy that could not be enforced, 2 usage.
int callCommand(const CommandLine &line);

} // namespace spettro
