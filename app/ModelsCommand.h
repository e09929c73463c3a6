#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// Carries out `spettro models`: prints what a provider offers. Returns the exit code.
int modelsCommand(const CommandLine &line);

} // namespace spettro
