#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// `spettro sandbox accept`: remembers what the manifest of the workspace widens as accepted. Returns the exit code.
int acceptCommand(const CommandLine &line);

} // namespace spettro
