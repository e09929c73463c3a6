#pragma once

#include "app/agent/AgentLoop.h"
#include "app/agent/WorkspaceState.h"
#include "app/agent/session/SessionHistory.h"

#include <QElapsedTimer>
#include <QTimer>

#include <chrono>
#include <thread>

namespace spettro {

/// Where a goal run stops at the latest.
struct GoalLimits
{
    int iterations = 50;
    std::chrono::milliseconds time{std::chrono::hours(4)};
    qint64 tokens = 0; ///< Of all requests, in and out; 0: no limit.
};

/// How a goal run ended.
struct GoalEnd
{
    enum class Reason { Complete, Stalled, LimitReached, Interrupted, Failed, Refused };

    Reason reason = Reason::Failed;
    QByteArray message; ///< Why, for the operator; the model's own summary where complete.
    int iterations = 0;
    std::chrono::milliseconds time{0};
    Usage usage;
    QList<QByteArray> changedFiles; ///< Against the beginning, whoever changed them.
};

/// One word for it, e.g. `complete`.
QByteArray toText(GoalEnd::Reason reason);

/// Works on a goal without a person: a turn of the agent after the other, until the model calls `goal-complete`, nothing in the
/// workspace has changed over three turns, a limit is reached, or somebody interrupts.
class GoalRun : public QObject
{
    Q_OBJECT

public:
    /// `loop` has to outlive this; `workspace` is a descriptor of the folder, and stays open as long.
    GoalRun(AgentLoop &loop, QByteArray goal, GoalLimits limits, int workspace);
    ~GoalRun() override;

    /// Before `start`: earlier runs have come so far, and count towards all limits.
    void continueFrom(const GoalProgress &earlier);

    /// Begins. `ended` comes exactly once, later.
    void start();
    void interrupt() { stop(GoalEnd::Reason::Interrupted, "interrupted"); }

    /// Ends soon, commands that run with it.
    void stop(GoalEnd::Reason reason, const QByteArray &why);

    /// Since the goal was begun, with earlier runs.
    std::chrono::milliseconds elapsed() const;

signals:
    void iterationStarted(int number);
    void ended(const spettro::GoalEnd &end);

private:
    void takeCall(const CallPart &call, const ToolResult &result);
    void takeTurn(const TurnEnd &turn);
    void takeState(const WorkspaceState &state);
    void readWorkspace();
    void nextIteration();
    void checkTokens();
    void checkLimits();
    Usage usage() const;
    std::optional<GoalEnd> endAfter(const TurnEnd &turn) const;

    AgentLoop &m_loop;
    QByteArray m_goal;
    GoalLimits m_limits;
    int m_workspace = -1;
    std::optional<GoalProgress> m_earlier;
    int m_iterations = 0; ///< With those of earlier runs.
    bool m_isFirst = true;
    QElapsedTimer m_elapsed;
    QTimer m_timeLimit;
    std::optional<WorkspaceState> m_baseline;
    WorkspaceState m_state;
    int m_unchanged = 0; ///< Turns in a row.
    std::optional<QByteArray> m_summary;
    std::optional<GoalEnd> m_stop; ///< What an interruption of the turn that runs is for.
    std::optional<GoalEnd> m_end;  ///< Once it is certain.
    std::jthread m_reading;
};

} // namespace spettro
