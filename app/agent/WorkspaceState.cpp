#include "app/agent/WorkspaceState.h"

#include "sandbox/linux/Descriptor.h"
#include "tools/search/TreeWalk.h"

#include <QCryptographicHash>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace spettro {

namespace {

constexpr qsizetype LargestByContent = 1'048'576;

QByteArray targetOf(const WalkEntry &link, const QByteArray &name)
{
    char target[PATH_MAX];
    const ssize_t length = ::readlinkat(link.parentDescriptor, name.constData(), target, sizeof target);
    return {target, std::max<ssize_t>(length, 0)};
}

QByteArray contentOf(const WalkEntry &file, const QByteArray &name, const struct stat &status)
{
    if (const auto content = readWalkedFile(file.parentDescriptor, name, LargestByContent)) {
        return QCryptographicHash::hash(*content, QCryptographicHash::Sha256);
    }
    return QByteArray::number(status.st_size) + ' ' + QByteArray::number(status.st_mtim.tv_sec) + '.'
           + QByteArray::number(status.st_mtim.tv_nsec);
}

QMap<QByteArray, QByteArray> read(int folder, const WalkOptions &options)
{
    QMap<QByteArray, QByteArray> found;
    walkTree(folder, options, [&found](const WalkEntry &entry) {
        const QByteArray name = entry.name.toByteArray();
        struct stat status
        {};
        if (entry.kind != WalkEntry::Kind::Folder
            && ::fstatat(entry.parentDescriptor, name.constData(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
            QByteArray what = QByteArray::number(status.st_mode, 8) + ' ';
            what += entry.kind == WalkEntry::Kind::Link   ? targetOf(entry, name)
                    : entry.kind == WalkEntry::Kind::File ? contentOf(entry, name, status)
                                                          : QByteArray();
            found.insert(entry.path.toByteArray(), what);
        }
        return WalkAction::Continue;
    });
    return found;
}

} // namespace

WorkspaceState WorkspaceState::read(int folder, const std::function<bool()> &isCancelled)
{
    WorkspaceState state;
    WalkOptions options;
    options.isCancelled = isCancelled;
    state.m_files = spettro::read(folder, options);
    options.ignoreFiles = IgnoreFiles::Disregard;
    const sandbox::Descriptor branches(
        ::openat(folder, ".git/refs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (branches) {
        state.m_branches = spettro::read(branches.number(), options);
    }
    return state;
}

QList<QByteArray> WorkspaceState::changesSince(const WorkspaceState &earlier) const
{
    QList<QByteArray> changed;
    for (auto file = m_files.cbegin(); file != m_files.cend(); ++file) {
        if (earlier.m_files.value(file.key()) != file.value()) {
            changed.append(file.key());
        }
    }
    for (auto file = earlier.m_files.cbegin(); file != earlier.m_files.cend(); ++file) {
        if (!m_files.contains(file.key())) {
            changed.append(file.key());
        }
    }
    std::sort(changed.begin(), changed.end());
    return changed;
}

} // namespace spettro
