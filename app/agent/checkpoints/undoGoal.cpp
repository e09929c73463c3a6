#include "app/agent/checkpoints/undoGoal.h"

namespace spettro {

UndoGoal undoGoal(const QList<CheckpointEntry> &entries, const FileState &now, OnConflict onConflict)
{
    UndoGoal goal{now};
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        if (!entry->explains(goal.state)) {
            goal.isConflict = true;
            if (onConflict == OnConflict::Keep) {
                return goal;
            }
        }
        goal.state = entry->before;
    }
    return goal;
}

} // namespace spettro
