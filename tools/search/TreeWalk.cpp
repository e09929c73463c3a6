#include "tools/search/TreeWalk.h"

#include "tools/search/FolderListing.h"
#include "tools/search/WalkHandle.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace spettro {

namespace {

constexpr qsizetype MaximumIgnoreFile = qsizetype{16} * 1024 * 1024;

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
    WalkHandle folder; ///< Closed when too many are open; see Walk::reopen.
    Identity identity;
    std::vector<FolderListing::Name> names;
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
        enter(openFolderAt(root, "."));
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
    void enter(WalkHandle folder)
    {
        const std::optional<Identity> identity = folder.isOpen() ? identityOf(folder.value()) : std::nullopt;
        FolderListing listing;
        if (identity) {
            listing = listFolder(folder.value());
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

    void addRules(int folder, const FolderListing &listing)
    {
        const qsizetype skipLength = m_path.isEmpty() ? 0 : m_path.size() + 1;
        if (listing.hasGit) {
            m_firstRule = m_rules.size(); // rules from above do not reach into a repository
            const WalkHandle git = openFolderAt(folder, ".git");
            const WalkHandle info = git.isOpen() ? openFolderAt(git.value(), "info") : WalkHandle();
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
        const FolderListing::Name name = std::move(level.names[level.next++]);
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
            enter(openFolderAt(level.folder.value(), name.bytes.constData()));
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
        WalkHandle folder = openFolderAt(below.folder.value(), "..");
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
    const WalkHandle file = openFileAt(parentDescriptor, name.constData());
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
