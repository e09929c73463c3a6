#include "app/agent/checkpoints/UndoRun.h"

#include "tools/GuardedFile.h"
#include "tools/GuardedRemoval.h"

#include <QMap>

#include <algorithm>
#include <cerrno>

namespace spettro {

namespace {

using Outcome = UndoneFile::Outcome;

Outcome outcomeOf(int error)
{
    // Something else is in the file's place, or it was written to at this moment.
    return error == EISDIR || error == ENXIO || error == ESTALE || error == EEXIST ? Outcome::Conflict
                                                                                   : Outcome::Failed;
}

QByteArray noteOnConflict(const std::optional<QByteArray> &now)
{
    return now ? "it was changed by someone else" : "it was removed by someone else";
}

QByteArray octal(mode_t mode)
{
    return '0' + QByteArray::number(mode, 8);
}

/// File tools never change modes, so a difference is someone's wish.
QByteArray noteOnMode(const FileState &now, const FileState &before)
{
    return now.exists && before.exists && now.mode != before.mode
               ? "its mode was " + octal(before.mode) + " and stays " + octal(now.mode)
               : QByteArray();
}

} // namespace

UndoReport UndoRun::carryOut()
{
    const QList<CheckpointEntry> all = m_book.history().entries(); // a copy: the undo adds its own
    QMap<QByteArray, QList<CheckpointEntry>> byPath;
    for (const CheckpointEntry &entry : all) {
        if (entry.turn >= m_fromTurn) {
            byPath[entry.path].append(entry);
        }
    }
    UndoReport report{m_fromTurn, {}};
    for (auto file = byPath.constBegin(); file != byPath.constEnd(); ++file) {
        report.files.append(takeBack(file.key(), file.value()));
    }
    if (m_request.way == UndoRequest::Way::CarryOut) {
        removeFolders(all);
    }
    const bool isDone = std::none_of(report.files.begin(), report.files.end(),
                                     [](const UndoneFile &file) { return file.outcome == Outcome::Failed; });
    if (m_isBegun && isDone) {
        m_book.log().add(CheckpointHistory::undoneRecord(m_turn)); // else the next undo goes on with this one
    }
    return report;
}

UndoneFile UndoRun::takeBack(const QByteArray &path, const QList<CheckpointEntry> &entries)
{
    const ToolOutcome<ScopeHandle> target = m_guard.open(path, Access::Write);
    if (!target) {
        return {path, outcomeOf(target.error().number), target.error().message};
    }
    if (target->realPath != path) {
        return {path, Outcome::Conflict, "a link leads elsewhere now"};
    }
    const ToolOutcome<std::optional<QByteArray>> now = readExisting(*target);
    if (!now) {
        return {path, outcomeOf(now.error().number), now.error().message};
    }
    const FileState state = FileState::of(*now, target->existing);
    const UndoGoal goal = undoGoal(entries, state, m_request.onConflict);
    UndoneFile file{path, Outcome::Unchanged, noteOnMode(state, goal.state)};
    if (!goal.state.hasContentOf(state)) {
        file = change(*target, *now, goal);
    }
    const bool isLeft = goal.isConflict && m_request.onConflict == OnConflict::Keep;
    if (isLeft && file.outcome != Outcome::Failed && file.outcome != Outcome::Unsaved) {
        return {path, Outcome::Conflict, noteOnConflict(*now)};
    }
    return file;
}

UndoneFile UndoRun::change(const ScopeHandle &target, const std::optional<QByteArray> &now,
                           const UndoGoal &goal)
{
    const QByteArray &path = target.realPath;
    const FileState state = FileState::of(now, target.existing);
    std::optional<QByteArray> content;
    if (goal.state.exists) {
        if (!goal.state.place) {
            return {path, Outcome::Unsaved, "its old content was too large to be saved"};
        }
        ToolOutcome<QByteArray> saved = m_book.contents().read(goal.state);
        if (!saved) {
            return {path, Outcome::Unsaved, saved.error().message};
        }
        content = std::move(saved).value();
    }
    if (state.exists && !m_book.contents().takes(state)) {
        return {path, Outcome::Unsaved, "what is there now is too large to be saved first"};
    }
    if (m_request.way == UndoRequest::Way::CarryOut) {
        std::optional<ToolError> error = saveFirst(target, now, content);
        if (!error && content) {
            const ToolOutcome<WriteReport> report = replaceFile(target, *content, goal.state.mode);
            error = report ? std::nullopt : std::optional(report.error());
        } else if (!error) {
            error = removeFile(target);
        }
        if (error) {
            return {path, outcomeOf(error->number), error->message};
        }
    }
    return {path, content ? Outcome::Restored : Outcome::Removed, noteOnMode(state, goal.state)};
}

std::optional<ToolError> UndoRun::saveFirst(const ScopeHandle &target, const std::optional<QByteArray> &now,
                                            const std::optional<QByteArray> &content)
{
    if (!m_isBegun) {
        if (std::optional<ToolError> error =
                m_book.log().add(CheckpointHistory::undoRecord(m_turn, m_fromTurn))) {
            return error;
        }
        m_isBegun = true;
    }
    return m_book.save(m_turn, target, now, content);
}

void UndoRun::removeFolders(const QList<CheckpointEntry> &entries)
{
    QList<QByteArray> folders;
    for (const CheckpointEntry &entry : entries) {
        QByteArray folder = entry.path;
        for (int i = 0; entry.turn >= m_fromTurn && i < entry.newFolders; ++i) {
            folder.truncate(std::max<qsizetype>(0, folder.lastIndexOf('/')));
            folders.append(folder);
        }
    }
    std::sort(folders.begin(), folders.end(), [](const QByteArray &a, const QByteArray &b) {
        return a.size() > b.size(); // what lies in another folder first
    });
    for (const QByteArray &folder : std::as_const(folders)) {
        removeEmptyFolder(m_guard, folder);
    }
}

} // namespace spettro
