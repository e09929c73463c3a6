#pragma once

#include "sandbox/policy/Manifest.h"

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

// How manifests are parsed, for whoever reads keys of theirs.

/// Parses a manifest, which may be hostile. A text that is too large, no UTF-8 or no TOML, and one that toml++ does not
/// survive (see `guardToml`) are usage errors with line and column.
Result<toml::table> parseToml(std::string_view text, const ManifestPlace &place);

/// A key of a table with its value.
struct TomlEntry
{
    const toml::key *key;
    const toml::node *value;
};

/// In the order of the file, so that the first mistake is the one that is reported.
std::vector<TomlEntry> entriesInOrder(const toml::table &table);

/// `FILE:LINE:COLUMN`.
std::string tomlPosition(const ManifestPlace &place, const toml::source_region &region);

/// A usage error at a place of the manifest.
Error tomlError(const ManifestPlace &place, const toml::source_region &region, std::string_view what);

} // namespace spettro::sandbox
