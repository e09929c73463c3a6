#include "app/agent/AgentSession.h"

#include "tools/text/SafeText.h"

#include <cerrno>

namespace spettro {

namespace {

ToolError notHere(const SessionLog &log, const QByteArray &workspace)
{
    const QByteArray own =
        log.workspace() ? visibleText(*log.workspace()) : QByteArray("a folder that it has lost");
    return {"session " + log.id() + " belongs to " + own + ", not to " + visibleText(workspace)
                + "; go there or use --cwd (to go on with it in this folder: --resume-here)",
            EXDEV};
}

} // namespace

ToolOutcome<std::unique_ptr<AgentSession>> AgentSession::begin(const SessionStore &store,
                                                               const QByteArray &workspace)
{
    ToolOutcome<SessionLog> log = store.create(workspace);
    return log ? open(std::move(log).value(), {}) : log.error();
}

ToolOutcome<std::unique_ptr<AgentSession>> AgentSession::resume(const SessionStore &store,
                                                                const QByteArray &id,
                                                                const QByteArray &workspace,
                                                                Elsewhere elsewhere)
{
    const ToolOutcome<QByteArray> which = id.isEmpty() ? store.lastIn(workspace) : id;
    if (!which) {
        return which.error();
    }
    SessionHistory history;
    ToolOutcome<SessionLog> log = store.resume(*which, [&history](Json &&record) { history.take(record); });
    if (!log) {
        return log.error();
    }
    if (log->workspace() != workspace) {
        if (elsewhere == Elsewhere::Refused) {
            return notHere(*log, workspace);
        }
        if (const std::optional<ToolError> error = log.value().enterWorkspace(workspace)) {
            return *error;
        }
    }
    return open(std::move(log).value(), std::move(history));
}

ToolOutcome<std::unique_ptr<AgentSession>> AgentSession::open(SessionLog log, SessionHistory history)
{
    ToolOutcome<std::unique_ptr<CheckpointStore>> checkpoints = CheckpointStore::open(log);
    if (!checkpoints) {
        return checkpoints.error();
    }
    return std::unique_ptr<AgentSession>(
        new AgentSession(std::move(log), std::move(checkpoints).value(), std::move(history)));
}

AgentSession::AgentSession(SessionLog log, std::unique_ptr<CheckpointStore> checkpoints,
                           SessionHistory history)
    : m_log(std::move(log)), m_checkpoints(std::move(checkpoints)), m_history(std::move(history))
{}

} // namespace spettro
