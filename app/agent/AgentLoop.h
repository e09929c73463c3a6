#pragma once

#include "app/agent/RepetitionWatch.h"
#include "app/agent/context/Compaction.h"
#include "app/agent/context/ContextGauge.h"
#include "app/llm/Model.h"
#include "tools/ToolDispatcher.h"

#include <QObject>

#include <map>
#include <optional>

namespace spettro {

/// What every request says besides the conversation.
struct AgentSettings
{
    QByteArray model = {};  ///< As the server knows it; the scripted model needs none.
    QByteArray system = {}; ///< The system prompt.
    std::optional<int> maxOutputTokens = std::nullopt;
    qint64 contextTokens = 0; ///< What the model takes in at once; 0: not known, its server's error tells.
    int maxRequests =
        200; ///< In one turn: far more than honest work needs, far less than a night of circles.
};

/// Why a turn of the agent is over.
struct TurnEnd
{
    enum class Reason {
        Answered, ///< The model had nothing more to call.
        Interrupted,
        ModelFailed, ///< There is no answer of the model.
        Repeated,    ///< The model went round in circles.
        Exhausted,   ///< The limit of requests.
        Refused,     ///< What keeps commands in bounds cannot be had any more: nothing was run.
    };

    Reason reason = Reason::Answered;
    QByteArray message; ///< For the operator; empty where answered.
};

/// The conversation with a model: asks it, carries out what it calls for, gives it the results, until it has nothing more to
/// call. Messages are only ever added, so that a server's cache of the beginning stays good.
///
/// Calls of one answer that only read run at the same time; every other call runs alone and in its place, since a model
/// means them in this order.
class AgentLoop : public QObject
{
    Q_OBJECT

public:
    /// All have to outlive this.
    AgentLoop(Model &model, const ToolRegistry &registry, ToolDispatcher &dispatcher, AgentSettings settings);

    /// Before the first turn: the conversation of a session that is gone on with.
    void restore(Conversation conversation) { m_conversation = std::move(conversation); }

    /// What stays word for word in every compaction: the goal.
    void pin(const QByteArray &text) { m_pinned = text; }

    /// Adds what a person says and begins a turn. `ended` comes for it exactly once, later; only then may the next begin.
    void run(const QByteArray &text);

    /// Says something while a turn runs: the model gets it with the next request.
    void steer(const QByteArray &text) { m_steering.append(text); }

    /// Ends the turn when the calls of the last answer are done, without asking again.
    void endAfterStep() { m_isLastStep = true; }

    /// Ends the turn soon, commands that run with it. Calls that had begun get a result that says so.
    void interrupt();

    bool isRunning() const { return m_isRunning; }
    const Conversation &conversation() const { return m_conversation; }

    /// The sum over all requests, failed tries and compactions too. Where a server does not say, it is estimated; `isKnown`
    /// is whether any has said.
    Usage usage() const { return m_usage; }

signals:
    void requestStarted();
    /// The conversation is too long for the model's window and is made shorter.
    void compactionStarted(qint64 tokens, qint64 window);
    /// It was replaced by a shorter one; `summary` may be empty.
    void compacted(const spettro::Conversation &conversation, const QByteArray &summary);
    void textArrived(const QByteArray &text);
    void reasoningArrived(const QByteArray &text);
    void retrying(const QByteArray &why, std::chrono::milliseconds after);
    void callStarted(const spettro::CallPart &call);
    void callOutputArrived(const spettro::CallPart &call, const QByteArray &text);
    void callFinished(const spettro::CallPart &call, const spettro::ToolResult &result);
    /// A message is in the conversation for good.
    void messageAdded(const spettro::Message &message);
    void usageArrived(const spettro::Usage &usage);
    void ended(const spettro::TurnEnd &end);

private:
    static constexpr int LongAgo = 1000;

    void ask();
    void addSteering();
    void send(const ModelRequest &request);
    void compact(qint64 window);
    void takeCompaction(const Compaction::Step &step);
    void takeOutcome(const ModelOutcome &outcome);
    void count(const ModelOutcome &outcome);
    void takeAnswer(const ModelReply &reply);
    void takeError(const ModelError &error);
    bool nudge(const Message &message);
    void startCalls();
    bool startCall(const CallPart &call);
    void takeResult(int number, const ToolResult &result);
    void addResult(const CallPart &call, const ToolResult &result);
    void finishStep();
    void end(const TurnEnd &end);
    void endSoon(const TurnEnd &end);
    bool isReading(const QByteArray &tool) const;
    void add(Message message);

    Model &m_model;
    const ToolRegistry &m_registry;
    ToolDispatcher &m_dispatcher;
    AgentSettings m_settings;
    Conversation m_conversation;
    Usage m_usage;
    ContextGauge m_gauge;
    QByteArray m_pinned;
    std::optional<Compaction> m_compaction; ///< The one that runs.
    int m_stepsSinceCompaction = LongAgo;
    int m_hastyCompactions = 0; ///< In a row, with hardly a step between.
    int m_requests = 0;         ///< Of this turn.
    int m_nudges = 0;           ///< Of this turn.
    RepetitionWatch m_repetition;
    QList<QByteArray> m_steering;
    QList<CallPart> m_todo;                  ///< Calls of the last answer that have not begun.
    QList<CallPart> m_calls;                 ///< All of them, in their order.
    std::map<int, CallPart> m_running;       ///< By the dispatcher's number.
    QHash<QByteArray, ToolResult> m_results; ///< By the call's id.
    QByteArray m_refusal;
    bool m_isRunning = false;
    bool m_isInterrupted = false;
    bool m_isLastStep = false;
};

} // namespace spettro
