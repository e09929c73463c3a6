#pragma once

#include "tools/search/TreeWalk.h"

#include <QByteArray>

#include <vector>

namespace spettro {

/// What a folder holds.
struct FolderListing
{
    struct Name
    {
        QByteArray bytes;
        WalkEntry::Kind kind;
    };

    std::vector<Name> names; ///< In the order of their bytes, without `.git`.
    bool isComplete = false; ///< False: it could not be read to its end, or not at all.
    bool hasGit = false;
    bool hasIgnoreFile = false;
};

/// Lists an open folder and leaves its position alone.
FolderListing listFolder(int folder);

} // namespace spettro
