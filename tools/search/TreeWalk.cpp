#include "tools/search/TreeWalk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace spettro {

namespace {

constexpr qsizetype MaximumIgnoreFile = qsizetype{16} * 1024 * 1024;
constexpr int FolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Without O_NONBLOCK a fifo that took the place of a file would hold the walk up.
constexpr int FileFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// Owns a descriptor.
class Handle
{
public:
    explicit Handle(int descriptor = -1) : m_descriptor(descriptor) {}
    Handle(Handle &&other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    Handle &operator=(Handle &&other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    ~Handle() { reset(); }

    bool isOpen() const { return m_descriptor >= 0; }
    int value() const { return m_descriptor; }
    int release() { return std::exchange(m_descriptor, -1); }
    void reset()
    {
        if (m_descriptor >= 0) {
            close(m_descriptor);
            m_descriptor = -1;
        }
    }

private:
    int m_descriptor;
};

Handle openAt(int folder, const char *name, int flags)
{
    int descriptor = -1;
    do {
        descriptor = openat(folder, name, flags);
    } while (descriptor < 0 && errno == EINTR);
    return Handle(descriptor);
}

struct Name
{
    QByteArray bytes;
    WalkEntry::Kind kind;
};

struct Listing
{
    std::vector<Name> names;
    bool isComplete = false;
    bool hasGit = false;
    bool hasIgnoreFile = false;
};

WalkEntry::Kind kindOf(int folder, const dirent &entry)
{
    switch (entry.d_type) {
    case DT_REG:
        return WalkEntry::Kind::File;
    case DT_DIR:
        return WalkEntry::Kind::Folder;
    case DT_LNK:
        return WalkEntry::Kind::Link;
    case DT_UNKNOWN:
        break;
    default:
        return WalkEntry::Kind::Other;
    }
    struct stat status = {};
    if (fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return WalkEntry::Kind::Other;
    }
    if (S_ISREG(status.st_mode)) {
        return WalkEntry::Kind::File;
    }
    if (S_ISDIR(status.st_mode)) {
        return WalkEntry::Kind::Folder;
    }
    return S_ISLNK(status.st_mode) ? WalkEntry::Kind::Link : WalkEntry::Kind::Other;
}

Listing list(int folder)
{
    Listing listing;
    // A descriptor of its own: readdir moves the position, which the caller's descriptor would share.
    Handle own = openAt(folder, ".", FolderFlags);
    if (!own.isOpen()) {
        return listing;
    }
    const std::unique_ptr<DIR, int (*)(DIR *)> stream(fdopendir(own.value()), closedir);
    if (!stream) {
        return listing;
    }
    own.release();
    errno = 0;
    for (const dirent *entry = readdir(stream.get()); entry != nullptr; entry = readdir(stream.get())) {
        const QByteArrayView name(entry->d_name);
        if (name == ".git") {
            listing.hasGit = true;
        } else if (name != "." && name != "..") {
            listing.hasIgnoreFile = listing.hasIgnoreFile || name == ".gitignore";
            listing.names.push_back({name.toByteArray(), kindOf(folder, *entry)});
        }
        errno = 0;
    }
    listing.isComplete = errno == 0;
    std::sort(listing.names.begin(), listing.names.end(),
              [](const Name &left, const Name &right) { return left.bytes < right.bytes; });
    return listing;
}

struct Identity
{
    dev_t device = 0;
    ino_t number = 0;

    bool operator==(const Identity &) const = default;
};

std::optional<Identity> identityOf(int descriptor)
{
    struct stat status = {};
    if (fstat(descriptor, &status) != 0) {
        return {};
    }
    return Identity{status.st_dev, status.st_ino};
}

/// Rules that are in force, with what leads from their folder to a path of the walk.
struct ActiveRules
{
    GitIgnore rules;
    QByteArray prefix;        ///< In front of the walk's path.
    qsizetype skipLength = 0; ///< Bytes of the walk's path that lead to the folder of the rules.
};

/// One folder on the way down.
struct Level
{
    Handle folder; ///< Closed when too many are open; see Walk::reopen.
    Identity identity;
    std::vector<Name> names;
    std::size_t next = 0;
    qsizetype pathLength = 0;
    std::size_t outerRules = 0;
    std::size_t outerFirstRule = 0;
};

class Walk
{
public:
    Walk(const WalkOptions &options, const WalkVisitor &visitor) : m_options(options), m_visitor(visitor) {}

    WalkSummary run(int root)
    {
        if (m_options.ignoreFiles == IgnoreFiles::Honour) {
            for (const ParentIgnore &parent : m_options.parents) {
                const QByteArray prefix = parent.prefix.isEmpty() ? QByteArray() : parent.prefix + '/';
                m_rules.push_back({parent.rules, prefix, 0});
            }
        }
        enter(openAt(root, ".", FolderFlags));
        while (!m_levels.empty() && m_summary.end == WalkSummary::End::Complete) {
            if (m_levels.back().next < m_levels.back().names.size()) {
                step();
            } else {
                leave();
            }
        }
        return m_summary;
    }

private:
    void enter(Handle folder)
    {
        const std::optional<Identity> identity = folder.isOpen() ? identityOf(folder.value()) : std::nullopt;
        Listing listing;
        if (identity) {
            listing = list(folder.value());
        }
        m_summary.unreadableFolders += listing.isComplete ? 0 : 1;
        if (!identity) {
            return;
        }
        Level level;
        level.identity = *identity;
        level.names = std::move(listing.names);
        level.pathLength = m_path.size();
        level.outerRules = m_rules.size();
        level.outerFirstRule = m_firstRule;
        if (m_options.ignoreFiles == IgnoreFiles::Honour) {
            addRules(folder.value(), listing);
        }
        level.folder = std::move(folder);
        m_levels.push_back(std::move(level));
        if (m_levels.size() > MaximumOpenFolders) {
            m_levels[m_levels.size() - 1 - MaximumOpenFolders].folder.reset();
        }
    }

    void addRules(int folder, const Listing &listing)
    {
        const qsizetype skipLength = m_path.isEmpty() ? 0 : m_path.size() + 1;
        if (listing.hasGit) {
            m_firstRule = m_rules.size(); // rules from above do not reach into a repository
            const Handle git = openAt(folder, ".git", FolderFlags);
            const Handle info = git.isOpen() ? openAt(git.value(), "info", FolderFlags) : Handle();
            if (info.isOpen()) {
                addRulesFrom(info.value(), "exclude", skipLength);
            }
        }
        if (listing.hasIgnoreFile) {
            addRulesFrom(folder, ".gitignore", skipLength);
        }
    }

    void addRulesFrom(int folder, const char *name, qsizetype skipLength)
    {
        const std::optional<QByteArray> text = readWalkedFile(folder, name, MaximumIgnoreFile);
        if (!text) {
            return;
        }
        GitIgnore rules = GitIgnore::parse(*text);
        if (!rules.isEmpty()) {
            m_rules.push_back({std::move(rules), {}, skipLength});
        }
    }

    bool isIgnored(bool isFolder) const
    {
        for (std::size_t i = m_rules.size(); i > m_firstRule; --i) {
            const ActiveRules &active = m_rules[i - 1];
            const std::optional<bool> verdict =
                active.prefix.isEmpty()
                    ? active.rules.verdict(QByteArrayView(m_path).sliced(active.skipLength), isFolder)
                    : active.rules.verdict(active.prefix + m_path, isFolder);
            if (verdict) {
                return *verdict;
            }
        }
        return false;
    }

    void step()
    {
        if (m_options.isCancelled && m_options.isCancelled()) {
            m_summary.end = WalkSummary::End::Cancelled;
            return;
        }
        Level &level = m_levels.back();
        const Name name = std::move(level.names[level.next++]);
        m_path.truncate(level.pathLength);
        if (!m_path.isEmpty()) {
            m_path += '/';
        }
        m_path += name.bytes;
        const bool isFolder = name.kind == WalkEntry::Kind::Folder;
        if (isIgnored(isFolder)) {
            ++m_summary.ignored;
            return;
        }
        ++m_summary.visited;
        const WalkAction action = m_visitor({m_path, name.bytes, name.kind, level.folder.value()});
        if (action == WalkAction::Stop) {
            m_summary.end = WalkSummary::End::Stopped;
        } else if (isFolder && action == WalkAction::Continue) {
            enter(openAt(level.folder.value(), name.bytes.constData(), FolderFlags));
        }
    }

    void leave()
    {
        Level left = std::move(m_levels.back());
        m_levels.pop_back();
        m_rules.resize(left.outerRules);
        m_firstRule = left.outerFirstRule;
        if (!m_levels.empty()) {
            reopen(m_levels.back(), left);
        }
    }

    /// Opens the folder above again if it was closed meanwhile. If the way up leads elsewhere because the folder
    /// has been moved, what is left of it is given up.
    void reopen(Level &level, const Level &below)
    {
        if (level.folder.isOpen()) {
            return;
        }
        Handle folder = openAt(below.folder.value(), "..", FolderFlags);
        const std::optional<Identity> identity = folder.isOpen() ? identityOf(folder.value()) : std::nullopt;
        if (identity != level.identity) {
            ++m_summary.unreadableFolders;
            level.next = level.names.size();
        }
        // Also where it is the wrong one: the way further up is checked in the same manner.
        level.folder = std::move(folder);
    }

    const WalkOptions &m_options;
    const WalkVisitor &m_visitor;
    WalkSummary m_summary;
    QByteArray m_path;
    std::vector<Level> m_levels;
    std::vector<ActiveRules> m_rules;
    std::size_t m_firstRule = 0;
};

} // namespace

WalkSummary walkTree(int folderDescriptor, const WalkOptions &options, const WalkVisitor &visitor)
{
    return Walk(options, visitor).run(folderDescriptor);
}

std::optional<QByteArray> readWalkedFile(int parentDescriptor, const QByteArray &name, qsizetype limit)
{
    const Handle file = openAt(parentDescriptor, name.constData(), FileFlags);
    struct stat status = {};
    if (!file.isOpen() || fstat(file.value(), &status) != 0 || !S_ISREG(status.st_mode)
        || status.st_size > limit) {
        return {};
    }
    // One byte more than the size tells the end of the file without a second read; files in /proc say 0.
    QByteArray content(std::max<qsizetype>(status.st_size + 1, 4096), Qt::Uninitialized);
    qsizetype size = 0;
    while (true) {
        if (size == content.size()) {
            content.resize(content.size() * 2);
        }
        const ssize_t count =
            read(file.value(), content.data() + size, static_cast<std::size_t>(content.size() - size));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 || size + count > limit) {
            return {};
        }
        if (count == 0) {
            break;
        }
        size += count;
    }
    content.truncate(size);
    return content;
}

} // namespace spettro
