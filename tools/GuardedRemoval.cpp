#include "tools/GuardedRemoval.h"

#include "tools/HiddenName.h"
#include "tools/SameVersion.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

namespace spettro {

namespace {

constexpr mode_t AnyoneWrites = S_IWUSR | S_IWGRP | S_IWOTH;

/// Returns 0 or the error number.
int removeVersion(int folder, const char *name, const struct stat &expected)
{
    if (const int error = checkVersion(folder, name, expected)) {
        return error;
    }
    // Out of the way first and looked at again: between a look and unlink(2) another file could take the name.
    const QByteArray hidden = freshHiddenName();
    if (::renameat2(folder, name, folder, hidden.constData(), RENAME_NOREPLACE) != 0) {
        if (errno != EINVAL) { // which says: not on this file system
            return errno;
        }
        return ::unlinkat(folder, name, 0) == 0 ? 0 : errno;
    }
    if (const int error = checkVersion(folder, hidden.constData(), expected)) {
        ::renameat2(folder, hidden.constData(), folder, name, RENAME_NOREPLACE);
        return error;
    }
    return ::unlinkat(folder, hidden.constData(), 0) == 0 ? 0 : errno;
}

/// The folder itself, where files may be written in it.
sandbox::SharedDescriptor writableFolder(const ScopeGuard &guard, const QByteArray &realPath)
{
    const ToolOutcome<ScopeHandle> inside = guard.open(realPath + '/' + freshHiddenName(), Access::Write);
    const bool isThere =
        inside && inside->missing.isEmpty() && inside->realPath == realPath + '/' + inside->name;
    return isThere ? inside->descriptor : nullptr;
}

} // namespace

std::optional<ToolError> removeFile(const ScopeHandle &target)
{
    int error = ENOENT;
    if (target.existing) {
        error = (target.existing->st_mode & AnyoneWrites) == 0
                    ? EACCES
                    : removeVersion(*target.descriptor, target.name.constData(), *target.existing);
    }
    if (error != 0) {
        return pathError("remove", target.shownPath, error);
    }
    return std::nullopt;
}

bool removeEmptyFolder(const ScopeGuard &guard, const QByteArray &realPath)
{
    const qsizetype slash = realPath.lastIndexOf('/');
    if (slash <= 0 || !writableFolder(guard, realPath)) {
        return false;
    }
    const sandbox::SharedDescriptor parent = writableFolder(guard, realPath.first(slash));
    return parent && ::unlinkat(*parent, realPath.sliced(slash + 1).constData(), AT_REMOVEDIR) == 0;
}

} // namespace spettro
