#pragma once

#include "app/llm/Conversation.h"

namespace spettro {

/// Tokens, as the server counted them.
struct Usage
{
    qint64 input = 0;       ///< All of the request, cached or not.
    qint64 cachedInput = 0; ///< The part of `input` that the server had in its cache.
    qint64 output = 0;
    bool isKnown = false; ///< The server said something; otherwise all figures are 0.

    bool operator==(const Usage &) const = default;
};

/// Why a model stopped.
enum class StopReason {
    EndOfTurn,
    ToolCalls,   ///< There are calls to answer, whatever the server called it.
    OutputLimit, ///< The output was cut at a limit. Calls that are whole are there and may run.
};

/// A reply that came to its end, with text or at least one call in it.
struct ModelReply
{
    Message message;
    StopReason stopReason = StopReason::EndOfTurn;
    Usage usage;

    bool operator==(const ModelReply &) const = default;
};

} // namespace spettro
