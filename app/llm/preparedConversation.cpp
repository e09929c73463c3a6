#include "app/llm/preparedConversation.h"
#include "app/llm/CallIds.h"
#include "app/llm/JsonText.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr const char *Interrupted =
    "The call was interrupted before there was a result. It may have had effects: look before you repeat it.";
constexpr const char *NoOutput = "No output.";
constexpr const char *Continue = "Continue.";
constexpr qsizetype LongestName = 64;

bool isBlank(const QByteArray &text)
{
    return text.trimmed().isEmpty();
}

/// What all servers take as the name of a tool.
QByteArray validName(const QByteArray &name)
{
    const auto isUnfit = [](char c) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !isLetter && !(c >= '0' && c <= '9') && c != '_' && c != '-';
    };
    QByteArray valid = name.first(std::min(name.size(), LongestName));
    std::replace_if(valid.begin(), valid.end(), isUnfit, '_');
    return valid.isEmpty() ? "unknown" : valid;
}

QByteArray validArguments(const QByteArray &arguments)
{
    const std::optional<Json> value = parseJson(arguments);
    return value && value->is_object() ? arguments : QByteArray("{}");
}

/// A call whose result is still to come.
struct PendingCall
{
    QByteArray id;   ///< As the conversation has it.
    QByteArray sent; ///< As it is sent.
    const ResultPart *result = nullptr;
};

class Preparation
{
public:
    Preparation(Protocol protocol, const Dialect &dialect)
        : m_protocol(protocol), m_reasoning(dialect.reasoning), m_ids(protocol, dialect.callIds)
    {}

    void add(const Message &message)
    {
        if (message.role == Message::Role::User) {
            addUser(message);
        } else {
            addAssistant(message);
        }
    }

    Conversation finish()
    {
        endUser();
        if (m_prepared.isEmpty() || m_prepared.last().role == Message::Role::Assistant) {
            append(Message::Role::User, {TextPart{Continue}});
        }
        return m_prepared;
    }

private:
    void addUser(const Message &message)
    {
        for (const Part &part : message.parts) {
            if (const auto *result = std::get_if<ResultPart>(&part)) {
                answer(*result);
            } else if (const auto *text = std::get_if<TextPart>(&part); text && !isBlank(text->text)) {
                m_texts << *text;
            }
        }
    }

    /// The first call with this id that has no result yet.
    void answer(const ResultPart &result)
    {
        for (PendingCall &call : m_pending) {
            if (!call.result && call.id == result.callId) {
                call.result = &result;
                return;
            }
        }
    }

    /// Results first: texts may have come while the calls ran.
    void endUser()
    {
        QList<Part> parts;
        for (const PendingCall &call : std::exchange(m_pending, {})) {
            if (call.result) {
                const QByteArray &text = call.result->text;
                parts << ResultPart{call.sent, isBlank(text) ? QByteArray(NoOutput) : text,
                                    call.result->isError};
            } else {
                parts << ResultPart{call.sent, Interrupted, true};
            }
        }
        parts += std::exchange(m_texts, {});
        append(Message::Role::User, parts);
    }

    void addAssistant(const Message &message)
    {
        QList<Part> parts;
        QList<PendingCall> calls;
        bool hasAnswer = false;
        for (const Part &part : message.parts) {
            if (const auto *text = std::get_if<TextPart>(&part); text && !isBlank(text->text)) {
                parts << *text;
                hasAnswer = true;
            } else if (const auto *call = std::get_if<CallPart>(&part)) {
                calls << PendingCall{call->id, m_ids.next(call->id)};
                parts << CallPart{
                    calls.last().sent, validName(call->name), validArguments(call->arguments), {}};
                hasAnswer = true;
            } else if (const auto *reasoning = std::get_if<ReasoningPart>(&part);
                       reasoning && reasoning->protocol == m_protocol
                       && m_reasoning != Dialect::Reasoning::Never) {
                parts << *reasoning;
            }
        }
        if (!hasAnswer) {
            return;
        }
        endUser();
        if (m_prepared.isEmpty()) {
            append(Message::Role::User, {TextPart{Continue}});
        }
        append(Message::Role::Assistant, parts);
        m_pending = calls;
    }

    void append(Message::Role role, const QList<Part> &parts)
    {
        if (parts.isEmpty()) {
            return;
        }
        if (!m_prepared.isEmpty() && m_prepared.last().role == role) {
            m_prepared.last().parts += parts;
        } else {
            m_prepared << Message{role, parts};
        }
    }

    Protocol m_protocol;
    Dialect::Reasoning m_reasoning;
    CallIds m_ids;
    Conversation m_prepared;
    QList<PendingCall> m_pending;
    QList<Part> m_texts;
};

} // namespace

Conversation preparedConversation(const Conversation &conversation, Protocol protocol, const Dialect &dialect)
{
    Preparation preparation(protocol, dialect);
    for (const Message &message : conversation) {
        preparation.add(message);
    }
    return preparation.finish();
}

} // namespace spettro
