#include "tools/StraightWalk.h"

#include "sandbox/linux/HostPath.h"
#include "tools/RepositoryFolder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace spettro {

namespace {

/// The number of folders above the last name; -1 where the path is not straight.
int foldersIn(const QByteArray &path)
{
    int slashes = 0;
    for (qsizetype begin = 0; begin <= path.size(); ++slashes) {
        const qsizetype slash = path.indexOf('/', begin);
        const qsizetype end = slash < 0 ? path.size() : slash;
        const QByteArrayView name = QByteArrayView(path).sliced(begin, end - begin);
        if (name.isEmpty() || name == "." || name == "..") {
            return -1;
        }
        begin = end + 1;
    }
    return slashes - 1;
}

int openFolder(int root, const QByteArray &path)
{
    open_how how{};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
    return static_cast<int>(::syscall(SYS_openat2, root, path.constData(), &how, sizeof how));
}

/// Takes up what is to be known of a folder and of `count` - 1 more above it; whether they end below the root.
bool climb(PathEnd &end, const ScopeRoots &roots, const ScopeRoot &root, int count)
{
    std::string way = "./";
    for (int step = 0; step < count; ++step, way += "../") {
        struct stat status;
        if (::fstatat(*end.folder, way.c_str(), &status, 0) != 0) {
            return false;
        }
        end.passed.push_back(FileIdentity::of(status));
        end.grants |= roots.grantsAt(end.passed.back());
        end.passesRepositoryFolder =
            end.passesRepositoryFolder || isRepositoryFolder(*end.folder, way.c_str());
    }
    struct stat status;
    return ::fstatat(*end.folder, way.c_str(), &status, 0) == 0 && FileIdentity::of(status) == root.identity;
}

} // namespace

std::optional<PathEnd> walkStraight(const ScopeRoots &roots, const QByteArray &path)
{
    const ScopeRoot &root = roots.nearest(path);
    const QByteArray below = path.mid(root.path == "/" ? 1 : root.path.size() + 1);
    const int folders = foldersIn(below);
    if (folders < 0) {
        return std::nullopt;
    }
    const qsizetype lastSlash = below.lastIndexOf('/');
    PathEnd end;
    end.grants = root.grants;
    end.passed.push_back(root.identity);
    end.folder = root.descriptor;
    if (folders > 0) {
        const int folder = openFolder(*root.descriptor, below.left(lastSlash));
        if (folder < 0) {
            return std::nullopt;
        }
        end.folder = sandbox::shareDescriptor(folder);
        if (!climb(end, roots, root, folders)) {
            return std::nullopt;
        }
    }
    end.folderPath = path.left(path.size() - below.size() + lastSlash);
    end.rest = {below.mid(lastSlash + 1)};

    struct stat status;
    if (::fstatat(*end.folder, end.rest.first().constData(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? std::optional(std::move(end)) : std::nullopt;
    }
    if (S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode) || status.st_dev != root.identity.device) {
        return std::nullopt;
    }
    end.passed.push_back(FileIdentity::of(status));
    end.grants |= roots.grantsAt(end.passed.back());
    end.targetStatus = status;
    return end;
}

} // namespace spettro
