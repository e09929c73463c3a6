#include "app/agent/AgentLoop.h"

#include "app/agent/writtenCall.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr std::size_t MostAtOnce = 8;

constexpr int MostNudges = 2; // of one turn
constexpr qint64 TightPercent =
    80; // of the window: the rest is for the answer, and for estimates that were too low
constexpr qint64 SafePercent = 80; // of what was too much for the server
constexpr int WorkBetween = 3;     // steps between two compactions; fewer are no headway
constexpr int MostHasty = 2;

constexpr const char *Interrupted = "interrupted; it may have had effects";

QByteArray fullMessage(qint64 tokens, qint64 window)
{
    QByteArray text = "the conversation is too long for the model: about " + QByteArray::number(tokens);
    return text + (window > 0 ? " of " + QByteArray::number(window) : QByteArray()) + " tokens";
}

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
    : m_model(model), m_registry(registry), m_dispatcher(dispatcher), m_settings(std::move(settings)),
      m_gauge(estimatedTokens(m_settings.system)
              + estimatedTokens(QByteArray::fromStdString(registry.json().dump())))
{
    connect(&m_model, &Model::finished, this, &AgentLoop::takeOutcome);
    connect(&m_model, &Model::textArrived, this, [this](const QByteArray &text) {
        if (!m_compaction) {
            emit textArrived(text);
        }
    });
    connect(&m_model, &Model::reasoningArrived, this, [this](const QByteArray &text) {
        if (!m_compaction) {
            emit reasoningArrived(text);
        }
    });
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
    m_requests = 0;
    m_nudges = 0;
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

/// The next request: what was said meanwhile goes with it, and the conversation is made to fit first.
void AgentLoop::ask()
{
    addSteering();
    const qint64 window = m_settings.contextTokens;
    if (m_isInterrupted) {
        endSoon({TurnEnd::Reason::Interrupted, "interrupted"});
    } else if (m_requests >= m_settings.maxRequests) {
        endSoon({TurnEnd::Reason::Exhausted,
                 "the limit of " + QByteArray::number(m_settings.maxRequests) + " requests in one turn"});
    } else if (window > 0 && m_gauge.tokens(m_conversation) > window * TightPercent / 100) {
        compact(window);
    } else {
        send({m_settings.model, m_settings.system, declarations(m_registry), m_conversation,
              m_settings.maxOutputTokens});
    }
}

void AgentLoop::addSteering()
{
    if (m_steering.isEmpty()) {
        return;
    }
    Message message{Message::Role::User, {}};
    for (const QByteArray &text : std::exchange(m_steering, {})) {
        message.parts.append(TextPart{text});
    }
    add(message);
}

void AgentLoop::send(const ModelRequest &request)
{
    ++m_requests;
    emit requestStarted();
    m_model.ask(request);
}

/// Makes the conversation fit a window. Doing that again and again without work in between would go on for ever.
void AgentLoop::compact(qint64 window)
{
    const qint64 tokens = m_gauge.tokens(m_conversation);
    m_hastyCompactions = m_stepsSinceCompaction < WorkBetween ? m_hastyCompactions + 1 : 0;
    m_stepsSinceCompaction = 0;
    if (m_hastyCompactions >= MostHasty) {
        endSoon({TurnEnd::Reason::ModelFailed, fullMessage(tokens, window) + ", again and again"});
        return;
    }
    emit compactionStarted(tokens, window);
    m_compaction.emplace(CompactionTask{m_conversation, m_pinned, window, m_settings.model});
    takeCompaction(m_compaction->begin());
}

void AgentLoop::takeCompaction(const Compaction::Step &step)
{
    if (const auto *request = std::get_if<ModelRequest>(&step)) {
        send(*request);
        return;
    }
    m_compaction.reset();
    if (const auto *why = std::get_if<QByteArray>(&step)) {
        const QByteArray numbers = fullMessage(m_gauge.tokens(m_conversation), m_settings.contextTokens);
        endSoon({TurnEnd::Reason::ModelFailed, numbers + ", and " + *why});
        return;
    }
    const auto &shorter = std::get<Compacted>(step);
    m_conversation = shorter.conversation;
    m_gauge.reset();
    emit compacted(m_conversation, shorter.summary);
    ask();
}

void AgentLoop::takeOutcome(const ModelOutcome &outcome)
{
    count(outcome);
    const auto *error = std::get_if<ModelError>(&outcome);
    if (m_isInterrupted && (error || m_compaction)) {
        m_compaction.reset();
        end({TurnEnd::Reason::Interrupted, error ? error->message : QByteArray("interrupted")});
    } else if (m_compaction) {
        takeCompaction(m_compaction->take(outcome));
    } else if (error) {
        takeError(*error);
    } else {
        takeAnswer(std::get<ModelReply>(outcome));
    }
}

void AgentLoop::count(const ModelOutcome &outcome)
{
    Usage usage = std::visit([](const auto &either) { return either.usage; }, outcome);
    const auto *reply = std::get_if<ModelReply>(&outcome);
    if (reply && !m_compaction) {
        m_gauge.take(usage, m_conversation.size());
    }
    if (reply && !usage.isKnown) {
        usage = m_gauge.estimatedUsage(m_conversation, reply->message);
    }
    m_usage.input += usage.input;
    m_usage.cachedInput += usage.cachedInput;
    m_usage.output += usage.output;
    m_usage.isKnown = m_usage.isKnown || usage.isKnown;
    emit usageArrived(usage);
}

void AgentLoop::takeError(const ModelError &error)
{
    if (error.kind == ModelError::Kind::ContextTooLong) {
        // The window is smaller than was known: what was sent is more than all of it.
        compact(m_gauge.tokens(m_conversation) * SafePercent / 100);
        return;
    }
    end({TurnEnd::Reason::ModelFailed, error.message});
}

void AgentLoop::takeAnswer(const ModelReply &reply)
{
    add(reply.message);
    for (const Part &part : reply.message.parts) {
        if (const auto *call = std::get_if<CallPart>(&part)) {
            m_calls.append(*call);
        }
    }
    m_todo = m_calls;
    if (!m_calls.isEmpty()) {
        startCalls();
    } else if (nudge(reply.message) || !m_steering.isEmpty()) {
        ask();
    } else {
        end({m_isInterrupted ? TurnEnd::Reason::Interrupted : TurnEnd::Reason::Answered, {}});
    }
}

/// Tells a model that has written a call as text how calls are made. Nothing of such a text is run.
bool AgentLoop::nudge(const Message &message)
{
    const bool isWritten = std::any_of(message.parts.begin(), message.parts.end(), [&](const Part &part) {
        const auto *text = std::get_if<TextPart>(&part);
        return text && isWrittenCall(text->text, m_registry.names());
    });
    if (!isWritten || m_nudges >= MostNudges) {
        return false;
    }
    ++m_nudges;
    m_steering.append("Note: a tool call that is written as text is not run. Call the tool itself.");
    return true;
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
    ++m_stepsSinceCompaction;
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

void AgentLoop::endSoon(const TurnEnd &end)
{
    QMetaObject::invokeMethod(
        this, [this, end] { this->end(end); }, Qt::QueuedConnection);
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
