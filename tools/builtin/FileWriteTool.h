#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `file-write`: writes or appends to a file.
class FileWriteTool : public Tool
{
public:
    QByteArray name() const override { return "file-write"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Change; }
    Json schema() const override;
    QList<QByteArray> rawFields() const override { return {"content"}; }
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
