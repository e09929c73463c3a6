#pragma once

#include "tools/GuardedFile.h"
#include "tools/ToolSession.h"

namespace spettro {

/// The file that a call is to change, as it is now; nothing where there is none. An error where it holds something else
/// than the model has last seen of it.
ToolOutcome<std::optional<QByteArray>> readUnchanged(ToolSession &session, const ScopeHandle &target);

/// Writes the new content and tells what has changed: a unified diff with `facts` on the file.
ToolResult writeChange(ToolSession &session, const ScopeHandle &target,
                       const std::optional<QByteArray> &before, const QByteArray &after);

} // namespace spettro
