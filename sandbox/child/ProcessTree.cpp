#include "sandbox/child/ProcessTree.h"

#include "sandbox/linux/SystemError.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

namespace spettro::sandbox {

namespace {

/// The parent of a process by field 4 of /proc/PID/stat (proc(5)); 0 where it is gone. The name in field 2 is
/// in brackets and may hold anything, so the fields are counted from the last bracket.
pid_t parentOf(int proc, const char *process)
{
    const std::string path = std::string(process) + "/stat";
    const Descriptor file(::openat(proc, path.c_str(), O_RDONLY | O_CLOEXEC));
    char text[512];
    const ssize_t size = file ? ::read(file.number(), text, sizeof text) : -1;
    if (size <= 0) {
        return 0;
    }
    const std::string_view fields(text, static_cast<std::size_t>(size));
    const std::size_t bracket = fields.rfind(')');
    pid_t parent = 0;
    if (bracket != std::string_view::npos && bracket + 4 < fields.size()) { // ") S PPID"
        std::from_chars(fields.data() + bracket + 4, fields.data() + fields.size(), parent);
    }
    return parent;
}

/// Reaps what has ended. Returns whether any child is left.
bool reapEnded()
{
    for (;;) {
        const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
        if (ended == 0) {
            return true;
        }
        if (ended < 0 && errno != EINTR) {
            return false;
        }
    }
}

void waitAMoment()
{
    const timespec moment{0, 500'000};
    ::nanosleep(&moment, nullptr);
}

} // namespace

std::vector<ProcessLink> descendantsOf(pid_t ancestor, std::vector<ProcessLink> links)
{
    const auto byParent = [](const ProcessLink &left, const ProcessLink &right) {
        return left.parent < right.parent;
    };
    std::sort(links.begin(), links.end(), byParent);
    std::vector<ProcessLink> found{{ancestor, 0}};
    for (std::size_t next = 0; next < found.size(); ++next) {
        const auto children =
            std::equal_range(links.begin(), links.end(), ProcessLink{0, found[next].process}, byParent);
        found.insert(found.end(), children.first, children.second);
    }
    found.erase(found.begin());
    return found;
}

Result<ProcessTree> ProcessTree::create()
{
    Descriptor proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!proc) {
        return systemError(ErrorKind::Unenforceable, "/proc, needed to end the command's processes", errno);
    }
    return ProcessTree(std::move(proc));
}

std::vector<ProcessLink> ProcessTree::links() const
{
    std::vector<ProcessLink> links;
    DIR *entries = ::fdopendir(::openat(m_proc.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (const dirent *entry = entries != nullptr ? ::readdir(entries) : nullptr) {
        pid_t process = 0;
        std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), process);
        if (process > 0) {
            links.push_back({process, parentOf(m_proc.number(), entry->d_name)});
        }
    }
    if (entries != nullptr) {
        ::closedir(entries);
    }
    return links;
}

void ProcessTree::killAll() const
{
    const pid_t self = ::getpid();
    for (const ProcessLink &link : descendantsOf(self, links())) {
        // The number may belong to another process by now: the handle is checked before it is used.
        const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, link.process, 0)));
        const pid_t parent = parentOf(m_proc.number(), std::to_string(link.process).c_str());
        if (handle && (parent == link.parent || parent == self)) {
            ::syscall(SYS_pidfd_send_signal, handle.number(), SIGKILL, nullptr, 0);
        }
    }
}

bool ProcessTree::end(std::chrono::steady_clock::time_point deadline) const
{
    while (reapEnded()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        killAll();
        waitAMoment();
    }
    return true;
}

} // namespace spettro::sandbox
