#include "app/agent/session/PrivateFiles.h"

#include "tools/text/SafeText.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace spettro {

using sandbox::Descriptor;

namespace {

constexpr mode_t OthersRights = S_IRWXG | S_IRWXO;

ToolError openError(const QByteArray &shownPath, int number)
{
    if (number == ELOOP) {
        return {"open " + visibleText(shownPath) + ": it is a link", number};
    }
    return pathError("open", shownPath, number);
}

std::optional<ToolError> foreignness(const struct stat &status, const QByteArray &shownPath)
{
    if (status.st_uid != ::geteuid()) {
        return ToolError{visibleText(shownPath) + " belongs to another user", EPERM};
    }
    if ((status.st_mode & OthersRights) != 0) {
        return ToolError{"other users have rights on " + visibleText(shownPath)
                             + " (take them away: chmod go= " + visibleText(shownPath) + ')',
                         EPERM};
    }
    return std::nullopt;
}

struct CloseFolder
{
    void operator()(DIR *folder) const { ::closedir(folder); }
};

int removeEntries(int folder)
{
    const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder));
    if (!entries) {
        const int error = errno;
        ::close(folder);
        return error;
    }
    while (const dirent *entry = ::readdir(entries.get())) {
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (const int error = removeTree(::dirfd(entries.get()), entry->d_name)) {
            return error;
        }
    }
    return 0;
}

} // namespace

ToolOutcome<Descriptor> openPrivateFolder(int parent, const QByteArray &name, const QByteArray &shownPath,
                                          IfMissing ifMissing)
{
    const bool isNew = ifMissing == IfMissing::Make && ::mkdirat(parent, name.constData(), S_IRWXU) == 0;
    if (ifMissing == IfMissing::Make && !isNew && errno != EEXIST) {
        return pathError("mkdir", shownPath, errno);
    }
    Descriptor folder(::openat(parent, name.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (!folder || ::fstat(folder.number(), &status) != 0) {
        return openError(shownPath, errno);
    }
    if (const std::optional<ToolError> error = foreignness(status, shownPath)) {
        return *error;
    }
    if (isNew) {
        ::fsync(parent); // of no use on some file systems, which then need none
    }
    return folder;
}

ToolOutcome<Descriptor> openPrivateFile(int folder, const QByteArray &name, const QByteArray &shownPath,
                                        int flags)
{
    // Without O_NONBLOCK a fifo by that name would be waited for.
    Descriptor file(::openat(folder, name.constData(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                             S_IRUSR | S_IWUSR));
    struct stat status;
    if (!file || ::fstat(file.number(), &status) != 0) {
        return openError(shownPath, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return ToolError{visibleText(shownPath) + " is no regular file", EINVAL};
    }
    if (const std::optional<ToolError> error = foreignness(status, shownPath)) {
        return *error;
    }
    return file;
}

std::optional<ToolError> lockFile(int file, const QByteArray &shownPath)
{
    while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            return ToolError{visibleText(shownPath) + " is in use by another Spettro", EWOULDBLOCK};
        }
        if (errno != EINTR) {
            return pathError("lock", shownPath, errno);
        }
    }
    struct stat status;
    if (::fstat(file, &status) != 0 || status.st_nlink == 0) {
        return pathError("open", shownPath, ENOENT); // removed between opening and locking
    }
    return std::nullopt;
}

int writeAt(int file, QByteArrayView bytes, qint64 place)
{
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t count =
            ::pwrite(file, bytes.data() + done, static_cast<std::size_t>(bytes.size() - done), place + done);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        done += std::max<ssize_t>(count, 0);
    }
    return 0;
}

int readAt(int file, qint64 place, qint64 size, QByteArray *bytes)
{
    bytes->resize(size);
    qsizetype done = 0;
    while (done < size) {
        const ssize_t count =
            ::pread(file, bytes->data() + done, static_cast<std::size_t>(size - done), place + done);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        if (count == 0) {
            break;
        }
        done += std::max<ssize_t>(count, 0);
    }
    bytes->resize(done);
    return 0;
}

int removeTree(int folder, const QByteArray &name)
{
    if (::unlinkat(folder, name.constData(), 0) == 0) {
        return 0;
    }
    if (errno != EISDIR) {
        return errno;
    }
    const int opened = ::openat(folder, name.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) {
        return errno;
    }
    if (const int error = removeEntries(opened)) {
        return error;
    }
    return ::unlinkat(folder, name.constData(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

} // namespace spettro
