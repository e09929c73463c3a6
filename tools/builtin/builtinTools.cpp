#include "tools/builtin/builtinTools.h"

#include "tools/builtin/FileEditTool.h"
#include "tools/builtin/FileReadTool.h"
#include "tools/builtin/FileWriteTool.h"
#include "tools/builtin/GlobTool.h"
#include "tools/builtin/GrepTool.h"
#include "tools/builtin/JobKillTool.h"
#include "tools/builtin/JobOutputTool.h"
#include "tools/builtin/LsTool.h"

namespace spettro {

ToolRegistry builtinTools(std::chrono::seconds commandTimeout)
{
    ToolRegistry registry;
    registry.add(std::make_unique<FileReadTool>());
    registry.add(std::make_unique<FileWriteTool>());
    registry.add(std::make_unique<FileEditTool>());
    registry.add(std::make_unique<LsTool>());
    registry.add(std::make_unique<GlobTool>());
    registry.add(std::make_unique<GrepTool>());
    registry.add(std::make_unique<CommandTool>(CommandTool::Shell::Sh, commandTimeout));
    registry.add(std::make_unique<CommandTool>(CommandTool::Shell::Bash, commandTimeout));
    registry.add(std::make_unique<JobOutputTool>());
    registry.add(std::make_unique<JobKillTool>());
    return registry;
}

} // namespace spettro
