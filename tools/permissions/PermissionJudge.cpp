#include "tools/permissions/CommandPermission.h"
#include "tools/permissions/PathPattern.h"
#include "tools/permissions/PermissionRules.h"

#include <algorithm>

namespace spettro {

namespace {

using Reach = PathPattern::Reach;
using Kind = PermissionRequest::Kind;

bool isResolved(const QByteArray &path)
{
    return path.startsWith('/') && !path.contains("//") && !path.contains("/./") && !path.contains("/../")
           && !path.endsWith("/.") && !path.endsWith("/..") && !path.contains('\0');
}

bool matches(const PermissionRule &rule, const PermissionRequest &request, const QByteArray &path,
             Reach reach)
{
    return isRuleFor(rule, request)
           && (rule.pattern == "*"
               || PathPattern(rule.pattern, request.workspace, request.home).matches(path, reach));
}

/// The last rule that decides about one path, `Deny` left out; no value when none does.
std::optional<RuleAction> ruleForPath(const PermissionRequest &request, const QByteArray &path,
                                      const QList<PermissionRule> &rules)
{
    std::optional<RuleAction> found;
    for (const PermissionRule &rule : rules) {
        const Reach reach = rule.action == RuleAction::Allow ? Reach::Exactly : Reach::WithInside;
        if (rule.action != RuleAction::Deny && matches(rule, request, path, reach))
            found = rule.action;
    }
    return found;
}

bool isDenied(const PermissionRequest &request, const QByteArray &path, const QList<PermissionRule> &rules)
{
    return std::any_of(rules.begin(), rules.end(), [&](const PermissionRule &rule) {
        return rule.action == RuleAction::Deny && matches(rule, request, path, Reach::WithInside);
    });
}

/// What the mode says where no rule does.
bool isFree(const PermissionRequest &request, PermissionMode mode)
{
    if (request.kind == Kind::Read)
        return true;
    return request.kind == Kind::Change && mode == PermissionMode::Restricted && request.pathsInWorkspace
           && !request.paths.isEmpty();
}

QString reasonToAsk(const PermissionRequest &request, PermissionMode mode)
{
    if (request.kind != Kind::Change)
        return QStringLiteral("no rule allows the tool %1").arg(QString::fromUtf8(request.tool));
    return mode == PermissionMode::AskFirst ? QStringLiteral("every change is asked for")
                                            : QStringLiteral("it changes files outside of the workspace");
}

/// Exactly these files for this tool; a tool without paths as a whole.
QList<PermissionRule> alwaysRules(const PermissionRequest &request)
{
    if (request.kind == Kind::Other && request.paths.isEmpty())
        return {PermissionRule{request.tool, "*", RuleAction::Allow}};
    QList<PermissionRule> rules;
    for (const QByteArray &path : request.paths) {
        if (!request.pathsInWorkspace || path.contains('*') || path.contains('?'))
            return {};
        rules.append({request.tool, path, RuleAction::Allow});
    }
    return rules;
}

Judgement judgePaths(const PermissionRequest &request, PermissionMode mode,
                     const QList<PermissionRule> &operatorRules, const QList<PermissionRule> &storedAlways)
{
    // A tool without paths is judged as one thing, which only the pattern * matches.
    const QList<QByteArray> paths = request.paths.isEmpty() ? QList<QByteArray>{QByteArray()} : request.paths;
    const bool areResolved = std::all_of(request.paths.begin(), request.paths.end(), isResolved);
    Judgement judgement;
    for (const QByteArray &path : paths) {
        if (isDenied(request, path, operatorRules)) {
            judgement.action = RuleAction::Deny;
            judgement.reason = QStringLiteral("a rule denies %1")
                                   .arg(QString::fromUtf8(path.isEmpty() ? request.tool : path));
            return judgement;
        }
    }
    if (!areResolved) {
        const bool hasDeny =
            std::any_of(operatorRules.begin(), operatorRules.end(), [&](const PermissionRule &rule) {
                return rule.action == RuleAction::Deny && isRuleFor(rule, request);
            });
        judgement.action =
            mode != PermissionMode::Yolo ? RuleAction::Ask : (hasDeny ? RuleAction::Deny : RuleAction::Allow);
        judgement.reason = QStringLiteral("a path is not resolved");
        return judgement;
    }
    if (mode == PermissionMode::Yolo) {
        judgement.action = RuleAction::Allow;
        return judgement;
    }
    bool hasAskRule = false;
    bool isAllowed = true;
    for (const QByteArray &path : paths) {
        const std::optional<RuleAction> rule = ruleForPath(request, path, operatorRules);
        hasAskRule = hasAskRule || rule == RuleAction::Ask;
        isAllowed = isAllowed
                    && (rule ? *rule == RuleAction::Allow
                             : ruleForPath(request, path, storedAlways) == RuleAction::Allow
                                   || isFree(request, mode));
    }
    judgement.action = isAllowed ? RuleAction::Allow : RuleAction::Ask;
    if (isAllowed)
        return judgement;
    judgement.reason = hasAskRule ? QStringLiteral("a rule asks for it") : reasonToAsk(request, mode);
    if (!hasAskRule)
        judgement.alwaysRules = alwaysRules(request);
    return judgement;
}

} // namespace

Judgement judge(const PermissionRequest &request, PermissionMode mode,
                const QList<PermissionRule> &operatorRules, const QList<PermissionRule> &storedAlways)
{
    if (request.kind == Kind::Command)
        return CommandPermission(request, mode, operatorRules, storedAlways).judge();
    return judgePaths(request, mode, operatorRules, storedAlways);
}

} // namespace spettro
