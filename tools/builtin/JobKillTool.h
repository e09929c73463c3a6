#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `job-kill`: ends a command that runs in the background.
class JobKillTool : public Tool
{
public:
    QByteArray name() const override { return "job-kill"; }
    QByteArray description() const override;
    // What the model has started it may end without a question.
    PermissionRequest::Kind kind() const override { return PermissionRequest::Other; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
