#include "sandbox/child/Monitor.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/child/StandardStreams.h"
#include "sandbox/linux/SystemError.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace spettro::sandbox {

namespace {

/// How long killing a whole tree may take before the monitor gives up and says so.
constexpr std::chrono::seconds KillLimit{10};

Session sessionFor(const std::optional<Terminal> &terminal)
{
    return terminal ? Session::Inherit : Session::Own;
}

} // namespace

Monitor::Monitor(const StageRequest &request, ProcessTree tree, pid_t guard, const sigset_t &commandMask)
    : m_request(request), m_tree(std::move(tree)),
      m_signals({SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGTTOU, GuardDiedSignal}),
      m_terminal(Terminal::ofStandardStreams()), m_guard(guard)
{
    if (m_terminal) {
        m_foreground = m_terminal->foreground();
    }
    if (m_request.timeout.count() > 0) {
        m_timeLimit = std::chrono::steady_clock::now() + m_request.timeout;
    }
    startCommand(commandMask);
}

int Monitor::run()
{
    if (m_command < 0) {
        return ExitUnenforceable;
    }
    stepBack();
    while (!m_commandEnded) {
        if (const std::optional<siginfo_t> signal = m_signals.next(deadline())) {
            handle(*signal);
        } else {
            handleDeadline();
        }
    }
    finish();
    Reporter(m_request.reportPipe).ended(endKind(), endValue());
    return m_exitCode;
}

RunReport::Kind Monitor::endKind() const
{
    if (m_endCode == ExitTimeout) {
        return RunReport::Kind::TimedOut;
    }
    const bool wasKilled = m_endedBySignal || (m_endCode && m_exitCode == *m_endCode);
    return wasKilled ? RunReport::Kind::Signaled : RunReport::Kind::Exited;
}

int Monitor::endValue() const
{
    return endKind() == RunReport::Kind::Signaled ? m_exitCode - ExitSignalBase : m_exitCode;
}

void Monitor::startCommand(const sigset_t &commandMask)
{
    const pid_t monitor = ::getpid();
    m_command = ::fork();
    if (m_command == 0) {
        enterStage(m_request, {monitor, sessionFor(m_terminal), commandMask});
    }
    if (m_command < 0) {
        Reporter(m_request.reportPipe).refused("fork: " + errorText(errno));
    }
}

/// Leaves the terminal's keys and the standard streams to the command.
void Monitor::stepBack() const
{
    ::setpgid(0, 0);
    releaseStandardStreams();
}

std::optional<Monitor::Time> Monitor::deadline() const
{
    return m_killTime ? m_killTime : m_timeLimit;
}

void Monitor::handle(const siginfo_t &signal)
{
    switch (signal.si_signo) {
    case SIGCHLD:
        return reapEnded();
    case SIGTSTP:
    case SIGCONT:
        return stopOrContinue(signal.si_signo);
    case SIGTTOU:
        return; // blocked so that the terminal can be put back from the background
    case GuardDiedSignal:
        m_guardDied = true;
        return beginEnd(ExitSignalBase + SIGKILL, std::chrono::milliseconds(0));
    default:
        passOn(signal.si_signo, signal.si_value.sival_int != 0);
        return beginEnd(ExitSignalBase + signal.si_signo, EndGrace);
    }
}

void Monitor::handleDeadline()
{
    if (!m_killTime) {
        m_timeLimit.reset();
        passOn(SIGTERM, false);
        beginEnd(ExitTimeout, EndGrace);
    } else if (keepsInterrupt()) {
        m_killTime.reset();
        m_endCode.reset();
    } else {
        m_exitCode = *m_endCode;
        m_commandEnded = true; // or will be in a moment: what is left of the tree is killed
    }
}

void Monitor::reapEnded()
{
    int status = 0;
    for (pid_t child; (child = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
        if (child != m_command) {
            continue;
        }
        if (WIFSTOPPED(status)) {
            if (m_terminal && !m_killTime) {
                ::kill(m_guard, SIGSTOP); // the shell that started Spettro sees its job stopped
            }
            continue;
        }
        m_commandEnded = true;
        m_endedBySignal = WIFSIGNALED(status);
        m_exitCode = WIFSIGNALED(status) ? ExitSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
        if (m_endCode == ExitTimeout || (m_endCode && m_endedBySignal)) {
            m_exitCode = *m_endCode;
        }
    }
}

/// Hands a signal to the command. What the terminal sent to a command in its session has reached it already.
void Monitor::passOn(int signal, bool cameFromTerminal)
{
    if (!m_terminal) {
        ::kill(-m_command, signal);
    } else if (!cameFromTerminal) {
        ::kill(m_command, signal);
    }
}

void Monitor::stopOrContinue(int signal) const
{
    if (!m_terminal) {
        ::kill(-m_command, signal == SIGTSTP ? SIGSTOP : SIGCONT);
        return;
    }
    const pid_t group = ::getpgid(m_command);
    if (signal == SIGCONT && group > 0 && group != ::getpgid(m_guard)) { // a shell that suspended itself
        m_terminal->setForeground(group);
        ::kill(-group, SIGCONT);
    }
}

void Monitor::beginEnd(int exitCode, std::chrono::milliseconds grace)
{
    if (m_endCode != ExitTimeout) {
        m_endCode = exitCode;
    }
    const Time killTime = std::chrono::steady_clock::now() + grace;
    m_killTime = std::min(m_killTime.value_or(killTime), killTime); // asking again gives no more time
    ::kill(m_command, SIGCONT); // a stopped command can neither end itself nor be asked to
}

/// A program that reads the keys itself (a REPL, a debugger) may use Ctrl-C for its own purposes.
bool Monitor::keepsInterrupt() const
{
    return m_endCode == ExitSignalBase + SIGINT && m_terminal && m_terminal->isReadKeyByKey();
}

/// Ends what is left of the tree and puts the terminal back.
void Monitor::finish()
{
    if (!m_tree.end(std::chrono::steady_clock::now() + KillLimit)) {
        std::fputs("spettro: some processes of the command could not be ended\n", stderr);
    }
    if (!m_terminal || m_foreground < 0) {
        return;
    }
    if (m_endedBySignal || m_endCode) {
        m_terminal->restoreModes();
    }
    if (!m_guardDied && m_terminal->foreground() != m_foreground && ::getpgid(m_guard) == m_foreground) {
        m_terminal->setForeground(m_foreground);
    }
}

} // namespace spettro::sandbox
