#pragma once

#include "sandbox/child/StageRequest.h"

#include <sys/types.h>

#include <csignal>

namespace spettro::sandbox {

/// Whether the command shares the session, and so the controlling terminal, of the one who started it.
enum class Session {
    Own,     ///< setsid(2): no controlling terminal.
    Inherit, ///< A terminal is passed through by one of the three standard streams.
};

/// What the stage takes over from the monitor that forked it.
struct StageSurroundings
{
    pid_t monitor = 0;
    Session session = Session::Own;
    sigset_t signalMask{}; ///< The mask that the command is to have.
};

/// Confines the calling process as the request says and becomes the command. Does not return: a layer that
/// cannot be applied ends the process with 126 before anything has run, a command that is not found with 127;
/// both with the failed call named on standard error.
[[noreturn]] void enterStage(const StageRequest &request, const StageSurroundings &surroundings);

} // namespace spettro::sandbox
