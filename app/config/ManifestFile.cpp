#include "app/config/ManifestFile.h"

#include "sandbox/linux/Descriptor.h"
#include "sandbox/linux/SystemError.h"
#include "sandbox/policy/Manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace spettro {

using namespace sandbox;

namespace {

Error manifestError(std::string message)
{
    return {ErrorKind::Usage, std::string(ManifestName) + ": " + std::move(message), 0};
}

/// With the host's descriptors or memory used up, nothing is wrong with the manifest.
Error readError(int number)
{
    const bool isExhausted = number == EMFILE || number == ENFILE || number == ENOMEM;
    return systemError(isExhausted ? ErrorKind::Unenforceable : ErrorKind::Usage, std::string(ManifestName),
                       number);
}

} // namespace

Result<std::optional<std::string>> readManifestFile(const std::string &workspace)
{
    const std::string path = workspace + '/' + ManifestName;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) {
        return errno == ENOENT || errno == ENOTDIR ? Result<std::optional<std::string>>(std::nullopt)
                                                   : readError(errno);
    }
    struct stat status;
    if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return manifestError("is not a regular file");
    }
    std::string text;
    char block[16384];
    ssize_t count = 0;
    while ((count = ::read(file.number(), block, sizeof block)) > 0 && text.size() <= MaximumManifestSize) {
        text.append(block, static_cast<std::size_t>(count));
    }
    if (count < 0) {
        return readError(errno);
    }
    return std::optional(std::move(text)); // one that is too large is refused by the parser
}

} // namespace spettro
