#pragma once

#include "app/agent/checkpoints/CheckpointHistory.h"
#include "app/agent/session/LineLog.h"

namespace spettro {

/// The file `changes.jsonl`: which file was changed in which turn, and how it was before. Not thread-safe.
class CheckpointLog
{
public:
    static ToolOutcome<CheckpointLog> open(int folder, const QByteArray &folderPath);

    const CheckpointHistory &history() const { return m_history; }

    /// Adds one of the history's records, to it and to the file.
    std::optional<ToolError> add(const Json &record);

    /// Brings everything to the disk.
    std::optional<ToolError> sync() { return m_log.sync(); }

private:
    CheckpointLog(LineLog log, CheckpointHistory history)
        : m_log(std::move(log)), m_history(std::move(history))
    {}

    LineLog m_log;
    CheckpointHistory m_history;
};

} // namespace spettro
