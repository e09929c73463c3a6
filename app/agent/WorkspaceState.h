#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>

#include <functional>

namespace spettro {

/// What the files of a project hold, to tell whether something was done: by content, not by time, and not by what git calls a
/// change. Takes in where the branches of its repository stand; leaves out what .gitignore names, so that a build that is run
/// again changes nothing. Files above 1 MiB count by size and time.
class WorkspaceState
{
public:
    /// Reads everything below an open folder: not for the main thread. Incomplete where it was cancelled.
    static WorkspaceState read(int folder, const std::function<bool()> &isCancelled);

    bool operator==(const WorkspaceState &) const = default;

    /// The files that are new, different or gone since an earlier state, in the order of their names; not the branches.
    QList<QByteArray> changesSince(const WorkspaceState &earlier) const;

private:
    QMap<QByteArray, QByteArray> m_files;    ///< Path to a hash of what is there.
    QMap<QByteArray, QByteArray> m_branches; ///< The same of `.git/refs`.
};

} // namespace spettro
