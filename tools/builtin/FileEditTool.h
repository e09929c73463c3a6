#pragma once

#include "tools/Tool.h"

namespace spettro {

/// `file-edit`: replaces text in a file.
class FileEditTool : public Tool
{
public:
    QByteArray name() const override { return "file-edit"; }
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Change; }
    Json schema() const override;
    QList<QByteArray> rawFields() const override { return {"old_string", "new_string"}; }
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;
};

} // namespace spettro
