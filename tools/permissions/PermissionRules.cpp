#include "tools/permissions/PermissionRules.h"

#include "tools/permissions/CommandPattern.h"
#include "tools/permissions/PathPattern.h"

#include <algorithm>

namespace spettro {

std::optional<PermissionMode> parsePermissionMode(QByteArrayView text)
{
    if (text == "ask-first")
        return PermissionMode::AskFirst;
    if (text == "restricted")
        return PermissionMode::Restricted;
    if (text == "yolo")
        return PermissionMode::Yolo;
    return std::nullopt;
}

QByteArray toText(PermissionMode mode)
{
    switch (mode) {
    case PermissionMode::AskFirst:
        return "ask-first";
    case PermissionMode::Restricted:
        return "restricted";
    case PermissionMode::Yolo:
        break;
    }
    return "yolo";
}

std::optional<RuleAction> parseRuleAction(QByteArrayView text)
{
    if (text == "allow")
        return RuleAction::Allow;
    if (text == "ask")
        return RuleAction::Ask;
    if (text == "deny")
        return RuleAction::Deny;
    return std::nullopt;
}

QByteArray toText(RuleAction action)
{
    switch (action) {
    case RuleAction::Allow:
        return "allow";
    case RuleAction::Ask:
        return "ask";
    case RuleAction::Deny:
        break;
    }
    return "deny";
}

bool isRuleFor(const PermissionRule &rule, const PermissionRequest &request)
{
    return rule.permission == "*" || rule.permission == request.tool
           || (rule.permission == "shell" && request.kind == PermissionRequest::Command)
           || (rule.permission == "write" && request.kind == PermissionRequest::Change)
           || (rule.permission == "read" && request.kind == PermissionRequest::Read);
}

namespace {

bool isToolName(const QByteArray &name)
{
    return !name.isEmpty() && std::all_of(name.begin(), name.end(), [](char byte) {
        return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
               || QByteArrayView("-_.:/").contains(byte);
    });
}

/// What is wrong with the pattern of a rule; empty when nothing is.
QString patternMistake(const QByteArray &permission, const QByteArray &pattern)
{
    static const QList<QByteArray> commands{"shell", "bash", "shell-exec"};
    static const QList<QByteArray> paths{"write",     "file-write", "file-edit", "read",
                                         "file-read", "ls",         "glob",      "grep"};
    if (pattern == "*")
        return {};
    if (commands.contains(permission)) {
        return CommandPattern::parse(pattern)
                   ? QString()
                   : QStringLiteral("a command pattern is the words of one command with every quote closed");
    }
    if (paths.contains(permission))
        return QString::fromUtf8(PathPattern::mistake(pattern));
    return QStringLiteral("the only pattern for the permission \"%1\" is \"*\"")
        .arg(QString::fromUtf8(permission));
}

} // namespace

std::variant<PermissionRule, QString> makePermissionRule(const QByteArray &permission,
                                                         const QByteArray &pattern, const QByteArray &action)
{
    if (permission != "*" && !isToolName(permission))
        return QStringLiteral("permission is the name of a tool, shell, write, read or *");
    const std::optional<RuleAction> parsed = parseRuleAction(action);
    if (!parsed)
        return QStringLiteral("action is allow, ask or deny");
    if (const QString mistake = patternMistake(permission, pattern); !mistake.isEmpty())
        return QStringLiteral("pattern: ") + mistake;
    return PermissionRule{permission, pattern, *parsed};
}

} // namespace spettro
