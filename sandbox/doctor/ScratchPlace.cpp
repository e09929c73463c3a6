#include "sandbox/doctor/ScratchPlace.h"

#include "sandbox/doctor/ProbeActs.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

namespace spettro::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view NamePrefix = "doctor-";
constexpr std::size_t SmallFile = 4096; // larger ones are told apart by size and time

std::string newSecret()
{
    unsigned char bytes[SecretLength / 2] = {};
    [[maybe_unused]] const ssize_t count = ::getrandom(bytes, sizeof bytes, 0);
    std::string text;
    for (const unsigned char byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

/// Opens a folder and takes its lock: nobody else can then. Fails where another has it or has removed the
/// folder.
Descriptor lockFolder(const std::string &path)
{
    Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    const bool isOurs = folder && ::flock(folder.number(), LOCK_EX | LOCK_NB) == 0
                        && ::fstat(folder.number(), &status) == 0 && status.st_nlink > 0
                        && status.st_uid == ::geteuid();
    return isOurs ? std::move(folder) : Descriptor();
}

bool writeFile(const std::string &path, const std::string &text)
{
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    return file && ::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool copyThisProgram(const std::string &path)
{
    const Descriptor from(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const Descriptor to(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
    if (!from || !to) {
        return false;
    }
    ssize_t count = 0;
    while ((count = ::sendfile(to.number(), from.number(), nullptr, 1 << 24)) > 0) {
    }
    return count == 0;
}

void emptyFolder(const std::string &path, std::string_view except = {})
{
    std::error_code ignored;
    for (const fs::directory_entry &entry : fs::directory_iterator(path, ignored)) {
        if (entry.path().filename().native() != except) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

std::string contentOf(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    char bytes[SmallFile];
    const ssize_t count = file ? ::read(file.number(), bytes, sizeof bytes) : -1;
    return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : std::string();
}

std::string describe(const std::string &path)
{
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) {
        return "gone";
    }
    const auto text = [](auto... values) { return ((std::to_string(values) + ' ') + ...); };
    return text(status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec)
           + contentOf(path);
}

std::string stateOf(const std::string &folder)
{
    std::map<std::string, std::string> entries; // in the order of their names
    std::error_code ignored;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, ignored)) {
        entries.emplace(entry.path().native(), describe(entry.path().native()));
    }
    std::string state;
    for (const auto &[path, description] : entries) {
        state += path + ' ' + description + '\n';
    }
    return state;
}

} // namespace

ScratchPlace::ScratchPlace(std::string home, std::string secret)
    : m_home(std::move(home)), m_secret(std::move(secret))
{}

Result<ScratchPlace> ScratchPlace::create(const std::string &home)
{
    if (!home.starts_with('/')) {
        return Error{ErrorKind::Usage,
                     "doctor: HOME is not set, and it needs a folder there to try things in", 0};
    }
    ScratchPlace place(home + "/.spettro", newSecret());
    place.m_madeHome = ::mkdir(place.m_home.c_str(), 0700) == 0;
    place.removeStale();
    if (!place.makeFolder()) {
        return place.error(place.m_home);
    }
    if (!place.makeContent()) {
        return place.error(place.m_path);
    }
    return place;
}

ScratchPlace::ScratchPlace(ScratchPlace &&other) noexcept
    : m_home(std::move(other.m_home)), m_madeHome(std::exchange(other.m_madeHome, false)),
      m_path(std::exchange(other.m_path, {})), m_secret(std::move(other.m_secret)),
      m_lock(std::move(other.m_lock))
{}

ScratchPlace::~ScratchPlace()
{
    std::error_code ignored;
    if (!m_path.empty()) {
        fs::remove_all(m_path, ignored);
    }
    if (m_madeHome) {
        ::rmdir(m_home.c_str()); // stays where it has been put to use meanwhile
    }
}

Error ScratchPlace::error(const std::string &subject) const
{
    return systemError(ErrorKind::Usage, "doctor: cannot make a folder to try things in: " + subject, errno);
}

bool ScratchPlace::makeFolder()
{
    for (int left = 8; left > 0 && !m_lock; --left) {
        std::string path = m_home + '/' + std::string(NamePrefix) + "XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) {
            return false;
        }
        m_lock = lockFolder(path); // another run may just take the new folder for a stale one
        if (m_lock) {
            m_path = fs::canonical(path).native();
        }
    }
    return static_cast<bool>(m_lock);
}

bool ScratchPlace::makeContent() const
{
    for (const std::string &folder : {workspace(), outside(), readable(), sockets()}) {
        if (::mkdir(folder.c_str(), 0700) != 0) {
            return false;
        }
    }
    return copyThisProgram(program());
}

void ScratchPlace::removeStale() const
{
    std::error_code ignored;
    for (const fs::directory_entry &entry : fs::directory_iterator(m_home, ignored)) {
        const std::string name = entry.path().filename().native();
        const bool isScratch = name.starts_with(NamePrefix) && name.size() == NamePrefix.size() + 6;
        if (const Descriptor lock = isScratch ? lockFolder(entry.path().native()) : Descriptor()) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

void ScratchPlace::putFilesBack() const
{
    emptyFolder(workspace(), "probe");
    for (const std::string &folder : {outside(), readable()}) {
        emptyFolder(folder);
    }
    for (const std::string &folder : {workspace(), outside(), readable()}) {
        writeFile(folder + "/file", m_secret);
    }
    ::mkdir((outside() + "/folder").c_str(), 0700);
    writeFile(outside() + "/folder/" + m_secret, "");
    [[maybe_unused]] const int result = ::link(program().c_str(), (outside() + "/program").c_str());
}

std::string ScratchPlace::protectedState() const
{
    return stateOf(outside()) + stateOf(readable());
}

std::string ScratchPlace::workspaceState() const
{
    return stateOf(workspace());
}

} // namespace spettro::sandbox
