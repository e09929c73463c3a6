#pragma once

#include "tools/permissions/PermissionRules.h"

#include <functional>

namespace spettro {

/// What a person is asked before a tool runs.
struct ApprovalQuestion
{
    QByteArray tool;
    QString what; ///< Everything that is about to happen, whole, with control characters made visible.
    QStringList dangers;
    QList<PermissionRule> alwaysRules; ///< What "always" stores; empty: it is not offered.
};

struct ApprovalAnswer
{
    enum Kind { AllowOnce, AllowAlways, Deny, DenyWithInstruction };

    Kind kind = Deny;
    QString instruction; ///< For `DenyWithInstruction`: what to do instead.
};

/// Asks a person. The user interface implements it.
class Approver
{
public:
    Approver() = default;
    virtual ~Approver() = default;
    Approver(const Approver &) = delete;
    Approver &operator=(const Approver &) = delete;

    /// Returns at once or with the answer given. `done` is called at most once, on the caller's thread; it may be
    /// called before `ask` returns, and never is when the session ends first.
    virtual void ask(const ApprovalQuestion &question, std::function<void(ApprovalAnswer)> done) = 0;
};

} // namespace spettro
