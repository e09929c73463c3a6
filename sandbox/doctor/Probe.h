#pragma once

#include <optional>
#include <string_view>

namespace spettro::sandbox {

/// The first argument that makes the program a probe: `--sandbox-probe ACT ARG...`. It can do nothing that
/// its caller could not do; there is no reason to document it.
inline constexpr const char *ProbeArgument = "--sandbox-probe";

/// What a probe writes to its standard output behind everything else once it has tried its act, whatever came
/// of it.
inline constexpr std::string_view ProbeMarker = "spettro-probe: tried\n";

/// Carries out one act of doctor where the arguments ask for one. Returns the exit code: 0 done, 1 failed
/// with the reason on standard error, 2 no such act; nothing where no act is asked for.
std::optional<int> runProbeIfRequested(int argc, char **argv);

} // namespace spettro::sandbox
