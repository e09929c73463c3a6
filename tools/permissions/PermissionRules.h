#pragma once

#include "tools/permissions/PermissionMode.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <optional>
#include <variant>

namespace spettro {

enum class RuleAction { Allow, Ask, Deny };

/// One line of the permission rules. Patterns are described at `CommandPattern` and `PathPattern`; `*` alone
/// matches everything, and is the only pattern for tools with neither a command nor paths.
struct PermissionRule
{
    QByteArray permission; ///< A tool's name, `*`, or a group: `shell`, `write`, `read`.
    QByteArray pattern;
    RuleAction action = RuleAction::Ask;

    bool operator==(const PermissionRule &) const = default;
};

/// What a tool is about to do.
struct PermissionRequest
{
    enum Kind { Read, Change, Command, Other };

    QByteArray tool;
    Kind kind = Other;
    QByteArray command;      ///< The command line, for `Command`.
    QList<QByteArray> paths; ///< Resolved and absolute; for `Command` the folder it runs in, if it is given.
    bool pathsInWorkspace = false; ///< Whether all of `paths` are in the workspace, by the resolved names.
    QByteArray workspace;          ///< Resolved and absolute: relative patterns are taken from here.
    QByteArray home;               ///< For patterns with `~/`; may be empty, then these match nothing.
};

struct Judgement
{
    RuleAction action = RuleAction::Ask;
    QString reason;      ///< For a person; empty when it is allowed.
    QStringList dangers; ///< Of a command, see `dangers`.
    QList<PermissionRule>
        alwaysRules; ///< What "always" would store; empty when it may be answered once only.
};

/// May this be done? A matching deny rule wins over everything, in every mode and in every part of a command.
/// Otherwise the last operator rule that matches decides between ask and allow; where none does, a stored "always"
/// allows; where there is none, the mode decides. `Yolo` asks nothing, so ask rules mean nothing there.
/// Stored rules only ever allow.
Judgement judge(const PermissionRequest &request, PermissionMode mode,
                const QList<PermissionRule> &operatorRules, const QList<PermissionRule> &storedAlways);

/// A rule from the texts of a manifest (`permission`, `pattern` and `action`: allow, ask or deny), or what is wrong
/// with them.
std::variant<PermissionRule, QString> makePermissionRule(const QByteArray &permission,
                                                         const QByteArray &pattern, const QByteArray &action);

/// `allow`, `ask`, `deny`.
std::optional<RuleAction> parseRuleAction(QByteArrayView text);
QByteArray toText(RuleAction action);

/// Whether a rule is about this tool: by name, by `*`, or by the group of the request's kind (`shell` for
/// commands, `write` for changes, `read` for reads).
bool isRuleFor(const PermissionRule &rule, const PermissionRequest &request);

} // namespace spettro
