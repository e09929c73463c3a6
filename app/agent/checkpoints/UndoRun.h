#pragma once

#include "app/agent/checkpoints/CheckpointBook.h"
#include "app/agent/checkpoints/UndoReport.h"

namespace spettro {

/// One undo: takes files back one after the other, each saved before it is overwritten. Every step goes through the guard.
class UndoRun
{
public:
    /// `turn` is the undo's own number. All have to outlive this.
    UndoRun(CheckpointBook &book, const ScopeGuard &guard, const UndoRequest &request, int turn, int fromTurn)
        : m_book(book), m_guard(guard), m_request(request), m_turn(turn), m_fromTurn(fromTurn)
    {}

    UndoReport carryOut();

private:
    UndoneFile takeBack(const QByteArray &path, const QList<CheckpointEntry> &entries);
    UndoneFile change(const ScopeHandle &target, const std::optional<QByteArray> &now, const UndoGoal &goal);
    std::optional<ToolError> saveFirst(const ScopeHandle &target, const std::optional<QByteArray> &now,
                                       const std::optional<QByteArray> &content);
    void removeFolders(const QList<CheckpointEntry> &entries);

    CheckpointBook &m_book;
    const ScopeGuard &m_guard;
    const UndoRequest &m_request;
    int m_turn = 0;
    int m_fromTurn = 0;
    bool m_isBegun = false;
};

} // namespace spettro
