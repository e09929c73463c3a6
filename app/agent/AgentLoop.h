#pragma once

#include "app/agent/RepetitionWatch.h"
#include "app/llm/Model.h"
#include "tools/ToolDispatcher.h"

#include <QObject>

#include <map>
#include <optional>

namespace spettro {

/// What every request says besides the conversation.
struct AgentSettings
{
    QByteArray model;  ///< As the server knows it; the scripted model needs none.
    QByteArray system; ///< The system prompt.
    std::optional<int> maxOutputTokens;
};

/// Why a turn of the agent is over.
struct TurnEnd
{
    enum class Reason {
        Answered, ///< The model had nothing more to call.
        Interrupted,
        ModelFailed, ///< There is no answer of the model.
        Repeated,    ///< The model went round in circles.
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
    Usage usage() const { return m_usage; } ///< The sum over all requests.

signals:
    void requestStarted();
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
    void ask();
    void takeAnswer(const ModelOutcome &outcome);
    void startCalls();
    bool startCall(const CallPart &call);
    void takeResult(int number, const ToolResult &result);
    void addResult(const CallPart &call, const ToolResult &result);
    void finishStep();
    void end(const TurnEnd &end);
    bool isReading(const QByteArray &tool) const;
    void add(Message message);

    Model &m_model;
    const ToolRegistry &m_registry;
    ToolDispatcher &m_dispatcher;
    AgentSettings m_settings;
    Conversation m_conversation;
    Usage m_usage;
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
