#pragma once

#include "sandbox/policy/Policy.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

/// Where a manifest was found, for resolving its paths and naming it in errors.
struct ManifestPlace
{
    std::string fileName; ///< As errors name it, e.g. `spettro.agents.toml`.
    std::string folder;   ///< Absolute; relative folders in the manifest are taken from here.
    std::string home;     ///< The operator's home folder, may be empty.
};

/// The largest manifest that is read, in bytes; a larger file is an error, not a truncated policy.
inline constexpr std::size_t MaximumManifestSize = std::size_t{1024} * 1024;

/// Reads the sandbox keys of `[runtime]` in a manifest's text (TOML). Other tables and other keys are left
/// alone. A key that begins with `sandbox` (in `[runtime]` or at the top level) and is not known, a value of
/// the wrong type or with a wrong content, broken TOML and invalid UTF-8 are usage errors that name
/// file, line and column.
Result<PolicySettings> parseManifest(std::string_view text, const ManifestPlace &place);

/// What the manifest widens, one canonical line a value (`sandbox_allow_dirs = /srv/cache`), sorted; empty
/// when it only tightens. The operator accepts exactly these lines for a folder.
std::vector<std::string> wideningLines(const PolicySettings &manifest);

} // namespace spettro::sandbox
