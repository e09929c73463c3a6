#pragma once

#include "tools/Tool.h"

namespace spettro {

/// A tool that runs a command line by a shell: `shell-exec` by `sh`, `bash` by bash.
class CommandTool : public Tool
{
public:
    enum class Shell { Sh, Bash };

    explicit CommandTool(Shell shell) : m_shell(shell) {}

    QByteArray name() const override;
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Command; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;

private:
    Shell m_shell;
};

} // namespace spettro
