#include "app/agent/GoalRun.h"

#include "app/agent/GoalCompleteTool.h"

namespace spettro {

namespace {

constexpr int StallAfter = 3; // turns that changed nothing

constexpr const char *GoOn = "The goal is not marked as complete. Go on with the next step; there is nobody "
                             "to ask. If everything is done, check it "
                             "and call goal-complete. If something is in the way, find another way.";

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
    m_timeLimit.setSingleShot(true);
    connect(&m_timeLimit, &QTimer::timeout, this, [this] {
        stopFor("the limit of "
                + QByteArray::number(static_cast<double>(m_limits.time.count()) / 60'000.0, 'g', 4)
                + " minutes");
    });
    connect(&m_loop, &AgentLoop::callFinished, this, &GoalRun::takeCall);
    connect(&m_loop, &AgentLoop::usageArrived, this, &GoalRun::checkTokens);
    connect(&m_loop, &AgentLoop::ended, this, &GoalRun::takeTurn);
}

GoalRun::~GoalRun() = default;

void GoalRun::start()
{
    m_elapsed.start();
    m_timeLimit.start(m_limits.time);
    readWorkspace();
}

void GoalRun::interrupt()
{
    if (m_loop.isRunning()) {
        m_loop.interrupt();
    } else if (!m_end) {
        m_end = GoalEnd{GoalEnd::Reason::Interrupted, "interrupted", 0, {}, {}, {}};
        m_reading.request_stop();
    }
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
    const auto ended = [](GoalEnd::Reason reason, const QByteArray &message) {
        return GoalEnd{reason, message, 0, {}, {}, {}};
    };
    switch (turn.reason) {
    case TurnEnd::Reason::Answered:
        if (m_summary) {
            return ended(GoalEnd::Reason::Complete, *m_summary);
        }
        if (m_iterations >= m_limits.iterations) {
            return ended(GoalEnd::Reason::LimitReached,
                         "the limit of " + QByteArray::number(m_limits.iterations) + " iterations");
        }
        return std::nullopt;
    case TurnEnd::Reason::Interrupted:
        return m_limit.isEmpty() ? ended(GoalEnd::Reason::Interrupted, turn.message)
                                 : ended(GoalEnd::Reason::LimitReached, m_limit);
    case TurnEnd::Reason::ModelFailed:
    case TurnEnd::Reason::Repeated:
        return ended(GoalEnd::Reason::Failed, turn.message);
    case TurnEnd::Reason::Refused:
        return ended(GoalEnd::Reason::Refused, turn.message);
    }
    return std::nullopt;
}

/// Reads the workspace on a thread of its own; `takeState` comes of it.
void GoalRun::readWorkspace()
{
    m_reading = std::jthread([this](const std::stop_token &stop) {
        const WorkspaceState state =
            WorkspaceState::read(m_workspace, [stop] { return stop.stop_requested(); });
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
        m_end =
            GoalEnd{GoalEnd::Reason::Stalled,
                    "nothing in the project changed over " + QByteArray::number(StallAfter) + " iterations",
                    0,
                    {},
                    {},
                    {}};
    }
    if (!m_end) {
        nextIteration();
        return;
    }
    m_timeLimit.stop();
    m_end->iterations = m_iterations;
    m_end->time = std::chrono::milliseconds(m_elapsed.elapsed());
    m_end->usage = m_loop.usage();
    m_end->changedFiles = m_state.changesSince(*m_baseline);
    emit ended(*m_end);
}

void GoalRun::nextIteration()
{
    ++m_iterations;
    emit iterationStarted(m_iterations);
    m_loop.run(m_iterations == 1 ? m_goal : QByteArray(GoOn));
}

void GoalRun::checkTokens()
{
    const qint64 used = m_loop.usage().input + m_loop.usage().output;
    if (m_limits.tokens > 0 && used >= m_limits.tokens) {
        stopFor("the limit of " + QByteArray::number(m_limits.tokens) + " tokens");
    }
}

void GoalRun::stopFor(const QByteArray &limit)
{
    m_limit = limit;
    interrupt();
    if (m_end && m_end->reason == GoalEnd::Reason::Interrupted) {
        m_end->reason = GoalEnd::Reason::LimitReached;
        m_end->message = limit;
    }
}

} // namespace spettro
