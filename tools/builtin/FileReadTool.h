#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `file-read`: the lines of a text file, numbered.
class FileReadTool : public Tool
{
public:
    QByteArray name() const override { return "file-read"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Read; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
