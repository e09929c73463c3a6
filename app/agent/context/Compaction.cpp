#include "app/agent/context/Compaction.h"

#include "app/agent/context/ContextGauge.h"
#include "app/agent/context/ConversationCut.h"
#include "tools/text/SafeText.h"

namespace spettro {

namespace {

constexpr qsizetype LargeResult = 2048;  // bytes; smaller ones are not worth a note
constexpr qsizetype LargestQuote = 2000; // bytes of one result or call in the text to sum up
constexpr qint64 TargetPercent = 50;     // of the window, after it
constexpr qint64 TailPercent = 25;       // of the window, for the steps that stay
constexpr qint64 MaterialPercent = 60;   // of the window, for the text to sum up
constexpr qint64 EnoughPercent = 80;     // what the new conversation may be of the old one
constexpr qint64 BytesOfToken = 3;       // see estimatedTokens
constexpr int MostTries = 4;             // each with half the text of the one before

constexpr const char *SummarySystem = "You sum up the work of a coding agent, so that it can go on from your "
                                      "words alone. Write down: what was asked, every "
                                      "instruction and every refusal of the user that still holds, what was "
                                      "found out, which files were read and changed and "
                                      "how, which commands were run with what result, what failed and why, "
                                      "and what is to be done next. Name paths, "
                                      "functions and commands exactly. Write nothing else.";

constexpr const char *SummaryBegin =
    "What has been done so far, in short, since the conversation grew too long:\n\n";

/// Both ends of a long text.
QByteArray quote(const QByteArray &text)
{
    if (text.size() <= LargestQuote) {
        return safeText(text);
    }
    return safeText(text.left(LargestQuote / 2)) + "\n[...]\n" + safeText(text.right(LargestQuote / 2));
}

QByteArray shown(const TextPart &part, Message::Role role)
{
    return (role == Message::Role::User ? "USER: " : "AGENT: ") + quote(part.text);
}

QByteArray shown(const ReasoningPart &, Message::Role)
{
    return {}; // what came of it stands in the answer
}

QByteArray shown(const CallPart &part, Message::Role)
{
    return "CALL " + part.name + ": " + quote(part.arguments);
}

QByteArray shown(const ResultPart &part, Message::Role)
{
    return (part.isError ? "FAILED: " : "RESULT: ") + quote(part.text);
}

QByteArray shown(const Message &message)
{
    QByteArray text;
    for (const Part &part : message.parts) {
        const QByteArray line =
            std::visit([&](const auto &which) { return shown(which, message.role); }, part);
        text += line.isEmpty() ? QByteArray() : line + "\n\n";
    }
    return text;
}

/// The newest messages that fit, whole; at least a part of the last one.
QByteArray material(const Conversation &messages, qsizetype bytes)
{
    QByteArray text;
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        const QByteArray one = shown(*message);
        if (text.size() + one.size() > bytes) {
            return text.isEmpty() ? safeText(one.left(bytes)) : text;
        }
        text.prepend(one);
    }
    return text;
}

qint64 percent(qint64 share, qint64 whole)
{
    return whole * share / 100;
}

/// Without calls: nothing that a summary asks for is run.
std::optional<QByteArray> textOf(const ModelReply &reply)
{
    QByteArray text;
    for (const Part &part : reply.message.parts) {
        if (std::holds_alternative<CallPart>(part)) {
            return std::nullopt;
        }
        if (const auto *said = std::get_if<TextPart>(&part)) {
            text += said->text;
        }
    }
    return text.trimmed().isEmpty() ? std::nullopt : std::optional(text.trimmed());
}

} // namespace

Compaction::Compaction(CompactionTask task)
    : m_task(std::move(task)), m_tail(tailBegin(m_task.conversation, percent(TailPercent, m_task.window))),
      m_material(percent(MaterialPercent, m_task.window) * BytesOfToken)
{}

Compaction::Step Compaction::begin()
{
    Conversation shortened = withShortResults(m_task.conversation, m_tail, LargeResult);
    if (estimatedTokens(shortened) <= percent(TargetPercent, m_task.window)
        && estimatedTokens(shortened) <= percent(EnoughPercent, estimatedTokens(m_task.conversation))) {
        return Compacted{std::move(shortened), {}};
    }
    return request();
}

Compaction::Step Compaction::take(const ModelOutcome &outcome)
{
    ++m_tries;
    if (const auto *error = std::get_if<ModelError>(&outcome)) {
        if (error->kind == ModelError::Kind::ContextTooLong && m_tries < MostTries) {
            m_material /= 2;
            return request();
        }
        return "the model could not sum it up: " + error->message;
    }
    const std::optional<QByteArray> summary = textOf(std::get<ModelReply>(outcome));
    return summary ? finish(*summary) : Step(QByteArray("the model's summary is none"));
}

ModelRequest Compaction::request() const
{
    const QByteArray text = material(m_task.conversation.first(m_tail), m_material);
    return {m_task.model, SummarySystem, {}, {{Message::Role::User, {TextPart{text}}}}, std::nullopt};
}

Compaction::Step Compaction::finish(const QByteArray &summary) const
{
    const qint64 before = estimatedTokens(m_task.conversation);
    Conversation conversation = joined(summary);
    // The newest step alone may be too large: then its results go, too.
    if (estimatedTokens(conversation) > percent(TargetPercent, m_task.window)) {
        conversation = withShortResults(conversation, conversation.size(), LargeResult);
    }
    const qint64 after = estimatedTokens(conversation);
    if (after > percent(EnoughPercent, before)) {
        return "summing up would leave " + QByteArray::number(after) + " of " + QByteArray::number(before)
               + " tokens";
    }
    return Compacted{std::move(conversation), summary};
}

Conversation Compaction::joined(const QByteArray &summary) const
{
    Message first{Message::Role::User, {}};
    if (!m_task.pinned.isEmpty()) {
        first.parts.append(TextPart{m_task.pinned});
    }
    first.parts.append(TextPart{SummaryBegin + summary});
    return Conversation{first} + m_task.conversation.mid(m_tail);
}

} // namespace spettro
