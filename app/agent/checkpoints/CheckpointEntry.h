#pragma once

#include "app/agent/checkpoints/FileState.h"

#include <QList>

namespace spettro {

/// What is known of the changes of one file in one turn.
struct CheckpointEntry
{
    int turn = 0;
    QByteArray path;        ///< The real path.
    FileState before;       ///< As it was before the first of them.
    QList<FileState> after; ///< What was to be written, one for each change; a change may have failed.
    int newFolders = 0;     ///< How many folders on the way to the file were to be made for it.

    /// Whether the file can have come to this state by these changes alone.
    bool explains(const FileState &state) const;

    bool operator==(const CheckpointEntry &) const = default;
};

Json toJson(const CheckpointEntry &entry);

/// Nothing where it is no such JSON.
std::optional<CheckpointEntry> checkpointEntryOf(const Json &json);

} // namespace spettro
