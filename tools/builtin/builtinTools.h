#pragma once

#include "tools/ToolRegistry.h"

namespace spettro {

/// The tools that every session offers.
ToolRegistry builtinTools();

} // namespace spettro
