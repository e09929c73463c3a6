#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `glob`: finds files by a pattern for their paths.
class GlobTool : public Tool
{
public:
    QByteArray name() const override { return "glob"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Read; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
