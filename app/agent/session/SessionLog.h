#pragma once

#include "app/agent/session/LineLog.h"

namespace spettro {

/// The version of the log's format, in its first record.
inline constexpr int SessionVersion = 1;

/// The record of one session: a file `log.jsonl` in the session's folder, to which everything is appended as it happens.
///
/// A record is an object with `type` and `time` (UTC, milliseconds). This class writes the type `session` alone: `version`
/// and `workspace`. All others are their writers' business, and their readers pass over types and members that they do not
/// know. Not thread-safe; the thread may have taken any domain.
class SessionLog
{
public:
    const QByteArray &id() const { return m_id; }

    /// The session's folder, where other parts keep what belongs to the session.
    const QByteArray &folderPath() const { return m_folderPath; }
    int folder() const { return m_folder.number(); }

    /// The real path of the folder that the session works in; nothing where the log has lost it.
    const std::optional<QByteArray> &workspace() const { return m_workspace; }

    /// What opening has found.
    const LogFindings &findings() const { return m_log.findings(); }

    /// Adds a record. `type` and `time` are put in front of `members`, of which those two names are not taken. After an
    /// error nothing was added, and a later call may succeed.
    std::optional<ToolError> append(const QByteArray &type, const Json &members = Json::object());

    /// Brings the log to the disk: from then on it survives everything but the disk.
    std::optional<ToolError> endTurn() { return m_log.sync(); }

    /// From here on the session works in another folder (its project was moved), or the log has lost which.
    std::optional<ToolError> enterWorkspace(const QByteArray &realPath);

private:
    friend class SessionStore;

    static ToolOutcome<SessionLog> open(sandbox::Descriptor folder, const QByteArray &id,
                                        const QByteArray &folderPath, IfMissing ifMissing,
                                        const RecordVisitor &visit);

    SessionLog(sandbox::Descriptor folder, const QByteArray &id, const QByteArray &folderPath, LineLog log,
               std::optional<QByteArray> workspace);

    sandbox::Descriptor m_folder;
    QByteArray m_id;
    QByteArray m_folderPath;
    LineLog m_log;
    std::optional<QByteArray> m_workspace;
};

} // namespace spettro
