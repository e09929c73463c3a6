#include "tools/SameVersion.h"

#include <fcntl.h>

#include <cerrno>

namespace spettro {

namespace {

bool isSameMoment(const timespec &a, const timespec &b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

} // namespace

int checkVersion(int folder, const char *name, const struct stat &expected)
{
    struct stat now;
    if (::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno;
    }
    const bool isSame = now.st_dev == expected.st_dev && now.st_ino == expected.st_ino
                        && now.st_size == expected.st_size && isSameMoment(now.st_mtim, expected.st_mtim);
    return isSame ? 0 : ESTALE;
}

} // namespace spettro
