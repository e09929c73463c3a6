#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `grep`: finds lines by a pattern.
class GrepTool : public Tool
{
public:
    QByteArray name() const override { return "grep"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Read; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
