#pragma once

#include "sandbox/linux/Descriptor.h"
#include "tools/ToolResult.h"

#include <optional>

/// Files and folders that are the operator's alone: opened through their folder's descriptor, never through a link, and
/// refused where they belong to somebody else or others have rights on them. `shownPath` is for messages.
namespace spettro {

enum class IfMissing { Fail, Make };

/// Opens a folder for reading; a new one has mode 0700 and is synced into its parent.
ToolOutcome<sandbox::Descriptor> openPrivateFolder(int parent, const QByteArray &name,
                                                   const QByteArray &shownPath, IfMissing ifMissing);

/// Opens a regular file; `flags` as for open(2). A new one has mode 0600.
ToolOutcome<sandbox::Descriptor> openPrivateFile(int folder, const QByteArray &name,
                                                 const QByteArray &shownPath, int flags);

/// Takes the lock (flock) of an open file; an error where another process has it, or where the file was removed meanwhile.
/// It ends with the last descriptor of this opening.
std::optional<ToolError> lockFile(int file, const QByteArray &shownPath);

/// Writes all of the bytes at a place in a file. Returns 0 or the error number.
int writeAt(int file, QByteArrayView bytes, qint64 place);

/// Reads up to `size` bytes from a place, fewer only at the end of the file. Returns 0 or the error number.
int readAt(int file, qint64 place, qint64 size, QByteArray *bytes);

/// Removes a file or a folder with all that is in it. Links are removed and not followed. Returns 0 or the error number.
int removeTree(int folder, const QByteArray &name);

} // namespace spettro
