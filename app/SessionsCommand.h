#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// `spettro sessions`: lists, shows and removes sessions, and takes back what they changed. Returns the exit code.
int sessionsCommand(const CommandLine &line);

} // namespace spettro
