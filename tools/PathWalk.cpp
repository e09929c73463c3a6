#include "tools/PathWalk.h"

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

SharedDescriptor share(int number)
{
    return {new int(number), [](const int *owned) {
                ::close(*owned);
                delete owned;
            }};
}

QByteArray joined(const QByteArray &folder, const QByteArray &name)
{
    return folder.endsWith('/') ? folder + name : folder + '/' + name;
}

class Walker
{
public:
    explicit Walker(const ScopeRoots &roots) : m_roots(roots) {}

    Result<PathEnd, int> walk(const QByteArray &path)
    {
        int error = begin(path);
        while (error == 0 && !m_todo.isEmpty() && !m_isMissing) {
            error = step(m_todo.takeFirst());
        }
        if (error != 0) {
            return error;
        }
        const Place &last = m_places.back();
        PathEnd end{last.descriptor, last.path, last.status, last.grants, {}, {}, {},
                    m_endsWithSlash, m_passed};
        if (m_isMissing) {
            end.rest = m_todo;
        } else if (m_target) {
            end.rest = {m_targetName};
            end.target = m_target;
            end.targetStatus = m_targetStatus;
            end.grants |= m_roots.grantsAt(FileIdentity::of(m_targetStatus));
        }
        return end;
    }

private:
    struct Place
    {
        SharedDescriptor descriptor;
        QByteArray path;
        struct stat status = {};
        unsigned grants = 0;
    };

    /// Starts anew at the root that is nearest to an absolute path.
    int begin(const QByteArray &path)
    {
        if (path.size() >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        const ScopeRoot &root = m_roots.nearest(path);
        Place place{root.descriptor, root.path, {}, root.grants};
        if (::fstat(*root.descriptor, &place.status) != 0) {
            return errno;
        }
        m_places = {place};
        m_passed.push_back(FileIdentity::of(place.status));
        return setOut(path.mid(root.path.size()));
    }

    /// Takes the components of a relative path as what is to be done.
    int setOut(const QByteArray &path)
    {
        m_endsWithSlash = path.endsWith('/') || path.endsWith("/.");
        m_todo.clear();
        for (const QByteArray &name : path.split('/')) {
            if (!name.isEmpty() && name != ".") {
                m_todo.append(name);
            }
        }
        return 0;
    }

    int step(const QByteArray &name)
    {
        if (name == "..") {
            return goUp();
        }
        const Place &here = m_places.back();
        const int number = ::openat(*here.descriptor, name.constData(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (number < 0) {
            return errno == ENOENT ? endMissing(name) : errno;
        }
        SharedDescriptor entry = share(number);
        struct stat status;
        if (::fstat(number, &status) != 0) {
            return errno;
        }
        if (status.st_dev != here.status.st_dev && isOnProc(number)) {
            return EACCES;
        }
        if (S_ISLNK(status.st_mode)) {
            return follow(number);
        }
        m_passed.push_back(FileIdentity::of(status));
        if (S_ISDIR(status.st_mode)) {
            const unsigned grants = here.grants | m_roots.grantsAt(FileIdentity::of(status));
            m_places.push_back({std::move(entry), joined(here.path, name), status, grants});
            return 0;
        }
        if (!m_todo.isEmpty() || m_endsWithSlash) {
            return ENOTDIR;
        }
        m_target = std::move(entry);
        m_targetName = name;
        m_targetStatus = status;
        return 0;
    }

    int goUp()
    {
        if (m_places.size() > 1) {
            m_places.pop_back();
            return 0;
        }
        // Above the root that the walk began at: its path is without links, so that its parent is the one by name.
        const QByteArray parent = m_places.back().path.left(m_places.back().path.lastIndexOf('/'));
        return begin(joined(parent.isEmpty() ? "/" : parent, remaining()));
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
        const QByteArray rest = remaining();
        const QByteArray path = rest.isEmpty() ? target : joined(target, rest);
        if (target.startsWith('/')) {
            return begin(path);
        }
        return setOut(path);
    }

    /// The kernel refuses `..` behind a name that does not exist.
    int endMissing(const QByteArray &name)
    {
        if (m_todo.contains("..")) {
            return ENOENT;
        }
        m_todo.prepend(name);
        m_isMissing = true;
        return 0;
    }

    QByteArray remaining() const { return m_todo.join('/') + (m_endsWithSlash ? "/" : ""); }

    static bool isOnProc(int descriptor)
    {
        struct statfs status;
        return ::fstatfs(descriptor, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
    }

    const ScopeRoots &m_roots;
    std::vector<Place> m_places; ///< The way from the root that the walk began at.
    QList<QByteArray> m_todo;
    std::vector<FileIdentity> m_passed;
    SharedDescriptor m_target;
    QByteArray m_targetName;
    struct stat m_targetStatus = {};
    int m_links = 0;
    bool m_isMissing = false;
    bool m_endsWithSlash = false;
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
