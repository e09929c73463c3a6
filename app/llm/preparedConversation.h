#pragma once

#include "app/llm/Conversation.h"
#include "app/llm/Dialect.h"

namespace spettro {

/// The conversation as every server takes it, whatever has happened to it: interruptions, crashes, old sessions, other
/// providers.
/// - It begins and ends with the user; messages of the same role that follow each other are one.
/// - Every call has exactly one result, in the message right after it and before all text there; calls without one get an
///   error, results without a call are left out.
/// - Ids of calls are unique and such as the server takes (CallIds); names of tools have nothing but `A-Z a-z 0-9 _ -`.
/// - Arguments are JSON objects. No text is blank, and no message is empty.
/// - Reasoning of other protocols is left out, and with Dialect::Reasoning::Never all of it.
/// What was prepared stays the same when messages come behind it, but for what joins the last message.
Conversation preparedConversation(const Conversation &conversation, Protocol protocol,
                                  const Dialect &dialect);

} // namespace spettro
