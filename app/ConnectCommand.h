#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// Carries out `spettro connect`: takes a provider's key, tries it and keeps it. Returns the exit code.
int connectCommand(const CommandLine &line);

} // namespace spettro
