#pragma once

#include "app/config/CommandLine.h"
#include "app/llm/Model.h"
#include "sandbox/policy/Result.h"

#include <memory>

namespace spettro {

/// The model that the operator asks for. An error names the flag or the file. May ask the desktop's key store, and wait for it: three
/// seconds at most, or a minute where standard input is a terminal.
sandbox::Result<std::unique_ptr<Model>> createModel(const ModelFlags &flags);

/// How many tokens that model takes in at once, as far as it is known without asking: what the operator says, else what all
/// models of the provider take; 0 where neither is known.
long long knownContextTokens(const ModelFlags &flags);

} // namespace spettro
