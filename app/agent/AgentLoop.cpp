#include "app/agent/AgentLoop.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr std::size_t MostAtOnce = 8;

constexpr const char *Interrupted = "interrupted; it may have had effects";

QByteArray textFor(const ToolResult &result)
{
    return QByteArray::fromStdString(result.json().dump(-1, ' ', false, Json::error_handler_t::replace));
}

QList<ToolDeclaration> declarations(const ToolRegistry &registry)
{
    QList<ToolDeclaration> made;
    for (const auto &tool : registry.tools()) {
        made.append({tool->name(), tool->description(), tool->schema()});
    }
    return made;
}

} // namespace

AgentLoop::AgentLoop(Model &model, const ToolRegistry &registry, ToolDispatcher &dispatcher,
                     AgentSettings settings)
    : m_model(model), m_registry(registry), m_dispatcher(dispatcher), m_settings(std::move(settings))
{
    connect(&m_model, &Model::finished, this, &AgentLoop::takeAnswer);
    connect(&m_model, &Model::textArrived, this, &AgentLoop::textArrived);
    connect(&m_model, &Model::reasoningArrived, this, &AgentLoop::reasoningArrived);
    connect(&m_model, &Model::retrying, this, &AgentLoop::retrying);
    connect(&m_dispatcher, &ToolDispatcher::finished, this, &AgentLoop::takeResult);
    connect(&m_dispatcher, &ToolDispatcher::outputArrived, this, [this](int number, const QByteArray &text) {
        if (const auto call = m_running.find(number); call != m_running.end()) {
            emit callOutputArrived(call->second, text);
        }
    });
}

void AgentLoop::run(const QByteArray &text)
{
    m_isRunning = true;
    m_isInterrupted = false;
    m_isLastStep = false;
    m_refusal.clear();
    add({Message::Role::User, {TextPart{text}}});
    ask();
}

void AgentLoop::interrupt()
{
    m_isInterrupted = m_isRunning;
    m_model.cancel();
    m_dispatcher.cancelAll();
}

void AgentLoop::ask()
{
    if (!m_steering.isEmpty()) {
        Message message{Message::Role::User, {}};
        for (const QByteArray &text : std::exchange(m_steering, {})) {
            message.parts.append(TextPart{text});
        }
        add(message);
    }
    emit requestStarted();
    m_model.ask({m_settings.model, m_settings.system, declarations(m_registry), m_conversation,
                 m_settings.maxOutputTokens});
}

void AgentLoop::takeAnswer(const ModelOutcome &outcome)
{
    const Usage usage = std::visit([](const auto &either) { return either.usage; }, outcome);
    m_usage.input += usage.input;
    m_usage.cachedInput += usage.cachedInput;
    m_usage.output += usage.output;
    m_usage.isKnown = m_usage.isKnown || usage.isKnown;
    emit usageArrived(usage);
    if (const auto *error = std::get_if<ModelError>(&outcome)) {
        end({m_isInterrupted ? TurnEnd::Reason::Interrupted : TurnEnd::Reason::ModelFailed, error->message});
        return;
    }
    const Message &message = std::get<ModelReply>(outcome).message;
    add(message);
    for (const Part &part : message.parts) {
        if (const auto *call = std::get_if<CallPart>(&part)) {
            m_calls.append(*call);
        }
    }
    m_todo = m_calls;
    if (m_calls.isEmpty() && m_steering.isEmpty()) {
        end({m_isInterrupted ? TurnEnd::Reason::Interrupted : TurnEnd::Reason::Answered, {}});
    } else if (m_calls.isEmpty()) {
        ask();
    } else {
        startCalls();
    }
}

/// Starts as many of the calls that are left as may run beside each other; the step is over where none is left.
void AgentLoop::startCalls()
{
    while (!m_todo.isEmpty()) {
        const CallPart call = m_todo.first();
        const bool mayJoin = isReading(call.name) && m_running.size() < MostAtOnce
                             && std::all_of(m_running.begin(), m_running.end(), [this](const auto &running) {
                                    return isReading(running.second.name);
                                });
        if (!m_running.empty() && !mayJoin) {
            return;
        }
        m_todo.removeFirst();
        if (m_isInterrupted) {
            addResult(call, ToolResult::failure({"interrupted before it began"}));
        } else if (!call.problem.isEmpty()) {
            addResult(call, ToolResult::failure({call.problem}));
        } else {
            m_running.emplace(m_dispatcher.submit({call.name, call.arguments}), call);
            emit callStarted(call);
        }
    }
    if (m_running.empty()) {
        finishStep();
    }
}

void AgentLoop::takeResult(int number, const ToolResult &result)
{
    const auto running = m_running.find(number);
    if (running == m_running.end()) {
        return; // somebody else's call
    }
    const CallPart call = running->second;
    m_running.erase(running);
    if (!result.refusal.isEmpty()) {
        m_refusal = result.refusal;
    }
    addResult(call, m_isInterrupted && !result.ok ? ToolResult::failure({Interrupted}) : result);
    startCalls();
}

void AgentLoop::addResult(const CallPart &call, const ToolResult &result)
{
    m_results.insert(call.id, result);
    emit callFinished(call, result);
}

/// Gives the results to the conversation, in the order of the calls, and goes on.
void AgentLoop::finishStep()
{
    Message message{Message::Role::User, {}};
    for (const CallPart &call : std::exchange(m_calls, {})) {
        const ToolResult result = m_results.take(call.id);
        const ResultPart part{call.id, textFor(result), !result.ok};
        const Tool *tool = m_registry.find(call.name);
        m_repetition.add(call, part, tool && tool->kind() == PermissionRequest::Change);
        message.parts.append(part);
    }
    const RepetitionWatch::Verdict verdict = m_repetition.endStep();
    if (verdict == RepetitionWatch::Verdict::Warn) {
        message.parts.append(TextPart{"Note: " + m_repetition.description()
                                      + ". Repeating it will not help; find out why, or go another way."});
    }
    add(message);
    if (m_isInterrupted) {
        end({TurnEnd::Reason::Interrupted, "interrupted"});
    } else if (!m_refusal.isEmpty()) {
        end({TurnEnd::Reason::Refused, m_refusal});
    } else if (verdict == RepetitionWatch::Verdict::Stop) {
        end({TurnEnd::Reason::Repeated, m_repetition.description()});
    } else if (m_isLastStep) {
        end({TurnEnd::Reason::Answered, {}});
    } else {
        ask();
    }
}

void AgentLoop::end(const TurnEnd &end)
{
    m_isRunning = false;
    emit ended(end);
}

bool AgentLoop::isReading(const QByteArray &tool) const
{
    const Tool *found = m_registry.find(tool);
    return found && found->kind() == PermissionRequest::Read;
}

void AgentLoop::add(Message message)
{
    m_conversation.append(std::move(message));
    emit messageAdded(m_conversation.last());
}

} // namespace spettro
