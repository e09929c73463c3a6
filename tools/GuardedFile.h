#pragma once

#include "tools/ScopeGuard.h"

namespace spettro {

/// The largest file that a tool reads into memory or writes, in bytes.
inline constexpr qint64 LargestFile = qint64{256} * 1024 * 1024;

/// Reads all of a file that was opened with `Access::Read`.
ToolOutcome<QByteArray> readAll(const ScopeHandle &file);

/// Reads all of the file that a handle of `Access::Write` is about; nothing where there is none yet.
ToolOutcome<std::optional<QByteArray>> readExisting(const ScopeHandle &target);

/// What became of a file that was written.
struct WriteReport
{
    bool created = false;
    nlink_t otherNames = 0; ///< Other names (hard links) that keep the old content.
    bool lostOwner = false; ///< The owner or group could not be kept.
};

/// Gives a file its new content, or leaves everything as it was: the content is written whole and synced to a file without
/// a name in the same folder, which then takes the old one's place in one step; folders on the way are made first and
/// removed again when something fails. Mode, owner (where permitted), access control lists and extended attributes
/// are kept, a hard link is severed; a new file gets the mode that the umask leaves. A file without any write permission,
/// and one that is not what `target.existing` says any more, are errors. `modeOfNew`, for a file that was there before:
/// its mode in place of the umask's.
ToolOutcome<WriteReport> replaceFile(const ScopeHandle &target, QByteArrayView content,
                                     std::optional<mode_t> modeOfNew = std::nullopt);

} // namespace spettro
