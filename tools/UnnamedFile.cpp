#include "tools/UnnamedFile.h"

#include "tools/HiddenName.h"
#include "tools/SameVersion.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spettro {

using namespace sandbox;

UnnamedFile::~UnnamedFile()
{
    if (!m_hiddenName.isEmpty()) {
        ::unlinkat(m_folder, m_hiddenName.constData(), 0);
    }
}

int UnnamedFile::create(mode_t mode)
{
    m_file = Descriptor(::openat(m_folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (m_file) {
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) { // which say: not on this file system
        return errno;
    }
    const QByteArray name = freshHiddenName();
    m_file = Descriptor(
        ::openat(m_folder, name.constData(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode));
    if (!m_file) {
        return errno;
    }
    m_hiddenName = name;
    return 0;
}

int UnnamedFile::write(QByteArrayView content)
{
    for (qsizetype done = 0; done < content.size();) {
        constexpr qsizetype LargestPiece = qsizetype{1} << 30;
        const auto piece = static_cast<std::size_t>(std::min(content.size() - done, LargestPiece));
        const ssize_t count = ::write(m_file.number(), content.data() + done, piece);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        done += std::max<ssize_t>(count, 0);
    }
    return 0;
}

int UnnamedFile::sync()
{
    return ::fsync(m_file.number()) == 0 ? 0 : errno;
}

int UnnamedFile::publish(const QByteArray &name)
{
    if (const int error = link()) {
        return error;
    }
    if (::renameat2(m_folder, m_hiddenName.constData(), m_folder, name.constData(), RENAME_NOREPLACE) != 0) {
        if (errno != EINVAL) { // which says: not on this file system
            return errno;
        }
        if (::linkat(m_folder, m_hiddenName.constData(), m_folder, name.constData(), 0) != 0) {
            return errno;
        }
        return 0; // the hidden name goes with this object
    }
    m_hiddenName.clear();
    return 0;
}

int UnnamedFile::publishOver(const QByteArray &name, const struct stat &expected)
{
    int error = checkVersion(m_folder, name.constData(), expected);
    if (error == 0) {
        error = link();
    }
    if (error != 0) {
        return error;
    }
    const char *hidden = m_hiddenName.constData();
    if (::renameat2(m_folder, hidden, m_folder, name.constData(), RENAME_EXCHANGE) == 0) {
        // The hidden name is the old file's now. Had it changed in between, it goes back.
        error = checkVersion(m_folder, hidden, expected);
        if (error != 0) {
            ::renameat2(m_folder, hidden, m_folder, name.constData(), RENAME_EXCHANGE);
        }
        ::unlinkat(m_folder, hidden, 0); // at once and not with this object: a kill in between would leave it
        m_hiddenName.clear();
        return error;
    }
    if (errno != EINVAL) {
        return errno;
    }
    if (::renameat(m_folder, hidden, m_folder, name.constData()) != 0) {
        return errno;
    }
    m_hiddenName.clear();
    return 0;
}

int UnnamedFile::link()
{
    if (!m_hiddenName.isEmpty()) {
        return 0;
    }
    const QByteArray self = "/proc/self/fd/" + QByteArray::number(m_file.number());
    const QByteArray name = freshHiddenName();
    if (::linkat(AT_FDCWD, self.constData(), m_folder, name.constData(), AT_SYMLINK_FOLLOW) != 0) {
        return errno;
    }
    m_hiddenName = name;
    return 0;
}

} // namespace spettro
