#include "app/config/AcceptedManifests.h"

#include "sandbox/linux/Descriptor.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::size_t LargestFile = std::size_t{4} * 1024 * 1024;

Error storeError(const std::string &path)
{
    return systemError(ErrorKind::Usage, path, errno);
}

/// Makes the folders on the way to a file, for this user alone.
bool makeFoldersFor(const std::string &path)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        if (::mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST) {
            return false;
        }
    }
    return true;
}

bool writeAll(int file, const std::string &text)
{
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(file, text.data() + done, text.size() - done);
        if (count < 0) {
            return false;
        }
        done += static_cast<std::size_t>(count);
    }
    return ::fsync(file) == 0;
}

/// A file that somebody else could have written says nothing.
bool isOurs(int file)
{
    struct stat status;
    return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid()
           && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

} // namespace

std::string AcceptedManifests::fileFor(const std::string &workspace) const
{
    return m_folder + workspace + "/accepted-lines";
}

std::vector<std::string> AcceptedManifests::linesFor(const std::string &workspace) const
{
    const Descriptor file(::open(fileFor(workspace).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file || !isOurs(file.number())) {
        return {};
    }
    std::string text;
    char block[4096];
    for (ssize_t count;
         (count = ::read(file.number(), block, sizeof block)) > 0 && text.size() < LargestFile;) {
        text.append(block, static_cast<std::size_t>(count));
    }
    std::vector<std::string> lines;
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
        lines.push_back(text.substr(begin, end - begin));
    }
    return lines;
}

Result<std::string> AcceptedManifests::accept(const std::string &workspace,
                                              const std::vector<std::string> &lines) const
{
    const std::string path = fileFor(workspace);
    const std::string fresh = path + ".new";
    std::string text;
    for (const std::string &line : lines) {
        text += line + '\n';
    }
    if (!makeFoldersFor(path)) {
        return storeError(path);
    }
    const Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file || !writeAll(file.number(), text) || ::rename(fresh.c_str(), path.c_str()) != 0) {
        return storeError(fresh);
    }
    return path;
}

} // namespace spettro
