#include "sandbox/doctor/Bystander.h"

#include "sandbox/doctor/Probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spettro::sandbox {

namespace {

constexpr int StartTime = 1000; // milliseconds
constexpr int DyingTime = 25;

[[noreturn]] void become(const std::string &program, const std::string &secret, const sigset_t &mask,
                         int output)
{
    const std::string variable = "SPETTRO_DOCTOR_SECRET=" + secret;
    const char *const arguments[] = {"spettro", ProbeArgument, "stand-by", nullptr};
    const char *const environment[] = {variable.c_str(), nullptr};
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    if (::dup2(output, STDOUT_FILENO) >= 0) {
        ::execve(program.c_str(), const_cast<char *const *>(arguments),
                 const_cast<char *const *>(environment));
    }
    ::_exit(1);
}

std::string readLine(int descriptor)
{
    std::string line;
    char byte = 0;
    for (pollfd wait{descriptor, POLLIN, 0};
         ::poll(&wait, 1, StartTime) > 0 && ::read(descriptor, &byte, 1) == 1;) {
        if (byte == '\n') {
            return line;
        }
        line += byte;
    }
    return {};
}

} // namespace

std::optional<Bystander> Bystander::start(const std::string &program, const std::string &secret,
                                          const sigset_t &mask)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return std::nullopt;
    }
    const Descriptor readEnd(ends[0]);
    Descriptor writeEnd(ends[1]);
    const pid_t process = ::fork();
    if (process == 0) {
        become(program, secret, mask, writeEnd.number());
    }
    if (process < 0) {
        return std::nullopt;
    }
    writeEnd = Descriptor();
    Bystander bystander(process, Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))));
    bystander.m_secretAddress = readLine(readEnd.number());
    if (!bystander.m_handle || bystander.m_secretAddress.empty()) {
        return std::nullopt;
    }
    return bystander;
}

Bystander::Bystander(Bystander &&other) noexcept
    : m_process(std::exchange(other.m_process, -1)), m_handle(std::move(other.m_handle)),
      m_secretAddress(std::move(other.m_secretAddress))
{}

Bystander::~Bystander()
{
    if (m_process > 0) {
        ::kill(m_process, SIGKILL); // not reaped yet, so the number is still its own
        ::waitpid(m_process, nullptr, 0);
    }
}

bool Bystander::hasDied() const
{
    pollfd wait{m_handle.number(), POLLIN, 0};
    return ::poll(&wait, 1, DyingTime) > 0;
}

} // namespace spettro::sandbox
