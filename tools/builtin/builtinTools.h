#pragma once

#include "tools/ToolRegistry.h"
#include "tools/builtin/CommandTool.h"

namespace spettro {

/// The tools that every session offers. Commands end after `commandTimeout` where a call does not say when.
ToolRegistry builtinTools(std::chrono::seconds commandTimeout = CommandTool::DefaultTimeout);

} // namespace spettro
