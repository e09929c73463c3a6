#pragma once

#include "app/llm/ModelReply.h"
#include "app/llm/ModelRequest.h"

namespace spettro {

/// Tokens that a text may be: its bytes divided by three. Code has about 3.3 bytes a token with the usual vocabularies and
/// prose about 4.5, so that this is rather too many than too few.
qint64 estimatedTokens(QByteArrayView text);
qint64 estimatedTokens(const Message &message);
qint64 estimatedTokens(const Conversation &conversation);

/// How much of a model's window a conversation takes: what the server counted at the last request, and an estimate of what
/// was added since.
class ContextGauge
{
public:
    /// `fixed`: what every request has besides the conversation, in tokens.
    explicit ContextGauge(qint64 fixed) : m_fixed(fixed), m_counted(fixed) {}

    /// A request with the first `messages` messages was answered. Replies without figures change nothing.
    void take(const Usage &usage, qsizetype messages);

    /// The conversation was replaced: what was counted says nothing any more.
    void reset();

    qint64 tokens(const Conversation &conversation) const;

    /// What a request with this conversation and its answer cost, for servers that do not say.
    Usage estimatedUsage(const Conversation &conversation, const Message &answer) const;

private:
    qint64 m_fixed = 0;
    qint64 m_counted = 0;
    qsizetype m_messages = 0; ///< So many of them are in `m_counted`.
};

} // namespace spettro
