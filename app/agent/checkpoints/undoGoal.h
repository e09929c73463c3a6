#pragma once

#include "app/agent/checkpoints/CheckpointEntry.h"

namespace spettro {

/// What to do about a file that differs from what the agent has written.
enum class OnConflict {
    Keep,      ///< It stays as it is.
    Overwrite, ///< It is saved and overwritten.
};

/// To what state a file goes back.
struct UndoGoal
{
    FileState state;
    bool isConflict = false; ///< Someone else has changed the file in between.
};

/// Walks from the file as it is now back through its entries, the newest last, as long as each explains the state that it
/// has been taken back to. So undoing several turns at once gives what undoing them one by one would give.
UndoGoal undoGoal(const QList<CheckpointEntry> &entries, const FileState &now, OnConflict onConflict);

} // namespace spettro
