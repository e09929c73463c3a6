#pragma once

#include "sandbox/policy/FrozenPolicy.h"
#include "tools/PathWalk.h"
#include "tools/ScopeRoots.h"

#include <optional>
#include <vector>

namespace spettro {

/// What a tool wants of a path.
enum class Access {
    Read,   ///< The content of a file that exists.
    List,   ///< The entries of a folder that exists.
    Search, ///< The content of a file, or of everything in a folder, that exists.
    Write,  ///< To create or to replace a file.
};

/// A path that was found to lie in scope, held open: what is done is done through the descriptor, so that nothing that
/// happens to names between check and use plays a part.
struct ScopeHandle
{
    /// Read: the file, open for reading. List: the folder, open for reading. Write: the deepest folder that exists on
    /// the way to the file (`O_PATH`).
    sandbox::SharedDescriptor descriptor;
    QByteArray shownPath; ///< As the model named it, for messages.
    QByteArray realPath;  ///< Absolute, without links.
    QByteArray name;      ///< Write: the file's name in its folder.
    QList<QByteArray>
        missing; ///< Write: the folders that have to be made below `descriptor`, the uppermost first.
    std::optional<struct stat> existing; ///< What is there; absent only for a file to be created.
};

/// Holds the file tools to the policy of the session: reads to the readable roots, writes to the writable ones.
///
/// Paths are resolved as the kernel would open them, from the roots' descriptors: openat2(2) with RESOLVE_BENEATH and
/// RESOLVE_NO_MAGICLINKS, and where that is not enough (links, folders that do not exist) component by component. A folder
/// counts as a root by its identity, never by its name. What lies on a proc file system is refused: `self` would be
/// Spettro there. Thread-safe.
class ScopeGuard
{
public:
    /// Fails where "/" or the workspace cannot be opened.
    static ToolOutcome<ScopeGuard> create(const sandbox::FrozenPolicy &policy);

    /// Where a path leads, absolute and without links, in scope or not: for permission rules and for questions to a
    /// person. What does not exist is kept as it is named.
    ToolOutcome<QByteArray> locate(QByteArrayView path) const;

    /// Opens what a path leads to. Relative paths start in the workspace, `~` is the home folder. For Read and Write only
    /// regular files, for List only folders; no open waits or has an effect of its own. Fails also where the workspace is
    /// no longer where it was.
    ToolOutcome<ScopeHandle> open(QByteArrayView path, Access access) const;

private:
    ScopeGuard(const sandbox::FrozenPolicy &policy, const FileIdentity &workspace, ScopeRoots roots);

    sandbox::Result<QByteArray, int> absolute(const QByteArray &path) const;
    bool isWorkspaceThere() const;
    ToolError workspaceGone() const;
    sandbox::Result<ScopeHandle, int> tryOpen(const QByteArray &path, Access access) const;
    std::optional<ScopeHandle> openBeneath(const QByteArray &path, Access access) const;
    sandbox::Result<PathEnd, int> walk(const QByteArray &path) const;
    sandbox::Result<ScopeHandle, int> openForWriting(const PathEnd &end) const;
    bool isProtected(const PathEnd &end) const;

    sandbox::FrozenPolicy m_policy;
    FileIdentity m_workspace;
    ScopeRoots m_roots;
    QByteArray m_home;
    QByteArray m_workspacePath;
    std::vector<FileIdentity> m_steeringFiles; ///< Those of the workspace, whatever they are called later.
};

} // namespace spettro
