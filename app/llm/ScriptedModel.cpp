#include "app/llm/ScriptedModel.h"

#include <optional>

namespace spettro {

namespace {

/// The last result of a call in a conversation.
std::optional<ResultPart> lastResult(const Conversation &messages)
{
    for (auto message = messages.crbegin(); message != messages.crend(); ++message) {
        for (auto part = message->parts.crbegin(); part != message->parts.crend(); ++part) {
            if (const auto *result = std::get_if<ResultPart>(&*part)) {
                return *result;
            }
        }
    }
    return std::nullopt;
}

bool holds(const ModelScript::Turn &turn, const std::optional<ResultPart> &last)
{
    if (turn.after == ModelScript::After::Anything && turn.afterOutput.isEmpty()) {
        return true;
    }
    if (!last) {
        return false;
    }
    const bool isOfKind = turn.after == ModelScript::After::Anything
                          || last->isError == (turn.after == ModelScript::After::Failure);
    return isOfKind && last->text.contains(turn.afterOutput);
}

} // namespace

ScriptedModel::ScriptedModel(ModelScript script, QObject *parent) : Model(parent), m_script(std::move(script))
{}

QByteArray ScriptedModel::title() const
{
    return "scripted model (" + (m_script.title.isEmpty() ? "no title" : m_script.title) + ")";
}

void ScriptedModel::ask(const ModelRequest &request)
{
    m_isAsked = true;
    m_isCancelled = false;
    const auto answer = [this, request] {
        m_isAsked = false;
        const ModelOutcome outcome =
            m_isCancelled ? ModelOutcome(ModelError{ModelError::Kind::Interrupted, "interrupted", {}, {}})
                          : next(request);
        if (const auto *reply = std::get_if<ModelReply>(&outcome)) {
            for (const Part &part : reply->message.parts) {
                if (const auto *text = std::get_if<TextPart>(&part)) {
                    emit textArrived(text->text);
                }
            }
        }
        emit finished(outcome);
    };
    QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
}

void ScriptedModel::cancel()
{
    m_isCancelled = m_isAsked;
}

ModelOutcome ScriptedModel::next(const ModelRequest &request)
{
    const std::optional<ResultPart> last = lastResult(request.messages);
    while (m_position < m_script.turns.size() && !holds(m_script.turns.at(m_position), last)) {
        ++m_position;
    }
    ModelReply reply;
    reply.message.role = Message::Role::Assistant;
    if (m_position == m_script.turns.size()) {
        reply.message.parts.append(TextPart{"The script ends here."});
        return reply;
    }
    const ModelScript::Turn &turn = m_script.turns.at(m_position++);
    if (!turn.say.isEmpty()) {
        reply.message.parts.append(TextPart{turn.say});
    }
    for (const ModelScript::Call &call : turn.calls) {
        reply.message.parts.append(CallPart{"call-" + QByteArray::number(++m_calls),
                                            call.tool,
                                            QByteArray::fromStdString(call.input.dump()),
                                            {}});
        reply.stopReason = StopReason::ToolCalls;
    }
    return reply;
}

} // namespace spettro
