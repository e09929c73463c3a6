#pragma once

#include "app/agent/checkpoints/undoGoal.h"

namespace spettro {

/// What is to be undone, and how.
struct UndoRequest
{
    enum class Way {
        CarryOut,
        Show, ///< Only say what would be done.
    };

    std::optional<int> fromTurn = std::nullopt; ///< This turn and all after it; nothing: the last one.
    OnConflict onConflict = OnConflict::Keep;
    Way way = Way::CarryOut;
};

/// What became of one file.
struct UndoneFile
{
    enum class Outcome {
        Restored,  ///< Has its old content again.
        Removed,   ///< Is gone, as it was before.
        Unchanged, ///< Was as it is to be.
        Conflict,  ///< Someone else has changed it: kept, or taken back to what they had changed.
        Unsaved,   ///< The old content, or the one it would overwrite, is not saved: as it was.
        Failed,    ///< An error, named in the note: as it was. The next undo tries again.
    };

    QByteArray path; ///< The real path.
    Outcome outcome = Outcome::Unchanged;
    QByteArray note; ///< Why, for a person; may be empty.
};

/// What became of an undo.
struct UndoReport
{
    int fromTurn = 0;
    QList<UndoneFile> files;
};

} // namespace spettro
