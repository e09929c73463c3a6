#pragma once

#include "sandbox/policy/Manifest.h"

#include <string>
#include <string_view>
#include <vector>

namespace spettro {

/// A permission rule as a manifest has it; what the texts may be is for the tools to say.
struct ManifestRule
{
    std::string permission;
    std::string pattern;
    std::string action;
    std::string place; ///< `spettro.agents.toml:LINE:COLUMN`.

    bool operator==(const ManifestRule &) const = default;
};

/// Reads the permission rules of a manifest in the order of the file: `[runtime] permission_rules`, a list of
/// `{permission, pattern, action}`, and `permission_rules` of a `[[tools]]` with its `id`, a list of `{pattern, action}`.
/// Anything else in such a list, and tools that are written in another way, are usage errors that name file, line and
/// column.
sandbox::Result<std::vector<ManifestRule>> parseManifestRules(std::string_view text,
                                                              const sandbox::ManifestPlace &place);

/// What these rules widen: a line for each that allows something. Rules that ask or deny only narrow.
std::vector<std::string> wideningLines(const std::vector<ManifestRule> &rules);

} // namespace spettro
