#include "app/agent/SessionRecorder.h"

#include "app/agent/session/MessageRecord.h"
#include "app/agent/session/RecordText.h"
#include "app/agent/session/SessionRecord.h"

namespace spettro {

namespace {

std::string textOf(const QByteArray &text)
{
    return text.toStdString();
}

const char *nameOf(ApprovalAnswer::Kind kind)
{
    switch (kind) {
    case ApprovalAnswer::AllowOnce:
        return "once";
    case ApprovalAnswer::AllowAlways:
        return "always";
    case ApprovalAnswer::Deny:
    case ApprovalAnswer::DenyWithInstruction:
        return "denied";
    }
    return "";
}

const char *nameOf(TurnEnd::Reason reason)
{
    switch (reason) {
    case TurnEnd::Reason::Answered:
        return "answered";
    case TurnEnd::Reason::Interrupted:
        return "interrupted";
    case TurnEnd::Reason::ModelFailed:
        return "model failed";
    case TurnEnd::Reason::Repeated:
        return "repeated";
    case TurnEnd::Reason::Exhausted:
        return "limit reached";
    case TurnEnd::Reason::Refused:
        return "not run";
    }
    return "";
}

} // namespace

SessionRecorder::SessionRecorder(AgentSession &session, AgentLoop &loop, PermissionGate &gate)
    : m_session(session)
{
    connect(&loop, &AgentLoop::messageAdded, this,
            [this](const Message &message) { append("message", messageJson(message)); });
    connect(&loop, &AgentLoop::usageArrived, this, [this](const Usage &usage) {
        append("usage", {{"input", usage.input},
                         {"cached_input", usage.cachedInput},
                         {"output", usage.output},
                         {"estimated", !usage.isKnown}});
    });
    connect(&loop, &AgentLoop::compacted, this,
            [this](const Conversation &conversation, const QByteArray &summary) {
                Json messages = Json::array();
                for (const Message &message : conversation) {
                    messages.push_back(messageJson(message));
                }
                append("compaction", {{"messages", std::move(messages)}, {"summary", textOf(summary)}});
            });
    connect(&loop, &AgentLoop::ended, this, &SessionRecorder::takeTurn);
    connect(&gate, &PermissionGate::answered, this,
            [this](const ApprovalQuestion &question, const ApprovalAnswer &answer) {
                append("approval", {{"tool", textOf(question.tool)},
                                    {"what", question.what.toStdString()},
                                    {"answer", nameOf(answer.kind)}});
            });
}

void SessionRecorder::followCalls(AgentLoop &loop)
{
    connect(&loop, &AgentLoop::callStarted, this, [this](const CallPart &call) {
        append("call", {{"id", textOf(call.id)}, {"tool", textOf(call.name)}});
    });
    connect(&loop, &AgentLoop::callFinished, this, &SessionRecorder::takeResult);
}

void SessionRecorder::begin(const RunStart &start)
{
    append("run", {{"model", textOf(start.model)},
                   {"bounds", textOf(start.bounds)},
                   {"permission", textOf(start.permission)}});
}

void SessionRecorder::beginGoal(const QByteArray &goal)
{
    append(GoalRecordType, {{"text", textOf(goal)}});
}

void SessionRecorder::follow(GoalRun &run)
{
    connect(&run, &GoalRun::iterationStarted, this, [this, &run](int number) {
        append("iteration", {{"number", number},
                             {"time_ms", run.elapsed().count()},
                             {"checkpoint", m_session.checkpoints().beginTurn()}});
    });
    connect(&run, &GoalRun::ended, this, &SessionRecorder::takeEnd);
}

void SessionRecorder::takeResult(const CallPart &call, const ToolResult &result)
{
    Json members{{"id", textOf(call.id)}, {"tool", textOf(call.name)}, {"ok", result.ok}};
    if (!result.ok) {
        members["error"] = textOf(result.error);
        members["refused"] = result.wasRefused;
    }
    append("result", members);
}

void SessionRecorder::takeTurn(const TurnEnd &end)
{
    append("turn", {{"result", nameOf(end.reason)}, {"message", textOf(end.message)}});
    check(m_session.log().endTurn());
}

void SessionRecorder::takeEnd(const GoalEnd &end)
{
    Json files = Json::array();
    for (const QByteArray &file : end.changedFiles) {
        files.push_back(encodedPath(file));
    }
    append("end", {{"result", textOf(toText(end.reason))},
                   {"message", textOf(end.message)},
                   {"number", end.iterations},
                   {"time_ms", end.time.count()},
                   {"changed_files", std::move(files)}});
    check(m_session.log().endTurn());
}

void SessionRecorder::append(const QByteArray &type, const Json &members)
{
    if (!m_hasFailed) {
        check(m_session.log().append(type, members));
    }
}

void SessionRecorder::check(const std::optional<ToolError> &error)
{
    if (error && !m_hasFailed) {
        m_hasFailed = true;
        emit failed(error->message);
    }
}

} // namespace spettro
