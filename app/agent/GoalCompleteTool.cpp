#include "app/agent/GoalCompleteTool.h"

namespace spettro {

namespace {

class GoalCompleteTask : public ToolTask
{
public:
    ToolResult run(RunContext &) override { return ToolResult::success("The goal is complete."); }
};

} // namespace

QByteArray GoalCompleteTool::description() const
{
    return "Says that the whole goal is reached and was checked. Nothing is done after it.";
}

Json GoalCompleteTool::schema() const
{
    return {
        {"type", "object"},
        {"properties",
         {{"summary",
           {{"type", "string"}, {"description", "what was done and how it was checked, in a few lines"}}}}},
        {"required", {"summary"}},
        {"additionalProperties", false}};
}

ToolOutcome<std::unique_ptr<ToolTask>> GoalCompleteTool::read(const Json &) const
{
    return std::unique_ptr<ToolTask>(std::make_unique<GoalCompleteTask>());
}

} // namespace spettro
