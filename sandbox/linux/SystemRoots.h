#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// Opens what every confined command may read and use: system paths without the secrets in them, harmless
/// device nodes, temporary folders. A path that this host does not have is passed over.
///
/// Landlock cannot take something away from beneath a granted folder. For root, a folder with secrets in it is
/// therefore granted entry by entry, without them. From ordinary users file modes keep them already, so that the
/// folder is granted whole.
Result<std::vector<Root>> openSystemRoots();

} // namespace spettro::sandbox
