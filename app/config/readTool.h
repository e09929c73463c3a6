#pragma once

#include "app/config/AgentManifest.h"
#include "app/config/ManifestNotes.h"

#include <functional>
#include <set>

namespace spettro {

/// A set of names that can be looked through without copying what is looked for.
using NameSet = std::set<std::string, std::less<>>;

/// One of `[[tools]]` with what only decides which agent may use it.
struct ReadTool
{
    ManifestTool tool; ///< Of any id.
    NameSet actions;   ///< `permitted_actions`: an agent that lists actions needs one of these.
    bool primaryOnly = false;
    bool isBuiltin = true; ///< No program or server of the project's own.
};

/// Reads one of `[[tools]]`: an error where the id is missing or of no tool, and for each key that is not known.
MaybeError readTool(const toml::node &node, const ManifestValues &values, ManifestNotes &notes,
                    ReadTool &target);

} // namespace spettro
