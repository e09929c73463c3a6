#pragma once

#include "tools/ScopeGuard.h"
#include "tools/search/TreeWalk.h"

#include <vector>

namespace spettro {

/// The ignore rules that hold in a folder (its real path) because of the repository that it lies in: those of the
/// repository's exclude file and of the `.gitignore` files from its top down to above the folder, as far as they lie in
/// scope. Nothing where the folder is the top of a repository, or lies in none.
std::optional<std::vector<ParentIgnore>> rulesAbove(const ScopeGuard &guard, const QByteArray &folder);

} // namespace spettro
