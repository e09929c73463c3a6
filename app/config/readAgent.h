#pragma once

#include "app/config/readTool.h"

namespace spettro {

/// One of `[[agents]]` with what is still to be compared with the tools.
struct ReadAgent
{
    ManifestAgent agent; ///< `allowedTools` is not set yet.
    std::optional<std::vector<sandbox::Sourced<std::string>>> allowedTools;
    std::vector<sandbox::Sourced<std::string>> actions; ///< `permitted_actions`; empty: of every kind.
    bool isPrimary =
        false; ///< By `role`, or by `mode` where that is missing: may use tools that are `primary_only`.
};

/// Reads one of `[[agents]]`.
MaybeError readAgent(const toml::node &node, const ManifestValues &values, ManifestNotes &notes,
                     ReadAgent &target);

} // namespace spettro
