#pragma once

#include "app/llm/Conversation.h"

namespace spettro {

/// Whether a conversation may begin with this message, that is: whether it answers no calls. A step (an answer with its
/// calls and reasoning, and all their results) stays whole that way.
bool canBegin(const Message &message);

/// Where the newest part of a conversation begins that takes at most so many tokens: at the last step at the latest, and
/// not at the beginning. The size of the conversation where it has no such place.
qsizetype tailBegin(const Conversation &conversation, qint64 tokens);

/// The conversation with results of tools above `bytes` replaced by a note, in the messages before `end`.
Conversation withShortResults(const Conversation &conversation, qsizetype end, qsizetype bytes);

} // namespace spettro
