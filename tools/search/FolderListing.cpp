#include "tools/search/FolderListing.h"

#include "tools/search/WalkHandle.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace spettro {

namespace {

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

} // namespace

FolderListing listFolder(int folder)
{
    FolderListing listing;
    // A descriptor of its own: readdir moves the position, which the caller's descriptor would share.
    WalkHandle own = openFolderAt(folder, ".");
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
              [](const FolderListing::Name &left, const FolderListing::Name &right) {
                  return left.bytes < right.bytes;
              });
    return listing;
}

} // namespace spettro
