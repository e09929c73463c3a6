#include "app/agent/context/ContextGauge.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr qint64 BytesOfToken = 3;
constexpr qint64 TokensOfPart = 8; // what a protocol puts around each

qint64 bytesOf(const TextPart &part)
{
    return part.text.size();
}

qint64 bytesOf(const ReasoningPart &part)
{
    return std::max(part.text.size(), part.opaque.size());
}

qint64 bytesOf(const CallPart &part)
{
    return part.name.size() + part.arguments.size();
}

qint64 bytesOf(const ResultPart &part)
{
    return part.text.size();
}

} // namespace

qint64 estimatedTokens(QByteArrayView text)
{
    return text.size() / BytesOfToken;
}

qint64 estimatedTokens(const Message &message)
{
    qint64 tokens = 0;
    for (const Part &part : message.parts) {
        tokens +=
            TokensOfPart + std::visit([](const auto &which) { return bytesOf(which); }, part) / BytesOfToken;
    }
    return tokens;
}

qint64 estimatedTokens(const Conversation &conversation)
{
    qint64 tokens = 0;
    for (const Message &message : conversation) {
        tokens += estimatedTokens(message);
    }
    return tokens;
}

void ContextGauge::take(const Usage &usage, qsizetype messages)
{
    if (usage.isKnown) {
        m_counted = usage.input;
        m_messages = messages;
    }
}

void ContextGauge::reset()
{
    m_counted = m_fixed;
    m_messages = 0;
}

qint64 ContextGauge::tokens(const Conversation &conversation) const
{
    return m_counted + estimatedTokens(conversation.mid(m_messages));
}

Usage ContextGauge::estimatedUsage(const Conversation &conversation, const Message &answer) const
{
    return {m_fixed + estimatedTokens(conversation), 0, estimatedTokens(answer), false};
}

} // namespace spettro
