#include "app/agent/GoalRun.h"

#include "app/agent/GoalCompleteTool.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr int StallAfter = 3; // turns that changed nothing

constexpr const char *GoOn = "The goal is not marked as complete. Go on with the next step; there is nobody "
                             "to ask. If everything is done, check it "
                             "and call goal-complete. If something is in the way, find another way.";

constexpr const char *GoOnAgain =
    "The work on this goal was interrupted and goes on now. What was running then may "
    "have been done in part: look at how things are before you go on. The goal: ";

GoalEnd endFor(GoalEnd::Reason reason, const QByteArray &message)
{
    return {reason, message, 0, {}, {}, {}};
}

QByteArray minutes(std::chrono::milliseconds time)
{
    return QByteArray::number(static_cast<double>(time.count()) / 60'000.0, 'g', 4) + " minutes";
}

} // namespace

QByteArray toText(GoalEnd::Reason reason)
{
    switch (reason) {
    case GoalEnd::Reason::Complete:
        return "complete";
    case GoalEnd::Reason::Stalled:
        return "stalled";
    case GoalEnd::Reason::LimitReached:
        return "limit reached";
    case GoalEnd::Reason::Interrupted:
        return "interrupted";
    case GoalEnd::Reason::Failed:
        return "failed";
    case GoalEnd::Reason::Refused:
        return "not run";
    }
    return {};
}

GoalRun::GoalRun(AgentLoop &loop, QByteArray goal, GoalLimits limits, int workspace)
    : m_loop(loop), m_goal(std::move(goal)), m_limits(limits), m_workspace(workspace)
{
    m_loop.pin(m_goal);
    m_timeLimit.setSingleShot(true);
    connect(&m_timeLimit, &QTimer::timeout, this,
            [this] { stop(GoalEnd::Reason::LimitReached, "the limit of " + minutes(m_limits.time)); });
    connect(&m_loop, &AgentLoop::callFinished, this, &GoalRun::takeCall);
    connect(&m_loop, &AgentLoop::usageArrived, this, &GoalRun::checkLimits);
    connect(&m_loop, &AgentLoop::ended, this, &GoalRun::takeTurn);
}

GoalRun::~GoalRun() = default;

void GoalRun::continueFrom(const GoalProgress &earlier)
{
    m_earlier = earlier;
    m_iterations = earlier.iterations;
}

void GoalRun::start()
{
    m_elapsed.start();
    m_timeLimit.start(std::max(m_limits.time - elapsed(), std::chrono::milliseconds(0)));
    checkLimits();
    readWorkspace();
}

void GoalRun::stop(GoalEnd::Reason reason, const QByteArray &why)
{
    if (m_stop || m_end) {
        return;
    }
    m_stop = endFor(reason, why);
    if (m_loop.isRunning()) {
        m_loop.interrupt();
    } else {
        m_end = m_stop;
        m_reading.request_stop();
    }
}

std::chrono::milliseconds GoalRun::elapsed() const
{
    return std::chrono::milliseconds(m_elapsed.elapsed())
           + (m_earlier ? m_earlier->time : std::chrono::milliseconds(0));
}

void GoalRun::takeCall(const CallPart &call, const ToolResult &result)
{
    if (call.name == GoalCompleteTool::Name && result.ok) {
        const Json input = Json::parse(call.arguments.constData(), nullptr, false);
        m_summary = QByteArray::fromStdString(input.value("summary", std::string()));
        m_loop.endAfterStep();
    }
}

void GoalRun::takeTurn(const TurnEnd &turn)
{
    m_end = endAfter(turn);
    readWorkspace();
}

/// The end that a turn's end is; nothing where the run may go on.
std::optional<GoalEnd> GoalRun::endAfter(const TurnEnd &turn) const
{
    switch (turn.reason) {
    case TurnEnd::Reason::Answered:
    case TurnEnd::Reason::Exhausted:
        if (m_summary) {
            return endFor(GoalEnd::Reason::Complete, *m_summary);
        }
        return std::nullopt;
    case TurnEnd::Reason::Interrupted:
        return m_stop.value_or(endFor(GoalEnd::Reason::Interrupted, turn.message));
    case TurnEnd::Reason::ModelFailed:
    case TurnEnd::Reason::Repeated:
        return endFor(GoalEnd::Reason::Failed, turn.message);
    case TurnEnd::Reason::Refused:
        return endFor(GoalEnd::Reason::Refused, turn.message);
    }
    return std::nullopt;
}

/// Reads the workspace on a thread of its own; `takeState` comes of it.
void GoalRun::readWorkspace()
{
    m_reading = std::jthread([this](const std::stop_token &token) {
        const WorkspaceState state =
            WorkspaceState::read(m_workspace, [token] { return token.stop_requested(); });
        QMetaObject::invokeMethod(
            this, [this, state] { takeState(state); }, Qt::QueuedConnection);
    });
}

void GoalRun::takeState(const WorkspaceState &state)
{
    m_unchanged = m_baseline && state == m_state ? m_unchanged + 1 : 0;
    m_baseline = m_baseline.value_or(state);
    m_state = state;
    if (!m_end && m_unchanged >= StallAfter) {
        m_end = endFor(GoalEnd::Reason::Stalled, "nothing in the project changed over "
                                                     + QByteArray::number(StallAfter) + " iterations");
    }
    if (!m_end && m_iterations >= m_limits.iterations) {
        m_end = endFor(GoalEnd::Reason::LimitReached,
                       "the limit of " + QByteArray::number(m_limits.iterations) + " iterations");
    }
    if (!m_end) {
        nextIteration();
        return;
    }
    m_timeLimit.stop();
    m_end->iterations = m_iterations;
    m_end->time = elapsed();
    m_end->usage = usage();
    m_end->changedFiles = m_state.changesSince(*m_baseline);
    emit ended(*m_end);
}

void GoalRun::nextIteration()
{
    ++m_iterations;
    emit iterationStarted(m_iterations);
    if (m_isFirst) {
        m_loop.run(m_earlier ? GoOnAgain + m_goal : m_goal);
    } else {
        m_loop.run(GoOn);
    }
    m_isFirst = false;
}

Usage GoalRun::usage() const
{
    Usage sum = m_loop.usage();
    if (m_earlier) {
        sum.input += m_earlier->usage.input;
        sum.cachedInput += m_earlier->usage.cachedInput;
        sum.output += m_earlier->usage.output;
        sum.isKnown = sum.isKnown || m_earlier->usage.isKnown;
    }
    return sum;
}

void GoalRun::checkLimits()
{
    const Usage used = usage();
    if (m_limits.tokens > 0 && used.input + used.output >= m_limits.tokens) {
        stop(GoalEnd::Reason::LimitReached,
             "the limit of " + QByteArray::number(m_limits.tokens) + " tokens");
    }
}

} // namespace spettro
