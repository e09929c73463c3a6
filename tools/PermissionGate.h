#pragma once

#include "tools/Tool.h"
#include "tools/permissions/ApprovalStore.h"
#include "tools/permissions/Approver.h"
#include "tools/permissions/PermissionRules.h"

#include <QObject>
#include <QSet>

#include <mutex>

namespace spettro {

/// What the operator lets calls do without being asked. It has no part in how commands are kept in bounds and cannot
/// change that.
struct PermissionSettings
{
    PermissionMode mode = PermissionMode::AskFirst;
    QList<PermissionRule> rules; ///< The operator's, in order.
    std::optional<ApprovalStore>
        store;            ///< Absent where commands could write it: then "always" lasts for the session.
    QByteArray workspace; ///< The project folder's real path.
    QByteArray home;
    QSet<QByteArray> alwaysAsked = {}; ///< Tools whose calls are asked for where nothing else would ask.
};

/// Decides whether a call may run: by the rules, and where those say so by asking a person. Made in the thread of the
/// user interface, which is also the one that may read and write the store; `pass` is called in others.
class PermissionGate : public QObject
{
    Q_OBJECT

public:
    /// `approver` has to outlive this; without one (null), what would have to be asked is refused.
    PermissionGate(PermissionSettings settings, Approver *approver);

    /// Nothing where the call may run, else why not, in words for the model. Waits for the person; `stop` ends that.
    std::optional<ToolError> pass(const Tool &tool, const ToolTask &task, const QByteArray &realPath,
                                  const std::stop_token &stop);

    /// What went wrong with the stored answers, for the operator; empty where nothing did.
    QString storeError() const { return m_storeError; }

signals:
    /// A person has answered.
    void answered(const spettro::ApprovalQuestion &question, const spettro::ApprovalAnswer &answer);

private:
    struct Pending;

    PermissionRequest requestFor(const Tool &tool, const ToolTask &task, const QByteArray &realPath) const;
    std::optional<ToolError> ask(ApprovalQuestion question, const std::stop_token &stop);
    void remember(const QList<PermissionRule> &rules);

    PermissionSettings m_settings;
    Approver *m_approver = nullptr;
    std::mutex m_mutex;
    QList<PermissionRule> m_always; ///< Answers "always", stored and of this session.
    QString m_storeError;
};

} // namespace spettro
