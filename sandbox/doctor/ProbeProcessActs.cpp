#include "sandbox/doctor/ProbeActs.h"
#include "sandbox/linux/Descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace spettro::sandbox {

namespace {

using Arguments = std::vector<std::string>;

// A process that somebody forgot ends by itself.
constexpr unsigned LongestDaemon = 5;   // seconds
constexpr unsigned LongestStandBy = 20; // seconds

/// The number that a text begins with; 0 where it is none.
template<typename T>
T numberIn(const std::string &text)
{
    T number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// A positive number: never 0 or -1, which mean other things to kill(2).
pid_t processIn(const std::string &text)
{
    const pid_t process = numberIn<pid_t>(text);
    return process > 1 ? process : 0;
}

int nothing(const Arguments &)
{
    return 0;
}

int killProcess(const Arguments &arguments)
{
    const pid_t process = processIn(arguments[0]);
    return process > 0 ? errorOf(::kill(process, SIGTERM)) : ESRCH;
}

int killByHandle(const Arguments &arguments)
{
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, processIn(arguments[0]), 0)));
    return handle ? errorOf(::syscall(SYS_pidfd_send_signal, handle.number(), SIGTERM, nullptr, 0)) : errno;
}

int readMemory(const Arguments &arguments)
{
    char bytes[SecretLength + 1]; // with the equals sign before it
    const iovec here{bytes, sizeof bytes};
    const iovec there{std::bit_cast<void *>(numberIn<std::uintptr_t>(arguments[1])), sizeof bytes};
    const ssize_t count = ::process_vm_readv(processIn(arguments[0]), &here, 1, &there, 1, 0);
    return count < 0 ? errno : errorOf(::write(STDOUT_FILENO, bytes, static_cast<std::size_t>(count)));
}

/// A traced process that is to end with its tracer does so in a moment.
int trace(const Arguments &arguments)
{
    return errorOf(::ptrace(PTRACE_SEIZE, processIn(arguments[0]), nullptr, PTRACE_O_EXITKILL));
}

int typeKey(const Arguments &arguments)
{
    if (arguments.empty()) {
        return errorOf(::ioctl(STDIN_FILENO, TIOCSTI, "x"));
    }
    const Descriptor terminal(::open(arguments[0].c_str(), O_RDWR | O_CLOEXEC));
    return terminal ? errorOf(::ioctl(terminal.number(), TIOCSTI, "x")) : errno;
}

int writeDescriptor(const Arguments &arguments)
{
    return errorOf(::write(numberIn<int>(arguments[0]), "x", 1));
}

int printEnvironment(const Arguments &)
{
    for (char **entry = environ; *entry != nullptr; ++entry) {
        if (::write(STDOUT_FILENO, *entry, std::strlen(*entry)) < 0 || ::write(STDOUT_FILENO, "\n", 1) < 0) {
            return errno;
        }
    }
    return 0;
}

/// Holds standard output until nobody reads it any more.
[[noreturn]] void beDaemon()
{
    for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGPIPE}) {
        ::signal(signal, SIG_IGN);
    }
    ::alarm(LongestDaemon);
    ::close(STDIN_FILENO);
    ::close(STDERR_FILENO);
    pollfd reader{STDOUT_FILENO, 0, 0};
    ::poll(&reader, 1, -1);
    ::_exit(0);
}

int daemonize(const Arguments &)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid();
        if (::fork() == 0) {
            beDaemon();
        }
        ::_exit(0);
    }
    return errorOf(child);
}

/// The bystander: says where in its memory the value of its first variable lies, and waits to be harmed.
int standBy(const Arguments &)
{
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); // with Yama only parents may trace else
    ::signal(SIGTERM, SIG_DFL);
    ::alarm(LongestStandBy);
    const char *value = environ[0] != nullptr ? std::strchr(environ[0], '=') : nullptr;
    std::printf("%ju\n", static_cast<std::uintmax_t>(reinterpret_cast<std::uintptr_t>(value)));
    std::fflush(stdout);
    for (;;) {
        ::pause();
    }
}

int execute(const Arguments &arguments)
{
    std::vector<char *> pointers;
    for (const std::string &argument : arguments) {
        pointers.push_back(const_cast<char *>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    return errorOf(::execv(pointers.front(), pointers.data()));
}

/// Sends a file's text through a new terminal.
int openTerminal(const Arguments &arguments)
{
    const Descriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    char name[64];
    if (!master || ::grantpt(master.number()) != 0 || ::unlockpt(master.number()) != 0
        || ::ptsname_r(master.number(), name, sizeof name) != 0) {
        return errno;
    }
    const Descriptor slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    const Descriptor file(::open(arguments[0].c_str(), O_RDONLY | O_CLOEXEC));
    char text[256];
    ssize_t count = file ? ::read(file.number(), text, sizeof text) : -1;
    if (!slave || count <= 0 || ::write(slave.number(), text, static_cast<std::size_t>(count)) != count) {
        return errno;
    }
    count = ::read(master.number(), text, sizeof text);
    return count < 0 ? errno : errorOf(::write(STDOUT_FILENO, text, static_cast<std::size_t>(count)));
}

constexpr ProbeAct Acts[] = {
    {"nothing", 0, nothing},
    {"kill", 1, killProcess},
    {"pidfd-kill", 1, killByHandle},
    {"read-memory", 2, readMemory},
    {"trace", 1, trace},
    {"type", 0, typeKey},
    {"write-descriptor", 1, writeDescriptor},
    {"print-environment", 0, printEnvironment},
    {"daemonize", 0, daemonize},
    {"stand-by", 0, standBy},
    {"execute", 1, execute},
    {"open-terminal", 1, openTerminal},
};

} // namespace

std::span<const ProbeAct> processActs()
{
    return Acts;
}

} // namespace spettro::sandbox
