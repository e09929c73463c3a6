#pragma once

#include "app/agent/checkpoints/CheckpointBook.h"
#include "app/agent/checkpoints/UndoReport.h"
#include "app/agent/session/SessionLog.h"
#include "tools/ChangeWitness.h"

#include <memory>
#include <mutex>

namespace spettro {

/// What files were before the agent changed them, turn by turn, and the way back. Covers what the file tools change, not
/// what commands do. Thread-safe; all files are open from the start, so that threads which may open none here can save.
class CheckpointStore : public ChangeWitness
{
public:
    /// Those of a session, which is open and so belongs to this process; made where there are none.
    static ToolOutcome<std::unique_ptr<CheckpointStore>> open(const SessionLog &session,
                                                              const CheckpointLimits &limits = {});

    /// What changes from here on belongs to a new turn. Returns its number, to which `undo` can go back; turns without a
    /// change share the number with the next one.
    int beginTurn();

    /// Saves the file unless this turn has done so. A content over the limits is not saved: the change goes on, and undo will
    /// say so. An error (disk full) refuses the change.
    std::optional<ToolError> beforeChange(const ScopeHandle &target, const std::optional<QByteArray> &before,
                                          QByteArrayView after) override;

    /// Takes back what the file tools have changed in the last turn, or in a given one and all after it. It is a turn itself:
    /// what it overwrites is saved, and undoing it brings that back. One that was killed, or failed for a file, is gone on
    /// with. Files that others have changed since are kept, unless asked for, and reported. An error where there is nothing
    /// to undo.
    ///
    /// Writes through `guard` only; to be called on a file thread, so that the kernel stands behind it.
    ToolOutcome<UndoReport> undo(const ScopeGuard &guard, const UndoRequest &request);

private:
    explicit CheckpointStore(CheckpointBook book);

    ToolOutcome<int> firstTurn(const UndoRequest &request) const;

    std::mutex m_mutex;
    CheckpointBook m_book;
    int m_turn = 0;
};

} // namespace spettro
