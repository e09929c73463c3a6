#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `job-output`: shows the output of a command, a piece at a time.
class JobOutputTool : public Tool
{
public:
    QByteArray name() const override { return "job-output"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Read; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
