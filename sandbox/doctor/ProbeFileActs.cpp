#include "sandbox/doctor/ProbeActs.h"
#include "sandbox/linux/Descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace spettro::sandbox {

namespace {

using Arguments = std::vector<std::string>;

int writeTo(const std::string &path, int flags)
{
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600));
    return file ? errorOf(::write(file.number(), "changed", 7)) : errno;
}

int write(const Arguments &arguments)
{
    return writeTo(arguments[0], 0);
}

int create(const Arguments &arguments)
{
    return writeTo(arguments[0], O_CREAT | O_EXCL);
}

int createTemporary(const Arguments &arguments)
{
    const char *folder = std::getenv("TMPDIR");
    return folder != nullptr ? writeTo(std::string(folder) + '/' + arguments[0], O_CREAT | O_EXCL) : ENOENT;
}

int makeFolder(const Arguments &arguments)
{
    return errorOf(::mkdir(arguments[0].c_str(), 0700));
}

int remove(const Arguments &arguments)
{
    return errorOf(::unlink(arguments[0].c_str()));
}

int rename(const Arguments &arguments)
{
    return errorOf(::rename(arguments[0].c_str(), arguments[1].c_str()));
}

int symlinkWrite(const Arguments &arguments)
{
    const int error = errorOf(::symlink(arguments[0].c_str(), arguments[1].c_str()));
    return error != 0 ? error : writeTo(arguments[1], 0);
}

int linkWrite(const Arguments &arguments)
{
    const int error = errorOf(::link(arguments[0].c_str(), arguments[1].c_str()));
    return error != 0 ? error : writeTo(arguments[1], 0);
}

int read(const Arguments &arguments)
{
    return copyToOutput(arguments[0]);
}

int symlinkRead(const Arguments &arguments)
{
    const int error = errorOf(::symlink(arguments[0].c_str(), arguments[1].c_str()));
    return error != 0 ? error : copyToOutput(arguments[1]);
}

int linkRead(const Arguments &arguments)
{
    const int error = errorOf(::link(arguments[0].c_str(), arguments[1].c_str()));
    return error != 0 ? error : copyToOutput(arguments[1]);
}

int list(const Arguments &arguments)
{
    DIR *folder = ::opendir(arguments[0].c_str());
    if (folder == nullptr) {
        return errno;
    }
    while (const dirent *entry = ::readdir(folder)) {
        [[maybe_unused]] const ssize_t written =
            ::write(STDOUT_FILENO, entry->d_name, std::strlen(entry->d_name));
    }
    ::closedir(folder);
    return 0;
}

int truncate(const Arguments &arguments)
{
    return errorOf(::truncate(arguments[0].c_str(), 0));
}

int truncateByOpen(const std::string &path, int accessMode)
{
    return Descriptor(::open(path.c_str(), accessMode | O_TRUNC | O_CLOEXEC)) ? 0 : errno;
}

int truncateOpen(const Arguments &arguments)
{
    return truncateByOpen(arguments[0], O_RDONLY);
}

/// The access mode 3 gives a descriptor for control calls only (open(2)).
int truncateOpenUnspecified(const Arguments &arguments)
{
    return truncateByOpen(arguments[0], O_ACCMODE);
}

int chmod(const Arguments &arguments)
{
    return errorOf(::chmod(arguments[0].c_str(), 0640));
}

int fchmod(const Arguments &arguments)
{
    const Descriptor file(::open(arguments[0].c_str(), O_RDONLY | O_CLOEXEC));
    return file ? errorOf(::fchmod(file.number(), 0640)) : errno;
}

int setTimes(const Arguments &arguments)
{
    const timespec times[2] = {{1, 0}, {1, 0}};
    return errorOf(::utimensat(AT_FDCWD, arguments[0].c_str(), times, 0));
}

constexpr ProbeAct Acts[] = {
    {"write", 1, write},
    {"create", 1, create},
    {"create-temporary", 1, createTemporary},
    {"make-folder", 1, makeFolder},
    {"remove", 1, remove},
    {"rename", 2, rename},
    {"symlink-write", 2, symlinkWrite},
    {"link-write", 2, linkWrite},
    {"read", 1, read},
    {"symlink-read", 2, symlinkRead},
    {"link-read", 2, linkRead},
    {"list", 1, list},
    {"truncate", 1, truncate},
    {"truncate-open", 1, truncateOpen},
    {"truncate-open-unspecified", 1, truncateOpenUnspecified},
    {"chmod", 1, chmod},
    {"fchmod", 1, fchmod},
    {"set-times", 1, setTimes},
};

} // namespace

int copyToOutput(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!file) {
        return errno;
    }
    char block[4096];
    ssize_t count = 0;
    while ((count = ::read(file.number(), block, sizeof block)) > 0) {
        if (::write(STDOUT_FILENO, block, static_cast<std::size_t>(count)) < 0) {
            return errno;
        }
    }
    return errorOf(count);
}

std::span<const ProbeAct> fileActs()
{
    return Acts;
}

} // namespace spettro::sandbox
