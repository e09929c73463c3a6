#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `ls`: lists a folder.
class LsTool : public Tool
{
public:
    QByteArray name() const override { return "ls"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Read; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
