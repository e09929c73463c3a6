#pragma once

#include "sandbox/child/StageRequest.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// What it takes to start a program whose `main()` calls `runChildIfRequested` as the guard of a command: planned
/// here, done by whoever starts processes.
struct StageLaunch
{
    std::string variable;         ///< The whole environment of the guard, `NAME=value`.
    std::vector<int> inherited;   ///< Descriptors whose close-on-exec flag the child clears before execve(2).
    Descriptor reportReader;      ///< Where `RunReport`s arrive once the guard has ended; does not block.
    std::vector<Descriptor> kept; ///< What has to stay open until the child has been started.
};

/// Plans the launch of one command. Every descriptor in it is close-on-exec, so that processes started at the same
/// time inherit none of them. Errors are of kind Unenforceable.
Result<StageLaunch> planLaunch(StageRequest request);

} // namespace spettro::sandbox
