#pragma once

#include "app/llm/Dialect.h"
#include "app/llm/ModelRequest.h"
#include "app/llm/WireRequest.h"

namespace spettro {

/// `request` in Anthropic's messages protocol. At most three marks for the cache: on the system prompt, which covers the
/// tools before it, and on the last two messages of the user, the end of this request and of the one before.
WireRequest messagesRequest(const ModelRequest &request, const Dialect &dialect);

} // namespace spettro
