#pragma once

#include "app/agent/session/SessionLog.h"

#include <QDateTime>
#include <QList>

namespace spettro {

/// A session as a list shows it.
struct SessionInfo
{
    QByteArray id;
    std::optional<QByteArray> workspace; ///< The real path at its beginning.
    QDateTime lastChange;
    qint64 size = 0;    ///< Of the log, in bytes.
    QByteArray goal;    ///< The first one; empty where it does not stand at the log's beginning.
    QByteArray problem; ///< Why it cannot be read; empty where it can.
};

/// The folder `sessions` of the state folder: each session is a folder in it, named by its ID. Any number of processes may
/// work in it at the same time.
class SessionStore
{
public:
    /// `stateFolder` exists; `sessions` is made where it is missing.
    static ToolOutcome<SessionStore> open(const QByteArray &stateFolder);

    /// Begins a session in a workspace, given by its real path.
    ToolOutcome<SessionLog> create(const QByteArray &workspace) const;

    /// Opens a session to go on with it; `visit` gets all of its records. One that another process has open is an error.
    ToolOutcome<SessionLog> resume(const QByteArray &id, const RecordVisitor &visit) const;

    /// Reads a session, also one that is in use, and changes nothing.
    ToolOutcome<LogFindings> read(const QByteArray &id, const RecordVisitor &visit) const;

    /// Removes a session with all that is in its folder. One that is in use is an error.
    std::optional<ToolError> remove(const QByteArray &id) const;

    /// All sessions, the oldest first, broken ones too.
    ToolOutcome<QList<SessionInfo>> list() const;

    /// The ID of the newest session that was begun in a workspace. An error where there is none.
    ToolOutcome<QByteArray> lastIn(const QByteArray &workspace) const;

private:
    SessionStore(sandbox::Descriptor folder, const QByteArray &path)
        : m_folder(std::move(folder)), m_path(path)
    {}

    QByteArray pathOf(const QByteArray &id) const { return m_path + '/' + id; }
    ToolOutcome<SessionLog> begin(const QByteArray &id, const QByteArray &workspace) const;
    ToolOutcome<QList<QByteArray>> entries() const;
    ToolOutcome<sandbox::Descriptor> openSession(const QByteArray &id) const;
    SessionInfo infoOf(const QByteArray &id) const;

    sandbox::Descriptor m_folder;
    QByteArray m_path;
};

} // namespace spettro
