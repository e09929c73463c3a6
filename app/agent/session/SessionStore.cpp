#include "app/agent/session/SessionStore.h"

#include "app/agent/session/RecordText.h"
#include "app/agent/session/SessionId.h"
#include "app/agent/session/SessionRecord.h"
#include "tools/text/SafeText.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace spettro {

using sandbox::Descriptor;

namespace {

constexpr const char *RemovedPrefix = ".removed-";

struct CloseFolder
{
    void operator()(DIR *folder) const { ::closedir(folder); }
};

/// What the first records of a log say; empty where it cannot be read.
void readBeginning(int file, SessionInfo *info)
{
    constexpr qint64 Beginning = qint64{64} * 1024; // bytes
    constexpr qsizetype MostRecords = 4;
    QByteArray text;
    if (readAt(file, 0, Beginning, &text) != 0) {
        return;
    }
    text.truncate(text.lastIndexOf('\n') + 1);
    const QList<QByteArray> lines = text.split('\n');
    for (const QByteArray &line : lines.first(std::min(lines.size(), MostRecords))) {
        const std::optional<Json> record = recordOf(line);
        const std::optional<SessionRecord> session = record ? sessionRecordOf(*record) : std::nullopt;
        if (session && !info->workspace) {
            info->workspace = session->workspace;
        }
        if (record && record->at("type") == GoalRecordType && record->contains("text")
            && record->at("text").is_string() && info->goal.isEmpty()) {
            info->goal = QByteArray::fromStdString(record->at("text").get<std::string>());
        }
    }
}

} // namespace

