#include "app/agent/session/SessionLog.h"

#include "app/agent/session/RecordText.h"
#include "app/agent/session/SessionRecord.h"
#include "tools/text/SafeText.h"

#include <QDateTime>

#include <algorithm>
#include <cerrno>

namespace spettro {

using sandbox::Descriptor;

ToolOutcome<SessionLog> SessionLog::open(Descriptor folder, const QByteArray &id,
                                         const QByteArray &folderPath, IfMissing ifMissing,
                                         const RecordVisitor &visit)
{
    SessionRecord known;
    const auto watch = [&](Json &&record) {
        if (const std::optional<SessionRecord> session = sessionRecordOf(record)) {
            known.workspace = session->workspace ? session->workspace : known.workspace;
            known.version = std::max(known.version, session->version);
        }
        visit(std::move(record));
    };
    const QByteArray logPath = folderPath + '/' + SessionLogName;
    ToolOutcome<LineLog> log = LineLog::open(folder.number(), SessionLogName, logPath, ifMissing, watch);
    if (!log) {
        return log.error();
    }
    if (known.version.value_or(SessionVersion) > SessionVersion) {
        return ToolError{visibleText(logPath) + " was written by a newer Spettro (version "
                             + QByteArray::number(*known.version) + "): it can be shown but not continued",
                         EPROTONOSUPPORT};
    }
    return SessionLog(std::move(folder), id, folderPath, std::move(log).value(), known.workspace);
}

SessionLog::SessionLog(Descriptor folder, const QByteArray &id, const QByteArray &folderPath, LineLog log,
                       std::optional<QByteArray> workspace)
    : m_folder(std::move(folder)), m_id(id), m_folderPath(folderPath), m_log(std::move(log)),
      m_workspace(std::move(workspace))
{}

std::optional<ToolError> SessionLog::append(const QByteArray &type, const Json &members)
{
    const QByteArray now = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toLatin1();
    Json record = {{"type", type.toStdString()}, {"time", now.toStdString()}};
    for (const auto &[name, value] : members.items()) {
        if (name != "type" && name != "time") {
            record[name] = value;
        }
    }
    return m_log.append(record);
}

std::optional<ToolError> SessionLog::enterWorkspace(const QByteArray &realPath)
{
    std::optional<ToolError> error =
        append(SessionRecordType, {{"version", SessionVersion}, {"workspace", encodedPath(realPath)}});
    if (!error) {
        m_workspace = realPath;
    }
    return error;
}

} // namespace spettro
