#pragma once

#include "app/agent/AgentSession.h"
#include "app/agent/GoalRun.h"

#include <QObject>

namespace spettro {

/// What a run is started with, for the record.
struct RunStart
{
    QByteArray model;
    QByteArray bounds; ///< The policy's tag.
    QByteArray permission;
};

/// Writes down what happens in a session as it happens, and brings it to the disk at the end of each turn.
class SessionRecorder : public QObject
{
    Q_OBJECT

public:
    /// All have to outlive this.
    SessionRecorder(AgentSession &session, AgentLoop &loop, PermissionGate &gate);

    /// Records when each call begins and how it ends, too. (What was called and what came of it is in the messages.)
    void followCalls(AgentLoop &loop);

    void begin(const RunStart &start);

    /// Records a goal run, too. Each of its iterations is a turn that can be undone.
    void follow(GoalRun &run);

    /// A new goal begins.
    void beginGoal(const QByteArray &goal);

signals:
    /// Something could not be written down (a full disk): nothing more must be asked or done. Comes once.
    void failed(const QByteArray &why);

private:
    void append(const QByteArray &type, const Json &members);
    void takeResult(const CallPart &call, const ToolResult &result);
    void takeTurn(const TurnEnd &end);
    void takeEnd(const GoalEnd &end);
    void check(const std::optional<ToolError> &error);

    AgentSession &m_session;
    bool m_hasFailed = false;
};

} // namespace spettro
