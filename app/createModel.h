#pragma once

#include "app/config/CommandLine.h"
#include "app/llm/Model.h"
#include "sandbox/policy/Result.h"

#include <memory>

namespace spettro {

/// The model that the operator asks for. An error names the flag or the file.
sandbox::Result<std::unique_ptr<Model>> createModel(const ModelFlags &flags);

} // namespace spettro
