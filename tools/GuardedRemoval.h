#pragma once

#include "tools/ScopeGuard.h"

namespace spettro {

/// Removes the file that a handle of `Access::Write` is about. One that is not what `target.existing` says any more stays
/// and is an error (ESTALE), as is one without any write permission.
std::optional<ToolError> removeFile(const ScopeHandle &target);

/// Removes a folder, given by its real path, where it is empty and a file could be written both in it and beside it. Returns
/// whether it is gone.
bool removeEmptyFolder(const ScopeGuard &guard, const QByteArray &realPath);

} // namespace spettro
