#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// Carries out `spettro --goal`: works on an objective without a person. Returns the exit code.
int goalCommand(const CommandLine &line);

} // namespace spettro
