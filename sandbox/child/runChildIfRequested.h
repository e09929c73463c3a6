#pragma once

#include "sandbox/child/StageRequest.h"

#include <sys/types.h>

namespace spettro::sandbox {

/// Names, in the environment, the descriptor of the packed request that a re-executed child is to carry out.
inline constexpr const char *StageVariable = "SPETTRO_SANDBOX_STAGE";

/// Call it first thing in `main()`: where the process was started by `startConfined`, it carries out that request
/// and ends; else it returns at once. A request that cannot be read ends the process with 126.
void runChildIfRequested();

/// Starts a command under a compiled policy from a program that goes on meanwhile: re-executes `executable`, whose
/// `main()` calls `runChildIfRequested`, as the guard of the command. Returns the guard's process id; wait for it
/// with waitpid(2). The child inherits the standard streams and no other descriptor but the request's.
Result<pid_t> startConfined(const std::string &executable, const StageRequest &request);

} // namespace spettro::sandbox
