#include "sandbox/doctor/ProbeRunner.h"

#include "sandbox/child/pointersTo.h"
#include "sandbox/child/superviseCommand.h"
#include "sandbox/doctor/Probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace spettro::sandbox {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds ProbeLimit{1000};
constexpr std::chrono::milliseconds RunLimit{
    2000}; // with starting, ending and the grace that a command is given
constexpr std::chrono::milliseconds EndLimit{1000};
constexpr std::size_t LargestOutput = 1 << 20;
constexpr int ExitKeyTyped = 42; // of the process that owns a new terminal

struct Pipe
{
    Descriptor readEnd;
    Descriptor writeEnd;
};

Pipe makePipe()
{
    int ends[2] = {-1, -1};
    [[maybe_unused]] const int result = ::pipe2(ends, O_CLOEXEC);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Reads what is there. Returns whether that was the end.
bool drain(const Descriptor &pipe, std::string &text)
{
    char block[4096];
    for (;;) {
        const ssize_t count = ::read(pipe.number(), block, sizeof block);
        if (count <= 0) {
            return count == 0;
        }
        if (text.size() < LargestOutput) {
            text.append(block, static_cast<std::size_t>(count));
        }
    }
}

/// Milliseconds until a time, for poll(2).
int until(Clock::time_point time)
{
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
    return left > 0 ? static_cast<int>(left) : 0;
}

/// Reads both pipes until the process has ended. Returns whether it did in time.
bool collect(int process, const Pipe &output, const Pipe &errors, ProbeOutcome &outcome)
{
    const Clock::time_point deadline = Clock::now() + RunLimit;
    pollfd waits[] = {
        {process, POLLIN, 0}, {output.readEnd.number(), POLLIN, 0}, {errors.readEnd.number(), POLLIN, 0}};
    while (waits[0].revents == 0 && ::poll(waits, 3, until(deadline)) > 0) {
        if (waits[1].revents != 0 && drain(output.readEnd, outcome.output)) {
            waits[1].fd = -1;
        }
        if (waits[2].revents != 0 && drain(errors.readEnd, outcome.errors)) {
            waits[2].fd = -1;
        }
    }
    outcome.outputEnded = drain(output.readEnd, outcome.output);
    drain(errors.readEnd, outcome.errors);
    return waits[0].revents != 0;
}

/// Ends a run that takes too long: first asked, because a guard then ends the whole tree.
void end(pid_t child, int handle)
{
    for (const int signal : {SIGTERM, SIGKILL}) {
        ::kill(child, signal);
        pollfd wait{handle, POLLIN, 0};
        if (::poll(&wait, 1, until(Clock::now() + EndLimit)) > 0) {
            return;
        }
    }
}

/// A terminal whose other end the calling process keeps; characters are there as soon as they are typed.
struct NewTerminal
{
    Descriptor master;
    std::string slaveName;
};

NewTerminal openTerminal()
{
    NewTerminal terminal{Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), {}};
    char name[64];
    if (terminal.master && ::grantpt(terminal.master.number()) == 0
        && ::unlockpt(terminal.master.number()) == 0
        && ::ptsname_r(terminal.master.number(), name, sizeof name) == 0) {
        terminal.slaveName = name;
    }
    return terminal;
}

void setStandardStreams(int input, const Pipe &output, const Pipe &errors)
{
    ::dup2(input, STDIN_FILENO);
    ::dup2(output.writeEnd.number(), STDOUT_FILENO);
    ::dup2(errors.writeEnd.number(), STDERR_FILENO);
}

/// Makes the calling process the owner of a session with the terminal, leaves what follows to a child of it,
/// and ends behind that with the answer whether a character waits. The owner has to outlive the probe: with
/// it, the terminal would be hung up and emptied.
void ownTerminal(const std::string &name)
{
    ::setsid();
    const int terminal = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    termios modes{};
    ::tcgetattr(terminal, &modes);
    ::cfmakeraw(&modes);
    ::tcsetattr(terminal, TCSANOW, &modes);
    ::dup2(terminal, STDIN_FILENO);
    const pid_t child = ::fork();
    if (child == 0) {
        return;
    }
    ::waitpid(child, nullptr, 0);
    int waiting = 0;
    ::ioctl(terminal, FIONREAD, &waiting);
    ::_exit(waiting > 0 ? ExitKeyTyped : 0);
}

} // namespace

ProbeOutcome ProbeRunner::run(const ProbeRun &run, Confinement confinement) const
{
    ProbeOutcome outcome;
    const NewTerminal terminal = run.input == Input::NewTerminal ? openTerminal() : NewTerminal{};
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Pipe output = makePipe();
    Pipe errors = makePipe();
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        setStandardStreams(nothing.number(), output, errors);
        if (run.input == Input::NewTerminal) {
            ownTerminal(terminal.slaveName);
        }
        become(run, confinement);
    }
    if (child < 0) {
        outcome.errors = "fork failed";
        return outcome;
    }
    output.writeEnd = Descriptor();
    errors.writeEnd = Descriptor();
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    if (!collect(handle.number(), output, errors, outcome)) {
        end(child, handle.number());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    outcome.keyTyped =
        WIFEXITED(status) && WEXITSTATUS(status) == ExitKeyTyped && run.input == Input::NewTerminal;
    return outcome;
}

std::vector<std::string> ProbeRunner::commandOf(const ProbeRun &run) const
{
    std::vector<std::string> command{m_program, ProbeArgument};
    command.insert(command.end(), run.arguments.begin(), run.arguments.end());
    return command;
}

void ProbeRunner::become(const ProbeRun &run, Confinement confinement) const
{
    ::sigprocmask(SIG_SETMASK, &m_mask, nullptr);
    if (confinement == Confinement::Policy) {
        becomeTrial(run);
    }
    becomeControl(run);
}

void ProbeRunner::becomeTrial(const ProbeRun &run) const
{
    StageRequest request = makeStageRequest(m_policy, commandOf(run), run.environment);
    request.timeout = ProbeLimit;
    ::_exit(superviseCommand(request));
}

void ProbeRunner::becomeControl(const ProbeRun &run) const
{
    const std::vector<std::string> command = commandOf(run);
    std::vector<char *> environment = pointersTo(run.environment);
    ::alarm(static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(ProbeLimit).count()));
    if (::fchdir(m_policy.policy().workspaceDescriptor()) == 0) {
        ::execve(m_program.c_str(), pointersTo(command).data(), environment.data());
    }
    ::_exit(1);
}

} // namespace spettro::sandbox
