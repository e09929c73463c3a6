#pragma once

#include "sandbox/linux/Descriptor.h"
#include "tools/ScopeRoots.h"

#include <QList>

#include <optional>
#include <vector>

namespace spettro {

/// Where a path ends.
struct PathEnd
{
    sandbox::SharedDescriptor folder; ///< The deepest folder on the way that exists (`O_PATH`).
    QByteArray folderPath;            ///< Its path, absolute and without links.
    unsigned grants = 0;              ///< Of `folder`, or of the file where there is one.
    /// What follows below `folder`: nothing where the path leads to the folder itself, one name where it leads to
    /// a file that exists, else the names that do not exist.
    QList<QByteArray> rest;
    std::optional<struct stat> targetStatus; ///< Of the file; empty for a folder and for what does not exist.
    sandbox::SharedDescriptor target;        ///< That file (`O_PATH`), by `walkPath` alone.
    bool endsWithSlash = false;
    bool passesRepositoryFolder = false; ///< A folder that was entered is git's own, by what is in it.
    std::vector<FileIdentity> passed;    ///< The folders that were entered and the file.

    /// The path, absolute and without links.
    QByteArray path() const;
};

/// Follows an absolute path component by component, through links, as the kernel does, without opening anything but
/// folders and that only as `O_PATH`. Returns the error number where it leads nowhere: a link too many (`ELOOP`), no
/// permission (`EACCES`, also for everything on a proc file system)...
sandbox::Result<PathEnd, int> walkPath(const ScopeRoots &roots, const QByteArray &path);

} // namespace spettro
