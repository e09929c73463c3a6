#include "sandbox/linux/HostPath.h"

#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace spettro::sandbox {

namespace {

ErrorKind kindOfOpenError(int number)
{
    return number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG ? ErrorKind::Usage
                                                                           : ErrorKind::Unenforceable;
}

} // namespace

SharedDescriptor shareDescriptor(int number)
{
    return {new int(number), [](const int *owned) {
                ::close(*owned);
                delete owned;
            }};
}

Result<Root> openRoot(const std::string &path, Grant grant, Origin origin, LastLink lastLink)
{
    const int flags = O_PATH | O_CLOEXEC | (lastLink == LastLink::Refuse ? O_NOFOLLOW : 0);
    const int number = ::open(path.c_str(), flags);
    if (number < 0) {
        return systemError(kindOfOpenError(errno), path, errno);
    }
    Root root{path, grant, true, std::move(origin), 0, 0, shareDescriptor(number)};
    struct stat status;
    if (::fstat(number, &status) != 0) {
        return systemError(ErrorKind::Unenforceable, "fstat " + path, errno);
    }
    if (S_ISLNK(status.st_mode)) {
        return systemError(ErrorKind::Usage, path, ELOOP);
    }
    root.isDirectory = S_ISDIR(status.st_mode);
    root.device = status.st_dev;
    root.inode = status.st_ino;
    return root;
}

Result<Root> openRealRoot(const std::string &path, Grant grant, const Origin &origin)
{
    Result<Root> root = openRoot(path, grant, origin, LastLink::Follow);
    if (!root) {
        const std::string place = origin.place.empty() ? "" : origin.place + ": ";
        return Error{root.error().kind, place + root.error().message, root.error().nativeCode};
    }
    Result<std::string> real = realPathOf(*root->descriptor);
    if (!real) {
        return real.error();
    }
    root.value().path = std::move(real).value();
    return root;
}

Result<std::string> realPathOf(int descriptor)
{
    char target[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), target, sizeof target);
    if (length < 0) {
        return systemError(ErrorKind::Unenforceable, "readlink " + link, errno);
    }
    return std::string(target, static_cast<std::size_t>(length));
}

std::vector<std::string> foldersOfLinks(const std::string &path)
{
    constexpr std::size_t MostLinks = 40; // path_resolution(7): the kernel follows no more
    std::vector<std::string> folders;
    std::string reached; // what has been resolved so far; empty for "/"
    std::string rest = path;
    while (!rest.empty() && folders.size() <= MostLinks) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        const std::string name = rest.substr(0, end);
        rest.erase(0, end + 1);
        if (name.empty() || name == ".") {
            continue;
        }
        if (name == "..") {
            reached.resize(reached.empty() ? 0 : reached.rfind('/'));
            continue;
        }
        const std::string next = reached + '/' + name;
        char target[PATH_MAX];
        const ssize_t length = ::readlink(next.c_str(), target, sizeof target);
        if (length <= 0) {
            reached = next;
            continue;
        }
        folders.push_back(reached.empty() ? "/" : reached);
        rest = std::string(target, static_cast<std::size_t>(length)) + '/' + rest;
        if (target[0] == '/') {
            reached.clear();
        }
    }
    return folders;
}

bool isBeneath(std::string_view path, std::string_view folder)
{
    if (folder == "/") {
        return path.starts_with('/');
    }
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

} // namespace spettro::sandbox
