#include "sandbox/child/ProgramImage.h"

#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace spettro::sandbox {

namespace {

constexpr int Seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
constexpr unsigned ExecutableMemory =
    0x10; // MFD_EXEC of memfd_create(2), which kernels before 6.3 do not know

Descriptor createMemoryFile()
{
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    Descriptor file(::memfd_create("spettro", flags | ExecutableMemory));
    return file || errno != EINVAL ? std::move(file) : Descriptor(::memfd_create("spettro", flags));
}

Error imageError(const std::string &path, const char *call, int number)
{
    return systemError(ErrorKind::Unenforceable, path + ": " + call, number);
}

} // namespace

Result<ProgramImage> ProgramImage::load(const std::string &path)
{
    const Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status;
    if (!source || ::fstat(source.number(), &status) != 0) {
        return imageError(path, "open", errno);
    }
    Descriptor memory = createMemoryFile();
    if (!memory) {
        return imageError(path, "memfd_create", errno);
    }
    for (off_t left = status.st_size; left > 0;) {
        const ssize_t count =
            ::sendfile(memory.number(), source.number(), nullptr, static_cast<std::size_t>(left));
        if (count <= 0) {
            return imageError(path, "sendfile", count < 0 ? errno : EIO);
        }
        left -= count;
    }
    if (::fchmod(memory.number(), S_IRUSR | S_IXUSR) != 0
        || ::fcntl(memory.number(), F_ADD_SEALS, Seals) != 0) {
        return imageError(path, "sealing", errno);
    }
    return ProgramImage(std::move(memory));
}

std::string ProgramImage::path() const
{
    return "/proc/self/fd/" + std::to_string(m_file->number());
}

} // namespace spettro::sandbox
