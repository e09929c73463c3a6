#pragma once

#include "app/llm/Conversation.h"

namespace spettro {

/// Whether the end of a call's arguments is known to be missing.
enum class ArgumentsEnd { Present, Missing };

/// Makes a call of what was received. Only arguments that are one whole JSON object may run; nothing is mended. Without
/// any, the call has none (`{}`).
CallPart receivedCall(const QByteArray &id, const QByteArray &name, const QByteArray &arguments,
                      ArgumentsEnd end);

} // namespace spettro
