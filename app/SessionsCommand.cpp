#include "app/SessionsCommand.h"

#include "app/Composition.h"
#include "app/agent/AgentSession.h"
#include "app/agent/session/sessionMarkdown.h"
#include "app/config/PolicyLoader.h"
#include "app/config/StateFolder.h"
#include "tools/text/SafeText.h"

#include <algorithm>
#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

enum ExitCode { Done = 0, Failed = 1 };

int fail(const ToolError &error)
{
    std::fprintf(stderr, "spettro: %s\n", error.message.constData());
    return Failed;
}

Json jsonOf(const SessionInfo &info)
{
    Json json{{"id", info.id.toStdString()},
              {"workspace", info.workspace ? Json(visibleText(*info.workspace).toStdString()) : Json()},
              {"last_change", info.lastChange.toString(Qt::ISODate).toStdString()},
              {"bytes", info.size},
              {"goal", safeText(info.goal).toStdString()}};
    if (!info.problem.isEmpty()) {
        json["problem"] = info.problem.toStdString();
    }
    return json;
}

void printLine(const SessionInfo &info)
{
    const QByteArray where = info.workspace ? visibleText(*info.workspace) : QByteArray("?");
    const QByteArray what = info.problem.isEmpty() ? visibleText(info.goal.trimmed().split('\n').first())
                                                   : "cannot be read: " + info.problem;
    std::printf("%s  %s  %s  %s\n", info.id.constData(),
                info.lastChange.toLocalTime().toString("yyyy-MM-dd HH:mm").toUtf8().constData(),
                where.constData(), what.constData());
}

int list(const SessionStore &store, OutputFormat format)
{
    const ToolOutcome<QList<SessionInfo>> sessions = store.list();
    if (!sessions) {
        return fail(sessions.error());
    }
    Json all = Json::array();
    for (const SessionInfo &info : *sessions) {
        if (format == OutputFormat::Json) {
            all.push_back(jsonOf(info));
        } else {
            printLine(info);
        }
    }
    if (format == OutputFormat::Json) {
        std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    } else if (sessions->isEmpty()) {
        std::fputs("spettro: there are no sessions yet\n", stderr);
    }
    return Done;
}

int show(const SessionStore &store, const QByteArray &id)
{
    const ToolOutcome<LogFindings> findings = store.read(id, [](Json &&record) {
        const QByteArray text = sessionMarkdown(record);
        std::fwrite(text.constData(), 1, static_cast<std::size_t>(text.size()), stdout);
    });
    if (!findings) {
        return fail(findings.error());
    }
    if (findings->brokenLines > 0) {
        std::fprintf(stderr, "spettro: %lld lines of this session are damaged and were passed over\n",
                     static_cast<long long>(findings->brokenLines));
    }
    return Done;
}

int remove(const SessionStore &store, const QByteArray &id)
{
    const std::optional<ToolError> error = store.remove(id);
    return error ? fail(*error) : Done;
}

const char *wordFor(UndoneFile::Outcome outcome, UndoRequest::Way way)
{
    const bool isShown = way == UndoRequest::Way::Show;
    switch (outcome) {
    case UndoneFile::Outcome::Restored:
        return isShown ? "would be restored" : "restored";
    case UndoneFile::Outcome::Removed:
        return isShown ? "would be removed" : "removed";
    case UndoneFile::Outcome::Unchanged:
        return "unchanged";
    case UndoneFile::Outcome::Conflict:
        return "KEPT";
    case UndoneFile::Outcome::Unsaved:
        return "NOT SAVED";
    case UndoneFile::Outcome::Failed:
        return "FAILED";
    }
    return "";
}

/// Whether everything is as it was asked to be.
bool isWhole(const UndoReport &report)
{
    return std::none_of(report.files.begin(), report.files.end(), [](const UndoneFile &file) {
        return file.outcome == UndoneFile::Outcome::Conflict || file.outcome == UndoneFile::Outcome::Unsaved
               || file.outcome == UndoneFile::Outcome::Failed;
    });
}

int print(const UndoReport &report, UndoRequest::Way way)
{
    for (const UndoneFile &file : report.files) {
        std::printf("%-10s %s%s%s\n", wordFor(file.outcome, way), visibleText(file.path).constData(),
                    file.note.isEmpty() ? "" : ": ", file.note.constData());
    }
    if (way == UndoRequest::Way::CarryOut) {
        std::printf("What this overwrote is saved: the same command brings it back.\n");
    }
    std::printf("This covers what the file tools changed, not what commands did.\n");
    return isWhole(report) ? Done : Failed;
}

UndoRequest requestOf(const SessionsFlags &flags)
{
    UndoRequest request;
    if (flags.fromTurn > 0) {
        request.fromTurn = flags.fromTurn;
    }
    request.onConflict = flags.force ? OnConflict::Overwrite : OnConflict::Keep;
    request.way = flags.showOnly ? UndoRequest::Way::Show : UndoRequest::Way::CarryOut;
    return request;
}

int undo(const SessionStore &store, const CommandLine &line)
{
    const auto composition = Composition::create(line, {}, nullptr);
    if (!composition) {
        return reportError(composition.error());
    }
    const auto session = AgentSession::resume(store, QByteArray::fromStdString(line.sessions.id),
                                              QByteArray::fromStdString((*composition)->policy().workspace()),
                                              AgentSession::Elsewhere::Refused);
    if (!session) {
        return fail(session.error());
    }
    const UndoRequest request = requestOf(line.sessions);
    std::optional<ToolOutcome<UndoReport>> report;
    const std::optional<Error> refused = (*composition)->runConfined([&](const ToolSession &tools) {
        report = (*session)->checkpoints().undo(tools.guard(), request);
    });
    if (refused) {
        return reportError(*refused);
    }
    return *report ? print(**report, request.way) : fail(report->error());
}

} // namespace

int sessionsCommand(const CommandLine &line)
{
    const Result<std::string> stateFolder = createStateFolder();
    if (!stateFolder) {
        return reportError(stateFolder.error());
    }
    const ToolOutcome<SessionStore> store = SessionStore::open(QByteArray::fromStdString(*stateFolder));
    if (!store) {
        return fail(store.error());
    }
    const QByteArray id = QByteArray::fromStdString(line.sessions.id);
    switch (line.sessions.act) {
    case SessionsFlags::Act::List:
        return list(*store, line.format);
    case SessionsFlags::Act::Show:
        return show(*store, id);
    case SessionsFlags::Act::Remove:
        return remove(*store, id);
    case SessionsFlags::Act::Undo:
        return undo(*store, line);
    }
    return Done;
}

} // namespace spettro
