#pragma once

#include "app/config/CommandLine.h"

namespace spettro {

/// `spettro sandbox explain`: prints the policy and the source of each value, or the verdict on one act.
/// Returns the exit code: 0 for an answer, whatever the verdict.
int explainCommand(const CommandLine &line);

} // namespace spettro
