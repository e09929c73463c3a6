#pragma once

namespace spettro::sandbox {

/// Names, in the environment, the descriptor of the packed request that a re-executed child is to carry out.
inline constexpr const char *StageVariable = "SPETTRO_SANDBOX_STAGE";

/// Call it first thing in `main()`: where the process was started for a `StageLaunch`, it carries out that request
/// and ends; else it returns at once. A request that cannot be read ends the process with 126.
void runChildIfRequested();

} // namespace spettro::sandbox
