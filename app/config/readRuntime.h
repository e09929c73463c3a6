#pragma once

#include "app/config/AgentManifest.h"
#include "app/config/ManifestNotes.h"

namespace spettro {

/// Reads `[runtime]`, but for the keys of the policy and the permission rules.
MaybeError readRuntime(const sandbox::TomlEntry &runtime, const ManifestValues &values, ManifestNotes &notes,
                       ManifestRuntime &target);

} // namespace spettro
