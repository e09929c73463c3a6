#include "tools/FileAttributes.h"

#include <QByteArray>
#include <QList>

#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

namespace spettro {

namespace {

constexpr mode_t PermissionBits = 07777;
constexpr mode_t SetIdBits = S_ISUID | S_ISGID;

QByteArray valueOf(int file, const char *name)
{
    const ssize_t size = ::fgetxattr(file, name, nullptr, 0);
    QByteArray value(size > 0 ? size : 0, '\0');
    const ssize_t read = ::fgetxattr(file, name, value.data(), static_cast<std::size_t>(value.size()));
    value.resize(read > 0 ? read : 0);
    return value;
}

int copyExtendedAttributes(int from, int to)
{
    const ssize_t size = ::flistxattr(from, nullptr, 0);
    if (size <= 0) {
        return 0; // none, or a file system without them
    }
    QByteArray names(size, '\0');
    const ssize_t length = ::flistxattr(from, names.data(), static_cast<std::size_t>(size));
    names.resize(length > 0 ? length : 0);
    for (const QByteArray &name : names.split('\0')) {
        if (name.isEmpty()) {
            continue;
        }
        const QByteArray value = valueOf(from, name.constData());
        const bool isSet =
            ::fsetxattr(to, name.constData(), value.constData(), static_cast<std::size_t>(value.size()), 0)
            == 0;
        // security.* and trusted.* are the system's to give; a user's own and the access rules must not be lost.
        if (!isSet && (name.startsWith("user.") || name.startsWith("system.posix_acl"))) {
            return errno;
        }
    }
    return 0;
}

} // namespace

int copyAttributes(int from, const struct stat &fromStatus, int to, bool *lostOwner)
{
    const bool hasGroup = ::fchown(to, static_cast<uid_t>(-1), fromStatus.st_gid) == 0;
    const bool hasOwner = ::fchown(to, fromStatus.st_uid, static_cast<gid_t>(-1)) == 0;
    *lostOwner = !hasGroup || !hasOwner;
    // A program that ran as its owner must not come to run as somebody else.
    const mode_t dropped = *lostOwner ? SetIdBits : 0;
    ::fremovexattr(to, "system.posix_acl_access"); // what the folder gives to new files
    if (::fchmod(to, fromStatus.st_mode & PermissionBits & ~dropped) != 0) {
        return errno;
    }
    return copyExtendedAttributes(from, to);
}

} // namespace spettro
