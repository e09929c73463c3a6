#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// Opens what every confined command may read and use: system paths without the secrets in them, harmless
/// device nodes, temporary folders. A path that this host does not have is passed over.
///
/// Landlock cannot take something away from beneath a granted folder. A system folder is therefore granted
/// whole where this user can read none of its secrets, and else entry by entry, without them.
Result<std::vector<Root>> openSystemRoots();

} // namespace spettro::sandbox
