#pragma once

#include "tools/search/GitIgnore.h"

#include <QByteArray>
#include <QByteArrayView>

#include <functional>
#include <optional>
#include <vector>

namespace spettro {

/// What a walk found. Valid only while the visitor runs.
struct WalkEntry
{
    enum class Kind {
        File,
        Folder,
        Link,  ///< A symbolic link; nothing followed it.
        Other, ///< A fifo, socket or device; nothing opened it.
    };

    QByteArrayView path; ///< From the folder the walk began in, components separated by `/`.
    QByteArrayView name; ///< The last component.
    Kind kind = Kind::Other;
    int parentDescriptor = -1; ///< The folder that holds it, for `openat(parentDescriptor, name, …)`.
};

enum class WalkAction {
    Continue,
    SkipFolder, ///< Do not go into this folder; the same as Continue for everything else.
    Stop,
};

/// The rules of a folder above the one where a walk begins.
struct ParentIgnore
{
    QByteArray prefix; ///< The walk's folder seen from the folder of the rules, as `src/lib`.
    GitIgnore rules;
};

enum class IgnoreFiles { Honour, Disregard };

struct WalkOptions
{
    IgnoreFiles ignoreFiles = IgnoreFiles::Honour;
    /// The weakest first: `.git/info/exclude` of the repository, then its `.gitignore` files from its top down.
    std::vector<ParentIgnore> parents;
    /// Asked before every entry; true ends the walk. May be empty.
    std::function<bool()> isCancelled;
};

struct WalkSummary
{
    enum class End { Complete, Stopped, Cancelled };

    End end = End::Complete;
    qsizetype visited = 0; ///< Entries that the visitor saw.
    qsizetype ignored = 0; ///< Entries that a rule kept from the visitor, what is below them not counted.
    qsizetype unreadableFolders = 0; ///< Folders that could not be read, wholly or in part, or were replaced.

    bool operator==(const WalkSummary &) const = default;
};

using WalkVisitor = std::function<WalkAction(const WalkEntry &)>;

/// Visits everything below an open folder, a folder before what it holds, names in the order of their bytes.
/// Names are bytes and need not be UTF-8. Nothing named `.git` is visited. Links are never followed, also not
/// when a folder is replaced by one during the walk. `.gitignore` counts in every folder, in a repository or not;
/// `.git/info/exclude` where the walk meets a `.git`, and rules from above do not reach into such a folder.
/// At most `MaximumOpenFolders` + 3 descriptors are open at a time, whatever the depth.
WalkSummary walkTree(int folderDescriptor, const WalkOptions &options, const WalkVisitor &visitor);

inline constexpr int MaximumOpenFolders = 32;

/// The content of a regular file that a walk found; nothing if it cannot be read, has been replaced by something
/// else, or has more than `limit` bytes.
std::optional<QByteArray> readWalkedFile(int parentDescriptor, const QByteArray &name, qsizetype limit);

} // namespace spettro
