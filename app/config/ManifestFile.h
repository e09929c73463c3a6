#pragma once

#include "sandbox/policy/Result.h"

#include <optional>
#include <string>

namespace spettro {

/// The manifest's name in a workspace.
inline constexpr const char *ManifestName = "spettro.agents.toml";

/// Reads a workspace's manifest; nothing where there is none. One that is no regular file (a folder, a fifo, a
/// device: never waited for), larger than the limit or not readable is a usage error.
sandbox::Result<std::optional<std::string>> readManifestFile(const std::string &workspace);

} // namespace spettro
