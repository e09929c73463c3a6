#include "app/config/KnownTools.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr std::array<std::string_view, 45> ForeignTools{
    "activate-skill",
    "agent",
    "ask-user",
    "bash-output",
    "comment",
    "config",
    "devin-session",
    "diagnostics",
    "download",
    "enter-plan-mode",
    "enter-worktree",
    "exit-plan-mode",
    "exit-worktree",
    "goal-complete",
    "grok-image",
    "grok-video",
    "hover",
    "lsp-restart",
    "mcp-auth",
    "mcp-list-resources",
    "mcp-read-resource",
    "multi-edit",
    "pty-kill",
    "pty-start",
    "pty-write",
    "references",
    "rename-symbol",
    "repo-search",
    "save-memory",
    "send-message",
    "skill-activate",
    "skill-list",
    "skill-read",
    "task-create",
    "task-delete",
    "task-get",
    "task-list",
    "task-stop",
    "task-update",
    "todo-write",
    "tool-output",
    "tool-search",
    "view-image",
    "web-fetch",
    "web-search",
};

} // namespace

bool isOwnTool(std::string_view id)
{
    return std::find(OwnTools.begin(), OwnTools.end(), id) != OwnTools.end();
}

bool isForeignTool(std::string_view id)
{
    return std::find(ForeignTools.begin(), ForeignTools.end(), id) != ForeignTools.end();
}

} // namespace spettro
