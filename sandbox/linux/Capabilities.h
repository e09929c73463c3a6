#pragma once

namespace spettro::sandbox {

/// Gives up every capability of the calling thread for good: ambient, effective, permitted and inheritable
/// sets, and the bounding set, so that uid 0 does not get them back by execve(2). Returns 0 or the error number.
/// Source: capabilities(7).
int dropCapabilities();

} // namespace spettro::sandbox
