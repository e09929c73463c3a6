#include "app/agent/checkpoints/CheckpointStore.h"

#include "app/agent/checkpoints/UndoRun.h"
#include "tools/text/SafeText.h"

#include <cerrno>
#include <cstring>

namespace spettro {

ToolOutcome<std::unique_ptr<CheckpointStore>> CheckpointStore::open(const SessionLog &session,
                                                                    const CheckpointLimits &limits)
{
    ToolOutcome<CheckpointBook> book = CheckpointBook::open(session.folder(), session.folderPath(), limits);
    if (!book) {
        return book.error();
    }
    return std::unique_ptr<CheckpointStore>(new CheckpointStore(std::move(book).value()));
}

CheckpointStore::CheckpointStore(CheckpointBook book)
    : m_book(std::move(book)), m_turn(m_book.history().nextTurn())
{}

int CheckpointStore::beginTurn()
{
    const std::scoped_lock lock(m_mutex);
    m_turn = m_book.history().nextTurn();
    return m_turn;
}

std::optional<ToolError> CheckpointStore::beforeChange(const ScopeHandle &target,
                                                       const std::optional<QByteArray> &before,
                                                       QByteArrayView after)
{
    const std::scoped_lock lock(m_mutex);
    const std::optional<ToolError> error = m_book.save(m_turn, target, before, after.toByteArray());
    if (error) { // without the path, which is none of the model's business
        return ToolError{"write " + visibleText(target.shownPath)
                             + ": its old content could not be saved first: " + std::strerror(error->number),
                         error->number};
    }
    return std::nullopt;
}

ToolOutcome<UndoReport> CheckpointStore::undo(const ScopeGuard &guard, const UndoRequest &request)
{
    const std::scoped_lock lock(m_mutex);
    const ToolOutcome<int> fromTurn = firstTurn(request);
    if (!fromTurn) {
        return fromTurn.error();
    }
    const int turn = m_book.history().nextTurn();
    UndoReport report = UndoRun(m_book, guard, request, turn, *fromTurn).carryOut();
    m_turn = m_book.history().nextTurn();
    return report;
}

ToolOutcome<int> CheckpointStore::firstTurn(const UndoRequest &request) const
{
    const CheckpointHistory &history = m_book.history();
    if (history.lastTurn() == 0) {
        return ToolError{"there is nothing to undo in this session", ENOENT};
    }
    if (request.fromTurn) {
        if (*request.fromTurn < 1 || *request.fromTurn > history.lastTurn()) {
            return ToolError{"there is no turn " + QByteArray::number(*request.fromTurn)
                                 + " with changes; the last is " + QByteArray::number(history.lastTurn()),
                             ENOENT};
        }
        return *request.fromTurn;
    }
    const std::optional<BegunUndo> undo = history.lastUndo();
    return undo && !undo->isDone ? undo->fromTurn : history.lastTurn();
}

} // namespace spettro
