#include "app/agent/checkpoints/CheckpointLog.h"

#include "tools/text/SafeText.h"

#include <cerrno>

namespace spettro {

ToolOutcome<CheckpointLog> CheckpointLog::open(int folder, const QByteArray &folderPath)
{
    const QByteArray path = folderPath + "/changes.jsonl";
    CheckpointHistory history;
    ToolOutcome<LineLog> log = LineLog::open(folder, "changes.jsonl", path, IfMissing::Make,
                                             [&history](Json &&record) { history.take(record); });
    if (!log) {
        return log.error();
    }
    if (history.version() > CheckpointVersion) {
        return ToolError{visibleText(path) + " was written by a newer Spettro", EPROTONOSUPPORT};
    }
    const bool isNew = log->findings().records == 0;
    CheckpointLog opened(std::move(log).value(), std::move(history));
    if (isNew) {
        if (const std::optional<ToolError> error = opened.add(CheckpointHistory::versionRecord())) {
            return *error;
        }
    }
    return opened;
}

std::optional<ToolError> CheckpointLog::add(const Json &record)
{
    std::optional<ToolError> error = m_log.append(record);
    if (!error) {
        m_history.take(record);
    }
    return error;
}

} // namespace spettro