ToolOutcome<SessionStore> SessionStore::open(const QByteArray &stateFolder)
{
    const Descriptor state(::open(stateFolder.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!state) {
        return pathError("open", stateFolder, errno);
    }
    const QByteArray path = stateFolder + "/sessions";
    ToolOutcome<Descriptor> folder = openPrivateFolder(state.number(), "sessions", path, IfMissing::Make);
    if (!folder) {
        return folder.error();
    }
    return SessionStore(std::move(folder).value(), path);
}

ToolOutcome<SessionLog> SessionStore::create(const QByteArray &workspace) const
{
    QByteArray id = freshSessionId();
    while (::mkdirat(m_folder.number(), id.constData(), S_IRWXU) != 0) {
        if (errno != EEXIST) {
            return pathError("mkdir", pathOf(id), errno);
        }
        id = freshSessionId();
    }
    ToolOutcome<SessionLog> log = begin(id, workspace);
    if (!log) {
        removeTree(m_folder.number(), id); // nobody has written to it yet
    }
    return log;
}

ToolOutcome<SessionLog> SessionStore::begin(const QByteArray &id, const QByteArray &workspace) const
{
    ToolOutcome<Descriptor> folder = openSession(id);
    if (!folder) {
        return folder.error();
    }
    ToolOutcome<SessionLog> log =
        SessionLog::open(std::move(folder).value(), id, pathOf(id), IfMissing::Make, [](Json &&) {});
    if (!log) {
        return log;
    }
    std::optional<ToolError> error = log.value().enterWorkspace(workspace);
    if (!error) {
        error = log.value().endTurn();
    }
    if (error) {
        return *error;
    }
    if (::fsync(log->folder()) != 0 || ::fsync(m_folder.number()) != 0) {
        return pathError("write", pathOf(id), errno);
    }
    return log;
}

ToolOutcome<SessionLog> SessionStore::resume(const QByteArray &id, const RecordVisitor &visit) const
{
    ToolOutcome<Descriptor> folder = openSession(id);
    if (!folder) {
        return folder.error();
    }
    return SessionLog::open(std::move(folder).value(), id, pathOf(id), IfMissing::Fail, visit);
}

ToolOutcome<LogFindings> SessionStore::read(const QByteArray &id, const RecordVisitor &visit) const
{
    const ToolOutcome<Descriptor> folder = openSession(id);
    if (!folder) {
        return folder.error();
    }
    return LineLog::read(folder->number(), SessionLogName, pathOf(id) + '/' + SessionLogName, visit);
}

std::optional<ToolError> SessionStore::remove(const QByteArray &id) const
{
    const ToolOutcome<Descriptor> folder = openSession(id);
    if (!folder) {
        return folder.error();
    }
    const QByteArray logPath = pathOf(id) + '/' + SessionLogName;
    const ToolOutcome<Descriptor> log = openPrivateFile(folder->number(), SessionLogName, logPath, O_RDONLY);
    if (!log && log.error().number != ENOENT) {
        return log.error();
    }
    if (log) {
        if (std::optional<ToolError> error = lockFile(log->number(), logPath)) {
            return error;
        }
    }
    // Under another name first: a kill in between leaves no half of a session.
    const QByteArray removed = RemovedPrefix + id;
    if (::renameat2(m_folder.number(), id.constData(), m_folder.number(), removed.constData(),
                    RENAME_NOREPLACE)
        != 0) {
        return pathError("remove", pathOf(id), errno);
    }
    const ToolOutcome<QList<QByteArray>> names = entries();
    if (!names) {
        return names.error();
    }
    for (const QByteArray &name : *names) { // with those that a kill has left
        const int error = name.startsWith(RemovedPrefix) ? removeTree(m_folder.number(), name) : 0;
        if (error != 0 && error != ENOENT) {
            return pathError("remove", pathOf(name), error);
        }
    }
    return std::nullopt;
}

ToolOutcome<QList<SessionInfo>> SessionStore::list() const
{
    const ToolOutcome<QList<QByteArray>> names = entries();
    if (!names) {
        return names.error();
    }
    QList<SessionInfo> infos;
    for (const QByteArray &name : *names) {
        if (isSessionId(name)) {
            infos.append(infoOf(name));
        }
    }
    return infos;
}

ToolOutcome<QByteArray> SessionStore::lastIn(const QByteArray &workspace) const
{
    const ToolOutcome<QList<QByteArray>> names = entries();
    if (!names) {
        return names.error();
    }
    const auto last = std::find_if(names->rbegin(), names->rend(), [&](const QByteArray &name) {
        return isSessionId(name) && infoOf(name).workspace == workspace;
    });
    if (last == names->rend()) {
        return ToolError{"there is no session of " + visibleText(workspace) + " yet", ENOENT};
    }
    return *last;
}

ToolOutcome<QList<QByteArray>> SessionStore::entries() const
{
    const int again = ::openat(m_folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseFolder> open(again < 0 ? nullptr : ::fdopendir(again));
    if (!open) {
        return pathError("open", m_path, errno);
    }
    QList<QByteArray> names;
    while (const dirent *entry = ::readdir(open.get())) {
        names.append(entry->d_name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

ToolOutcome<Descriptor> SessionStore::openSession(const QByteArray &id) const
{
    if (!isSessionId(id)) {
        return ToolError{"there is no session called " + visibleText(id), ENOENT};
    }
    return openPrivateFolder(m_folder.number(), id, pathOf(id), IfMissing::Fail);
}

SessionInfo SessionStore::infoOf(const QByteArray &id) const
{
    SessionInfo info;
    info.id = id;
    const ToolOutcome<Descriptor> folder = openSession(id);
    const ToolOutcome<Descriptor> file = folder ? openPrivateFile(folder->number(), SessionLogName,
                                                                  pathOf(id) + '/' + SessionLogName, O_RDONLY)
                                                : ToolOutcome<Descriptor>(folder.error());
    struct stat status;
    if (!file || ::fstat(file->number(), &status) != 0) {
        info.problem = file ? pathError("read", pathOf(id), errno).message : file.error().message;
        return info;
    }
    info.size = status.st_size;
    info.lastChange = QDateTime::fromMSecsSinceEpoch(
        status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000, Qt::UTC);
    readBeginning(file->number(), &info);
    return info;
}

} // namespace spettro
