#include "tools/permissions/PrivateFile.h"

#include <QString>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spettro {

namespace {

/// A file descriptor that is closed with its scope.
class Descriptor
{
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor()
    {
        if (m_number >= 0)
            ::close(m_number);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;

    int number() const { return m_number; }
    bool isOpen() const { return m_number >= 0; }

private:
    int m_number;
};

QString failure(const QByteArray &path, const QString &reason)
{
    return QString::fromUtf8(path) + QStringLiteral(": ") + reason;
}

QString failure(const QByteArray &path, int code)
{
    return failure(path, QString::fromLocal8Bit(std::strerror(code)));
}

QByteArray folderOf(const QByteArray &path)
{
    const qsizetype slash = path.lastIndexOf('/');
    return slash <= 0 ? QByteArray("/") : path.first(slash);
}

int openAgain(const QByteArray &path, int flags, mode_t mode = 0)
{
    int file = -1;
    do {
        file = ::open(path.constData(), flags | O_CLOEXEC | O_NOFOLLOW, mode);
    } while (file < 0 && errno == EINTR);
    return file;
}

/// Why a file or folder is not the owner's alone; empty when it is.
QString foreignness(const struct stat &info, mode_t forbidden)
{
    if (info.st_uid != ::geteuid())
        return QStringLiteral("belongs to another user");
    if ((info.st_mode & forbidden) != 0)
        return QStringLiteral("other users have rights on it");
    return {};
}

bool writeAll(int file, const QByteArray &content)
{
    qsizetype done = 0;
    while (done < content.size()) {
        const ssize_t written =
            ::write(file, content.constData() + done, static_cast<std::size_t>(content.size() - done));
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? written : 0;
    }
    return true;
}

/// Creates missing folders, each for the owner only.
bool makePath(const QByteArray &path)
{
    for (qsizetype slash = path.indexOf('/', 1);; slash = path.indexOf('/', slash + 1)) {
        const QByteArray part = slash < 0 ? path : path.first(slash);
        if (::mkdir(part.constData(), 0700) != 0 && errno != EEXIST)
            return false;
        if (slash < 0)
            return true;
    }
}

} // namespace

PrivateFile::Text PrivateFile::read(qsizetype limit) const
{
    // Without waiting: a pipe in the file's place must not hold the session.
    const Descriptor file(openAgain(m_path, O_RDONLY | O_NONBLOCK));
    if (!file.isOpen()) {
        if (errno == ENOENT)
            return QByteArray();
        return failure(m_path, errno == ELOOP ? QStringLiteral("is a symbolic link")
                                              : QString::fromLocal8Bit(std::strerror(errno)));
    }
    struct stat info = {};
    if (::fstat(file.number(), &info) != 0)
        return failure(m_path, errno);
    if (!S_ISREG(info.st_mode))
        return failure(m_path, QStringLiteral("is not a regular file"));
    if (const QString reason = foreignness(info, S_IWGRP | S_IWOTH); !reason.isEmpty())
        return failure(m_path, reason);
    QByteArray content(""); // Not null: the file is there.
    char buffer[16384];
    for (;;) {
        const ssize_t count = ::read(file.number(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(m_path, errno);
        if (count == 0)
            return content;
        content.append(buffer, count);
        if (content.size() > limit)
            return failure(m_path, QStringLiteral("is longer than %1 bytes").arg(limit));
    }
}

std::optional<QString> PrivateFile::write(const QByteArray &content) const
{
    // The lock makes this process the only one with this name; a left-over of a crash goes.
    const QByteArray temporary = m_path + ".new";
    if (::unlink(temporary.constData()) != 0 && errno != ENOENT)
        return failure(temporary, errno);
    {
        const Descriptor file(openAgain(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600));
        if (!file.isOpen())
            return failure(temporary, errno);
        if (!writeAll(file.number(), content) || ::fsync(file.number()) != 0) {
            const int code = errno;
            ::unlink(temporary.constData());
            return failure(temporary, code);
        }
    }
    if (std::rename(temporary.constData(), m_path.constData()) != 0) {
        const int code = errno;
        ::unlink(temporary.constData());
        return failure(m_path, code);
    }
    const Descriptor folder(openAgain(folderOf(m_path), O_RDONLY | O_DIRECTORY));
    if (!folder.isOpen() || ::fsync(folder.number()) != 0)
        return failure(folderOf(m_path), errno);
    return std::nullopt;
}

std::optional<QString> PrivateFile::makeFolder() const
{
    const QByteArray path = folderOf(m_path);
    if (!makePath(path))
        return failure(path, errno);
    const Descriptor folder(openAgain(path, O_RDONLY | O_DIRECTORY));
    struct stat info = {};
    if (!folder.isOpen() || ::fstat(folder.number(), &info) != 0)
        return failure(path, errno == ELOOP || errno == ENOTDIR
                                 ? QStringLiteral("is a link or no folder")
                                 : QString::fromLocal8Bit(std::strerror(errno)));
    if (const QString reason = foreignness(info, S_IRWXG | S_IRWXO); !reason.isEmpty())
        return failure(path, reason);
    return std::nullopt;
}

PrivateFileLock::PrivateFileLock(const QByteArray &path)
{
    const QByteArray lock = path + ".lock";
    m_file = openAgain(lock, O_RDWR | O_CREAT, 0600);
    int result = m_file < 0 ? -1 : 0;
    while (m_file >= 0 && (result = ::flock(m_file, LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (result != 0)
        m_error = failure(lock, errno);
}

PrivateFileLock::~PrivateFileLock()
{
    if (m_file >= 0)
        ::close(m_file);
}

} // namespace spettro
