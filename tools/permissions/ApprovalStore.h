#pragma once

#include "tools/permissions/PermissionRules.h"

#include <QString>

namespace spettro {

/// The answers "always for this project" of one workspace, in a file of its own below the state folder. Several
/// processes may use the same file.
class ApprovalStore
{
public:
    using Rules = std::variant<QList<PermissionRule>, QString>; ///< The rules, or the error.

    /// `stateFolder` is absolute and outside of every folder that tools may write.
    ApprovalStore(const QByteArray &stateFolder, const QByteArray &workspaceRealPath);

    /// What is stored now; nothing when there is no file yet. A file that is broken, too long, of another user or
    /// workspace, a link, or holds anything but allow rules is an error that names it: then nothing is allowed.
    Rules rules() const;

    /// Stores an allow rule in addition; a stored one is not stored twice. The error, if any: a file that cannot be
    /// read is left as it is.
    std::optional<QString> add(const PermissionRule &rule) const;

    const QByteArray &path() const { return m_path; }

private:
    QByteArray m_workspace;
    QByteArray m_path;
};

} // namespace spettro
