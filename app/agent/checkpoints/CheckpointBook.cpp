#include "app/agent/checkpoints/CheckpointBook.h"

#include "app/agent/session/PrivateFiles.h"

namespace spettro {

using sandbox::Descriptor;

ToolOutcome<CheckpointBook> CheckpointBook::open(int sessionFolder, const QByteArray &sessionPath,
                                                 const CheckpointLimits &limits)
{
    const QByteArray path = sessionPath + "/checkpoints";
    const ToolOutcome<Descriptor> folder =
        openPrivateFolder(sessionFolder, "checkpoints", path, IfMissing::Make);
    if (!folder) {
        return folder.error();
    }
    ToolOutcome<CheckpointLog> log = CheckpointLog::open(folder->number(), path);
    if (!log) {
        return log.error();
    }
    ToolOutcome<ContentStore> contents = ContentStore::open(folder->number(), path, limits);
    if (!contents) {
        return contents.error();
    }
    for (const CheckpointEntry &entry : log->history().entries()) {
        contents.value().remember(entry.before);
    }
    ::fsync(folder->number()); // the names of new files
    return CheckpointBook(std::move(log).value(), std::move(contents).value());
}

std::optional<ToolError> CheckpointBook::save(int turn, const ScopeHandle &target,
                                              const std::optional<QByteArray> &before,
                                              const std::optional<QByteArray> &after)
{
    if (before == after) {
        return std::nullopt;
    }
    FileState old = FileState::of(before, target.existing);
    const FileState planned = FileState::of(after, target.existing);
    const CheckpointEntry *known = history().find(turn, target.realPath);
    if (known && known->explains(old)) { // else someone has changed it within the turn: that is saved as well
        if (known->explains(planned)) {
            return std::nullopt;
        }
        // Not synced: after a power cut without it, undo asks instead of overwriting.
        return m_log.add(CheckpointHistory::againRecord(turn, target.realPath, planned));
    }
    if (old.exists && m_contents.takes(old)) {
        const ToolOutcome<qint64> place = m_contents.add(old, *before);
        if (!place) {
            return place.error();
        }
        old.place = *place;
    }
    const CheckpointEntry entry{
        turn, target.realPath, old, {planned}, static_cast<int>(target.missing.size())};
    if (std::optional<ToolError> error = m_log.add(CheckpointHistory::changeRecord(entry))) {
        return error;
    }
    return m_log.sync();
}

} // namespace spettro
