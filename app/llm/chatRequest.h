#pragma once

#include "app/llm/Dialect.h"
#include "app/llm/ModelRequest.h"
#include "app/llm/WireRequest.h"

namespace spettro {

/// `request` in the chat completions protocol. Roles come in the order that the strictest templates want: one system
/// message, then user and assistant in turn, with the tools' messages right after their calls.
WireRequest chatRequest(const ModelRequest &request, const Dialect &dialect);

} // namespace spettro
