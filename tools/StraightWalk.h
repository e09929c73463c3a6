#pragma once

#include "tools/PathWalk.h"

#include <optional>

namespace spettro {

/// What `walkPath` says of a path whose folders all exist and of which no part is a link, `.`, `..`, a mount point
/// or, at its end, a folder. It goes down in one step and looks at the folders on the way back up. Nothing for every
/// other path.
std::optional<PathEnd> walkStraight(const ScopeRoots &roots, const QByteArray &path);

} // namespace spettro
