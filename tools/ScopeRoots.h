#pragma once

#include "sandbox/policy/FrozenPolicy.h"
#include "tools/ToolResult.h"

#include <QByteArray>

#include <sys/stat.h>

#include <vector>

namespace spettro {

/// Device and inode: what a file or folder is, whatever it is called.
struct FileIdentity
{
    dev_t device = 0;
    ino_t inode = 0;

    static FileIdentity of(const struct stat &status) { return {status.st_dev, status.st_ino}; }
    bool operator==(const FileIdentity &) const = default;
};

/// A folder that paths can be resolved from.
struct ScopeRoot
{
    QByteArray path; ///< The real path when the policy was frozen.
    sandbox::SharedDescriptor descriptor;
    FileIdentity identity;
    unsigned own = 0;    ///< What the policy grants here: bits of `ScopeRoots::Bit`.
    unsigned grants = 0; ///< The same with what roots above grant.
    bool isDirectory = true;
};

/// The roots of a policy as the file tools see them, and "/", from which everything else is reached.
class ScopeRoots
{
public:
    enum Bit : unsigned { Read = 1, List = 2, Write = 4 };

    /// Fails where "/" or the workspace cannot be opened.
    static ToolOutcome<ScopeRoots> create(const sandbox::FrozenPolicy &policy);

    /// The folder root with the longest path that `path` (absolute) begins with; "/" at last.
    const ScopeRoot &nearest(QByteArrayView path) const;

    /// What is granted at a file or folder itself, apart from the folders above it.
    unsigned grantsAt(const FileIdentity &identity) const;

    /// The part of a path (absolute, without links) below the nearest writable root; the whole path where there is none.
    QByteArray belowWritable(const QByteArray &path) const;

private:
    void add(ScopeRoot root);

    /// The folder with the longest path above `path`, or that itself, of which `holds` is true; null where there is none.
    template<typename Predicate>
    const ScopeRoot *nearestOf(QByteArrayView path, Predicate holds) const;

    std::vector<ScopeRoot> m_roots; ///< One for each path, the longest path first.
};

} // namespace spettro
