#pragma once

#include "tools/Tool.h"

namespace spettro {

/// By which a model says that the goal is reached; only there in goal runs.
class GoalCompleteTool : public Tool
{
public:
    static constexpr const char *Name = "goal-complete";

    QByteArray name() const override { return Name; }
    QByteArray description() const override;
    Json schema() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Read; }
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
