#pragma once

namespace spettro::sandbox {

// Exit codes of `spettro exec` besides the command's own (design: "The command line").
inline constexpr int ExitUsage = 2;
inline constexpr int ExitTimeout = 124;
inline constexpr int ExitUnenforceable = 126;
inline constexpr int ExitCannotExecute = 126; ///< Found, but not executable: as shells answer.
inline constexpr int ExitNotFound = 127;
inline constexpr int ExitSignalBase = 128; ///< 128 + N: ended by signal N.

} // namespace spettro::sandbox
