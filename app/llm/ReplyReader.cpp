#include "app/llm/ReplyReader.h"
#include "app/llm/JsonText.h"
#include "app/llm/ServerError.h"
#include "app/llm/receivedCall.h"

#include <QSet>

namespace spettro {

namespace {

/// Calls without an id of their own, or with one that an earlier call of the reply has, get a new one.
QByteArray uniqueId(const QByteArray &given, qsizetype position, QSet<QByteArray> &taken)
{
    QByteArray id = given;
    for (qsizetype number = position; id.isEmpty() || taken.contains(id); ++number) {
        id = "call_" + QByteArray::number(number);
    }
    taken.insert(id);
    return id;
}

bool saysError(const Json &error)
{
    return error.is_object() || (error.is_string() && !textOf(error).isEmpty());
}

} // namespace

void ReplyListener::textArrived(const QByteArray & /*text*/) {}
void ReplyListener::reasoningArrived(const QByteArray & /*text*/) {}
void ReplyListener::callStarted(const QByteArray & /*tool*/) {}

ReplyReader::ReplyReader(ReplyListener &listener, const Redactor &redactor)
    : m_listener(listener), m_redactor(redactor)
{}

void ReplyReader::readEvent(const SseEvent &event)
{
    if (progress() == ReplyProgress::Complete) {
        return;
    }
    const QByteArray data = event.data.trimmed();
    if (data.isEmpty()) {
        return;
    }
    if (data == "[DONE]") {
        takeDone();
        return;
    }
    const std::optional<Json> value = parseJson(data);
    if (!value) {
        fail(error(ModelError::Kind::Transport,
                   "The reply was damaged: an event of it is not JSON in UTF-8."));
        return;
    }
    if (const Json &reported = member(*value, "error"); saysError(reported)) {
        fail(errorFromObject(reported, m_redactor));
        return;
    }
    if (event.type == "error" || textOf(member(*value, "object")) == "error") {
        fail(errorFromObject(*value, m_redactor));
        return;
    }
    takeEvent(*value);
}

void ReplyReader::readWhole(const Json &reply)
{
    if (const Json &reported = member(reply, "error"); saysError(reported)) {
        fail(errorFromObject(reported, m_redactor));
        return;
    }
    if (textOf(member(reply, "object")) == "error") {
        fail(errorFromObject(reply, m_redactor));
        return;
    }
    takeWhole(reply);
    if (m_finish == Finish::None && !m_failure) {
        fail(error(ModelError::Kind::BadReply, "The server answered with JSON that is no reply: "
                                                   + excerptOf(toText(reply), m_redactor)));
    }
}

ReplyProgress ReplyReader::progress() const
{
    if (m_isComplete || m_failure) {
        return ReplyProgress::Complete;
    }
    return m_finish == Finish::None ? ReplyProgress::Reading : ReplyProgress::Ended;
}

ReplyOutcome ReplyReader::end()
{
    ReplyOutcome result = outcome();
    if (auto *failure = std::get_if<ModelError>(&result)) {
        failure->usage = m_usage;
    }
    return result;
}

ReplyOutcome ReplyReader::outcome()
{
    if (m_failure) {
        return *m_failure;
    }
    if (m_finish == Finish::None) {
        return error(ModelError::Kind::Transport, "The connection ended in the middle of the reply.");
    }
    const QList<Item> items = takeItems();
    if (m_finish == Finish::Refused || !m_refusal.isEmpty()) {
        const QByteArray words = m_refusal.isEmpty() ? QByteArray() : ": " + m_refusal;
        return error(ModelError::Kind::Refused,
                     "The model, or a filter before it, refused to answer" + words);
    }

    ModelReply reply{.message = {Message::Role::Assistant, {}}, .stopReason = {}, .usage = m_usage};
    QSet<QByteArray> ids;
    bool hasText = false;
    qsizetype calls = 0;
    for (const Item &item : items) {
        if (const auto *text = std::get_if<TextPart>(&item)) {
            if (!text->text.isEmpty()) {
                hasText = hasText || !text->text.trimmed().isEmpty();
                reply.message.parts << *text;
            }
        } else if (const auto *reasoning = std::get_if<ReasoningPart>(&item)) {
            reply.message.parts << *reasoning;
        } else if (const auto *call = std::get_if<ReceivedCall>(&item)) {
            // A call that ended without arguments and one that was cut before them differ only in why the output ended.
            const bool isCut =
                m_finish == Finish::OutputLimit
                && (call->isUnfinished || (&item == &items.last() && call->arguments.trimmed().isEmpty()));
            reply.message.parts << receivedCall(uniqueId(call->id, calls, ids), call->name, call->arguments,
                                                isCut ? ArgumentsEnd::Missing : ArgumentsEnd::Present);
            ++calls;
        }
    }

    if (!hasText && calls == 0) {
        if (m_finish == Finish::OutputLimit) {
            return error(
                ModelError::Kind::OutputLimit,
                "The output limit was used up before the model answered: raise it, or let it think less.");
        }
        return error(
            ModelError::Kind::EmptyReply,
            "The reply is empty. The request may be too long for the context size that the server has "
            "loaded, or the output limit too small.");
    }
    if (m_finish == Finish::OutputLimit) {
        reply.stopReason = StopReason::OutputLimit;
    } else {
        reply.stopReason = calls > 0 ? StopReason::ToolCalls : StopReason::EndOfTurn;
    }
    return reply;
}

void ReplyReader::tellText(const QByteArray &text)
{
    if (!text.isEmpty()) {
        m_listener.textArrived(text);
    }
}

void ReplyReader::tellReasoning(const QByteArray &text)
{
    if (!text.isEmpty()) {
        m_listener.reasoningArrived(text);
    }
}

void ReplyReader::tellCall(const QByteArray &tool)
{
    m_listener.callStarted(tool);
}

void ReplyReader::fail(const ModelError &error)
{
    if (!m_failure) {
        m_failure = error;
    }
}

ModelError ReplyReader::error(ModelError::Kind kind, const QByteArray &words) const
{
    return modelError(kind, words, m_redactor);
}

} // namespace spettro
