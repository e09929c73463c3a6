#pragma once

#include "app/llm/Conversation.h"
#include "tools/Json.h"

#include <optional>

namespace spettro {

/// A message as the records of a session hold it: `{"role", "parts": [...]}`.
Json messageJson(const Message &message);

/// The message in a record; parts of kinds that are not known are left out. Nothing where it is no message.
std::optional<Message> messageOf(const Json &record);

} // namespace spettro
