#include "app/agent/checkpoints/CheckpointHistory.h"

#include "app/agent/session/RecordText.h"

#include <algorithm>

namespace spettro {

namespace {

std::optional<int> intOf(const Json &record, const char *name)
{
    const auto found = record.find(name);
    const bool isInt = found != record.end() && found->is_number_integer();
    return isInt ? std::optional(found->get<int>()) : std::nullopt;
}

} // namespace

Json CheckpointHistory::versionRecord()
{
    return {{"type", "checkpoints"}, {"version", CheckpointVersion}};
}

Json CheckpointHistory::changeRecord(const CheckpointEntry &entry)
{
    Json record = {{"type", "change"}};
    record.update(toJson(entry));
    return record;
}

Json CheckpointHistory::againRecord(int turn, const QByteArray &path, const FileState &after)
{
    return {{"type", "again"}, {"turn", turn}, {"path", encodedPath(path)}, {"after", toJson(after)}};
}

Json CheckpointHistory::undoRecord(int turn, int fromTurn)
{
    return {{"type", "undo"}, {"turn", turn}, {"from", fromTurn}};
}

Json CheckpointHistory::undoneRecord(int turn)
{
    return {{"type", "undone"}, {"turn", turn}};
}

void CheckpointHistory::take(const Json &record)
{
    const Json &type = record.at("type");
    if (type == "change") {
        takeChange(record);
    } else if (type == "again") {
        takeAgain(record);
    } else if (type == "undo") {
        takeUndo(record);
    } else if (type == "undone" && m_undo && intOf(record, "turn") == m_undo->turn) {
        m_undo->isDone = true;
    } else if (type == "checkpoints") {
        m_version = intOf(record, "version").value_or(m_version);
    }
}

int CheckpointHistory::nextTurn() const
{
    return std::max(m_lastTurn, m_undo ? m_undo->turn : 0) + 1;
}

std::optional<BegunUndo> CheckpointHistory::lastUndo() const
{
    return m_undo && m_undo->turn == m_lastTurn ? m_undo : std::nullopt;
}

const CheckpointEntry *CheckpointHistory::find(int turn, const QByteArray &path) const
{
    const auto found = std::find_if(m_entries.rbegin(), m_entries.rend(), [&](const CheckpointEntry &entry) {
        return entry.turn != turn || entry.path == path; // turns follow each other: no use in looking further
    });
    return found != m_entries.rend() && found->turn == turn ? &*found : nullptr;
}

void CheckpointHistory::takeChange(const Json &record)
{
    if (std::optional<CheckpointEntry> entry = checkpointEntryOf(record)) {
        m_lastTurn = std::max(m_lastTurn, entry->turn);
        m_entries.append(std::move(*entry));
    }
}

void CheckpointHistory::takeAgain(const Json &record)
{
    const std::optional<int> turn = intOf(record, "turn");
    const bool hasAll =
        turn && record.contains("path") && record.at("path").is_string() && record.contains("after");
    const std::optional<FileState> after = hasAll ? fileStateOf(record.at("after")) : std::nullopt;
    if (!after) {
        return;
    }
    if (const CheckpointEntry *found = find(*turn, decodedPath(record.at("path").get<std::string>()))) {
        m_entries[found - m_entries.constData()].after.append(*after);
    }
}

void CheckpointHistory::takeUndo(const Json &record)
{
    const std::optional<int> turn = intOf(record, "turn");
    const std::optional<int> from = intOf(record, "from");
    if (turn && from) {
        m_undo = BegunUndo{*turn, *from, false};
    }
}

} // namespace spettro
