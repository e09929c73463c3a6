#pragma once

#include "tools/Tool.h"

#include <chrono>

namespace spettro {

/// A tool that runs a command line by a shell: `shell-exec` by `sh`, `bash` by bash.
class CommandTool : public Tool
{
public:
    enum class Shell { Sh, Bash };

    /// Commands end after `timeout` where a call does not say when.
    explicit CommandTool(Shell shell, std::chrono::seconds timeout = DefaultTimeout)
        : m_shell(shell), m_timeout(timeout)
    {}

    static constexpr std::chrono::seconds DefaultTimeout{600};

    QByteArray name() const override;
    QByteArray description() const override;
    PermissionRequest::Kind kind() const override { return PermissionRequest::Command; }
    Json schema() const override;
    ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const override;

private:
    Shell m_shell;
    std::chrono::seconds m_timeout;
};

} // namespace spettro
