#include "tools/ScopeGuard.h"

#include "sandbox/linux/HostPath.h"
#include "tools/SteeringPaths.h"
#include "tools/StraightWalk.h"
#include "tools/text/SafeText.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spettro {

using namespace sandbox;

namespace {

unsigned bitFor(Access access)
{
    switch (access) {
    case Access::Read:
    case Access::Search:
        return ScopeRoots::Read;
    case Access::List:
        return ScopeRoots::List;
    case Access::Write:
        return ScopeRoots::Write;
    }
    return 0;
}

/// 0, or why a file of this kind cannot be accessed that way.
int kindError(mode_t mode, Access access)
{
    if (access == Access::List) {
        return S_ISDIR(mode) ? 0 : ENOTDIR;
    }
    if (S_ISDIR(mode)) {
        return access == Access::Search ? 0 : EISDIR;
    }
    return S_ISREG(mode) ? 0 : ENXIO; // fifo, socket, device: never opened, some wait and some act
}

/// Opens for reading what `path` (`O_PATH`) refers to, whatever its name leads to by now; null on failure.
SharedDescriptor openForReading(int path)
{
    const QByteArray link = "/proc/self/fd/" + QByteArray::number(path);
    const int number = ::open(link.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return number < 0 ? nullptr : shareDescriptor(number);
}

std::vector<FileIdentity> findSteeringFiles(int workspace)
{
    std::vector<FileIdentity> found;
    QList<QByteArray> names{".git/hooks", ".git/config", ".git/info"}; // which can be moved out of .git
    for (const QByteArrayView name : steeringNames()) {
        names.append(name.toByteArray());
    }
    for (const QByteArray &name : names) {
        struct stat status;
        if (::fstatat(workspace, name.constData(), &status, 0) == 0) {
            found.push_back(FileIdentity::of(status));
        }
    }
    return found;
}

} // namespace

ScopeGuard::ScopeGuard(const FrozenPolicy &policy, const FileIdentity &workspace, ScopeRoots roots)
    : m_policy(policy), m_workspace(workspace), m_roots(std::move(roots)), m_home(qgetenv("HOME")),
      m_workspacePath(QByteArray::fromStdString(policy.workspace())),
      m_steeringFiles(findSteeringFiles(policy.workspaceDescriptor()))
{}

ToolOutcome<ScopeGuard> ScopeGuard::create(const FrozenPolicy &policy)
{
    struct stat workspace;
    if (::fstat(policy.workspaceDescriptor(), &workspace) != 0) {
        return pathError("fstat", QByteArray::fromStdString(policy.workspace()), errno);
    }
    ToolOutcome<ScopeRoots> roots = ScopeRoots::create(policy);
    if (!roots) {
        return roots.error();
    }
    return ScopeGuard(policy, FileIdentity::of(workspace), std::move(roots).value());
}

ToolOutcome<QByteArray> ScopeGuard::locate(QByteArrayView path) const
{
    if (!isWorkspaceThere()) {
        return workspaceGone();
    }
    const Result<QByteArray, int> full = absolute(path.toByteArray());
    if (!full) {
        return pathError("open", path, full.error());
    }
    const Result<PathEnd, int> end = walk(*full);
    if (!end) {
        return pathError("open", path, end.error());
    }
    return end->path();
}

ToolOutcome<ScopeHandle> ScopeGuard::open(QByteArrayView path, Access access) const
{
    if (!isWorkspaceThere()) {
        return workspaceGone();
    }
    Result<ScopeHandle, int> handle = tryOpen(path.toByteArray(), access);
    if (!handle) {
        return pathError("open", path, handle.error());
    }
    handle.value().shownPath = path.toByteArray();
    return std::move(handle).value();
}

ToolError ScopeGuard::workspaceGone() const
{
    return {"the project folder " + visibleText(m_workspacePath) + " is gone, or another one is in its place",
            ENOENT};
}

Result<QByteArray, int> ScopeGuard::absolute(const QByteArray &path) const
{
    if (path.isEmpty()) {
        return ENOENT;
    }
    if (path == "~" || path.startsWith("~/")) {
        return m_home + path.mid(1);
    }
    return path.startsWith('/') ? path : m_workspacePath + '/' + path;
}

bool ScopeGuard::isWorkspaceThere() const
{
    struct stat named;
    return ::stat(m_workspacePath.constData(), &named) == 0 && FileIdentity::of(named) == m_workspace;
}

Result<ScopeHandle, int> ScopeGuard::tryOpen(const QByteArray &path, Access access) const
{
    const Result<QByteArray, int> full = absolute(path);
    if (!full) {
        return full.error();
    }
    if (access == Access::Write) {
        const Result<PathEnd, int> end = walk(*full);
        return end ? openForWriting(*end) : Result<ScopeHandle, int>(end.error());
    }
    if (std::optional<ScopeHandle> handle = openBeneath(*full, access)) {
        return std::move(*handle);
    }
    const Result<PathEnd, int> end = walkPath(m_roots, *full);
    if (!end) {
        return end.error();
    }
    if ((end->grants & bitFor(access)) == 0) {
        return EACCES;
    }
    if (!end->rest.isEmpty() && !end->target) {
        return ENOENT;
    }
    const int found = end->target ? *end->target : *end->folder;
    struct stat status;
    if (::fstat(found, &status) != 0) {
        return errno;
    }
    if (const int error = kindError(status.st_mode, access)) {
        return error;
    }
    ScopeHandle handle;
    handle.descriptor = openForReading(found);
    if (!handle.descriptor) {
        return errno;
    }
    handle.realPath = end->path();
    handle.existing = status;
    return handle;
}

Result<PathEnd, int> ScopeGuard::walk(const QByteArray &path) const
{
    if (std::optional<PathEnd> end = walkStraight(m_roots, path)) {
        return std::move(*end);
    }
    return walkPath(m_roots, path);
}

/// The quick way, for paths that stay below one root: leaves everything else, errors too, to the long one.
std::optional<ScopeHandle> ScopeGuard::openBeneath(const QByteArray &path, Access access) const
{
    const ScopeRoot &root = m_roots.nearest(path);
    if ((root.grants & bitFor(access)) == 0) {
        return std::nullopt;
    }
    QByteArray rest = path.mid(root.path.size());
    while (rest.startsWith('/')) {
        rest.remove(0, 1);
    }
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const Descriptor found(static_cast<int>(
        ::syscall(SYS_openat2, *root.descriptor, rest.isEmpty() ? "." : rest.constData(), &how, sizeof how)));
    struct stat status;
    if (!found || ::fstat(found.number(), &status) != 0 || status.st_dev != root.identity.device
        || kindError(status.st_mode, access) != 0) {
        return std::nullopt;
    }
    const Result<std::string> real = realPathOf(found.number());
    ScopeHandle handle;
    handle.descriptor = openForReading(found.number());
    if (!handle.descriptor || !real) {
        return std::nullopt;
    }
    handle.realPath = QByteArray::fromStdString(*real);
    handle.existing = status;
    return handle;
}

Result<ScopeHandle, int> ScopeGuard::openForWriting(const PathEnd &end) const
{
    if ((end.grants & ScopeRoots::Write) == 0) {
        return EACCES;
    }
    if (m_policy.asked().steering.value == Steering::Protected && isProtected(end)) {
        return EACCES;
    }
    if (end.rest.isEmpty() || end.endsWithSlash) {
        return EISDIR;
    }
    if (end.targetStatus) {
        if (const int error = kindError(end.targetStatus->st_mode, Access::Write)) {
            return error;
        }
    }
    ScopeHandle handle;
    handle.descriptor = end.folder;
    handle.realPath = end.path();
    handle.name = end.rest.last();
    handle.missing = end.rest.mid(0, end.rest.size() - 1);
    handle.existing = end.targetStatus;
    return handle;
}

bool ScopeGuard::isProtected(const PathEnd &end) const
{
    const auto isSteeringFile = [this](const FileIdentity &identity) {
        return std::find(m_steeringFiles.begin(), m_steeringFiles.end(), identity) != m_steeringFiles.end();
    };
    return end.passesRepositoryFolder || isSteeringPath(m_roots.belowWritable(end.path()))
           || std::any_of(end.passed.begin(), end.passed.end(), isSteeringFile);
}

} // namespace spettro
