#include "tools/PathWalk.h"

#include "sandbox/linux/HostPath.h"
#include "tools/RepositoryFolder.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace spettro {

using namespace sandbox;

namespace {

constexpr int MostLinks = 40; // path_resolution(7): the kernel follows no more

QByteArray joined(const QByteArray &folder, const QByteArray &name)
{
    return folder.endsWith('/') ? folder + name : folder + '/' + name;
}

class Walker
{
public:
    explicit Walker(const ScopeRoots &roots) : m_roots(roots) { m_end.passed.reserve(16); }

    Result<PathEnd, int> walk(const QByteArray &path)
    {
        int error = begin(path);
        while (error == 0 && m_position < m_todo.size() && m_end.rest.isEmpty()) {
            error = step();
        }
        if (error != 0) {
            return error;
        }
        return std::move(m_end);
    }

private:
    /// Starts anew at the root that is nearest to an absolute path.
    int begin(const QByteArray &path)
    {
        if (path.size() >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        const ScopeRoot &root = m_roots.nearest(path);
        m_end.folder = root.descriptor;
        m_end.folderPath = root.path;
        m_end.grants = root.grants;
        m_device = root.identity.device;
        m_end.passed.push_back(root.identity);
        setOut(path.mid(root.path.size()));
        return 0;
    }

    /// Takes the components of a relative path as what is to be done.
    void setOut(QByteArray path)
    {
        m_todo = std::move(path);
        m_position = 0;
        m_end.endsWithSlash = m_todo.endsWith('/') || m_todo.endsWith("/.");
        skipEmpty();
    }

    /// Goes to the next component that means something.
    void skipEmpty()
    {
        while (m_position < m_todo.size()) {
            const bool isDot = m_todo.at(m_position) == '.'
                               && (m_position + 1 == m_todo.size() || m_todo.at(m_position + 1) == '/');
            if (m_todo.at(m_position) != '/' && !isDot) {
                return;
            }
            ++m_position;
        }
    }

    QByteArray takeName()
    {
        const qsizetype slash = m_todo.indexOf('/', m_position);
        QByteArray name = m_todo.mid(m_position, slash < 0 ? -1 : slash - m_position);
        m_position += name.size();
        skipEmpty();
        return name;
    }

    int step()
    {
        const QByteArray name = takeName();
        if (name == "..") {
            return goUp();
        }
        const int number = ::openat(*m_end.folder, name.constData(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (number < 0) {
            return errno == ENOENT ? endMissing(name) : errno;
        }
        SharedDescriptor entry = shareDescriptor(number);
        struct stat status;
        if (::fstat(number, &status) != 0) {
            return errno;
        }
        if (status.st_dev != m_device && isOnProc(number)) {
            return EACCES;
        }
        if (S_ISLNK(status.st_mode)) {
            return follow(number);
        }
        const FileIdentity identity = FileIdentity::of(status);
        m_end.passed.push_back(identity);
        m_end.grants |= m_roots.grantsAt(identity);
        if (S_ISDIR(status.st_mode)) {
            m_end.passesRepositoryFolder = m_end.passesRepositoryFolder || isRepositoryFolder(number);
            m_end.folder = std::move(entry);
            m_end.folderPath = joined(m_end.folderPath, name);
            m_device = status.st_dev;
            return 0;
        }
        if (m_position < m_todo.size() || m_end.endsWithSlash) {
            return ENOTDIR;
        }
        m_end.target = std::move(entry);
        m_end.targetStatus = status;
        m_end.rest = {name};
        return 0;
    }

    /// The path so far is without links, so that the folder above is the one by name.
    int goUp()
    {
        const QByteArray parent = m_end.folderPath.left(m_end.folderPath.lastIndexOf('/'));
        return begin(joined(parent.isEmpty() ? "/" : parent, m_todo.mid(m_position)));
    }

    int follow(int link)
    {
        char text[PATH_MAX];
        const ssize_t length = ::readlinkat(link, "", text, sizeof text);
        if (length < 0) {
            return errno;
        }
        if (++m_links > MostLinks) {
            return ELOOP;
        }
        const QByteArray target(text, length);
        if (target.isEmpty()) {
            return ENOENT;
        }
        const bool isLast = m_position == m_todo.size();
        const QByteArray path =
            isLast && !m_end.endsWithSlash ? target : joined(target, m_todo.mid(m_position));
        if (target.startsWith('/')) {
            return begin(path);
        }
        setOut(path);
        return 0;
    }

    /// Keeps the names that do not exist. The kernel refuses `..` behind one of them.
    int endMissing(const QByteArray &name)
    {
        m_end.rest = {name};
        while (m_position < m_todo.size()) {
            m_end.rest.append(takeName());
        }
        return m_end.rest.contains("..") ? ENOENT : 0;
    }

    static bool isOnProc(int descriptor)
    {
        struct statfs status;
        return ::fstatfs(descriptor, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
    }

    const ScopeRoots &m_roots;
    PathEnd m_end;
    dev_t m_device = 0; ///< Of the folder.
    QByteArray m_todo;  ///< The rest of the way, from `m_position` on.
    qsizetype m_position = 0;
    int m_links = 0;
};

} // namespace

QByteArray PathEnd::path() const
{
    return rest.isEmpty() ? folderPath : joined(folderPath, rest.join('/'));
}

Result<PathEnd, int> walkPath(const ScopeRoots &roots, const QByteArray &path)
{
    return Walker(roots).walk(path);
}

} // namespace spettro
