#pragma once

#include "app/llm/Dialect.h"
#include "app/llm/ModelRequest.h"
#include "app/llm/WireRequest.h"

namespace spettro {

/// `request` in OpenAI's responses protocol. Nothing is stored at the server: reasoning comes and goes encrypted.
WireRequest responsesRequest(const ModelRequest &request, const Dialect &dialect);

} // namespace spettro
