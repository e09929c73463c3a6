#pragma once

#include "sandbox/linux/CompiledPolicy.h"

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace spettro::sandbox {

/// Everything that the monitor and the stage need to run one command; nothing in it is decided later.
/// Descriptors belong to the caller.
struct StageRequest
{
    std::vector<std::string> arguments;   ///< The command and its arguments; not empty.
    std::vector<std::string> environment; ///< `NAME=value` each; the whole environment of the command.
    int workingDirectory = -1;            ///< Where the command starts: a descriptor of a folder.
    std::chrono::milliseconds timeout{0}; ///< Time limit; 0 for none.
    bool confined = false;                ///< False only where the policy confines nothing.
    int ruleset = -1; ///< The Landlock ruleset; -1 where Landlock has no part in the policy.
    std::vector<BpfInstruction> filter; ///< The syscall filter.
    int reportPipe = -1;                ///< Where `RunReport`s go; -1: refusals to standard error.
    pid_t parent = 0; ///< The process whose death by any means ends the command; 0: the command survives it.
};

/// The request for a command under a compiled policy, starting in the workspace.
StageRequest makeStageRequest(const CompiledPolicy &policy, std::vector<std::string> arguments,
                              std::vector<std::string> environment);

/// Packs a request into a sealed memory file that another process can be given. The descriptors in it keep their
/// numbers: the caller lets the process inherit them.
Result<Descriptor> packStageRequest(const StageRequest &request);

/// Reads a request back. Anything but a sealed memory file with a whole request in it is an error of kind
/// Unenforceable.
Result<StageRequest> unpackStageRequest(int descriptor);

} // namespace spettro::sandbox
