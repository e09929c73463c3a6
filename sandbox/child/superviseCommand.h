#pragma once

#include "sandbox/child/StageRequest.h"

namespace spettro::sandbox {

/// Runs one command to its end and returns the exit code that Spettro is to have. The process is the command's
/// from then on: descriptors above the standard streams are closed in it, and it is to end with that code.
///
/// Three processes take part. The calling one becomes the guard: the one that others wait for and send signals
/// to. Its child is the monitor, whose child becomes the command. Guard and monitor watch each other, so that the
/// death of either, by SIGKILL too, ends the command's process tree.
int superviseCommand(const StageRequest &request);

} // namespace spettro::sandbox
