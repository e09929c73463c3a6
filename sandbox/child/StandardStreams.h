#pragma once

namespace spettro::sandbox {

/// Leaves standard input and output to the command: a pipe that the command closes is closed, for the other end too.
/// Standard error stays open for what Spettro itself has to say.
void releaseStandardStreams();

} // namespace spettro::sandbox
