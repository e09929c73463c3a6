#include "sandbox/child/superviseCommand.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/child/Monitor.h"
#include "sandbox/child/ProcessTree.h"
#include "sandbox/child/RunReport.h"
#include "sandbox/child/SignalWait.h"
#include "sandbox/child/StandardStreams.h"
#include "sandbox/child/closeAllBut.h"
#include "sandbox/linux/SystemError.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace spettro::sandbox {

namespace {

constexpr std::chrono::seconds KillLimit{10};

int refuse(const StageRequest &request, const Error &error)
{
    Reporter(request.reportPipe).refused(error.message);
    return ExitUnenforceable;
}

/// Ties the guard, and with it the command, to the process that asked for it.
Result<bool> tieToParent(pid_t parent)
{
    if (parent != 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return systemError(ErrorKind::Unenforceable, "prctl PR_SET_PDEATHSIG", errno);
    }
    return parent == 0 || ::getppid() == parent;
}

int runMonitor(const StageRequest &request, ProcessTree tree, pid_t guard, const sigset_t &commandMask)
{
    // Another name than the guard's, so that ending all `spettro` by name leaves one to clean up. The command sees it.
    ::prctl(PR_SET_NAME, "monitor");
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || ::prctl(PR_SET_PDEATHSIG, GuardDiedSignal) != 0) {
        return refuse(request, systemError(ErrorKind::Unenforceable, "prctl", errno));
    }
    if (::getppid() != guard) {
        return ExitUnenforceable; // the guard died before the line above
    }
    return Monitor(request, std::move(tree), guard, commandMask).run();
}

/// Does what a killed monitor has left undone: its orphans are the guard's by now.
int endOrphans(int exitCode, const std::optional<Terminal> &terminal)
{
    const Result<ProcessTree> tree = ProcessTree::create();
    if (!tree || !tree->end(std::chrono::steady_clock::now() + KillLimit)) {
        std::fputs("spettro: some processes of the command could not be ended\n", stderr);
    }
    if (terminal) {
        terminal->restoreModes();
    }
    return exitCode;
}

/// Waits for the monitor and hands signals on to it.
class Guard
{
public:
    Guard(pid_t monitor, const SignalWait &signals, bool stopsWithMonitor)
        : m_monitor(monitor), m_signals(signals), m_stopsWithMonitor(stopsWithMonitor)
    {}

    /// Returns the wait status of the monitor.
    int waitForMonitor() const
    {
        for (;;) {
            const siginfo_t signal = *m_signals.next(std::nullopt);
            int status = 0;
            if (signal.si_signo != SIGCHLD) {
                handOn(signal);
            } else if (::waitpid(m_monitor, &status, WNOHANG) == m_monitor) {
                return status;
            }
        }
    }

private:
    void handOn(const siginfo_t &signal) const
    {
        sigval fromTerminal{};
        fromTerminal.sival_int = signal.si_code == SI_KERNEL ? 1 : 0;
        ::sigqueue(m_monitor, signal.si_signo, fromTerminal);
        if (signal.si_signo == SIGTSTP && m_stopsWithMonitor) {
            ::raise(SIGSTOP);
        }
    }

    pid_t m_monitor;
    const SignalWait &m_signals;
    bool m_stopsWithMonitor;
};

} // namespace

int superviseCommand(const StageRequest &request)
{
    const Result<bool> hasParent = tieToParent(request.parent);
    if (!hasParent || !*hasParent) {
        return hasParent ? ExitUnenforceable : refuse(request, hasParent.error());
    }
    Result<ProcessTree> tree = ProcessTree::create();
    if (!tree) {
        return refuse(request, tree.error());
    }
    // The guard's memory holds the operator's environment; nobody but root is to look into it.
    ::prctl(PR_SET_DUMPABLE, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::optional<Terminal> terminal = Terminal::ofStandardStreams();
    // With a terminal, Ctrl-Z reaches guard and command alike and stops the guard by itself. SIGTTOU is blocked so
    // that the terminal can be put back from the background.
    const SignalWait signals = terminal
                                   ? SignalWait{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT, SIGTTOU}
                                   : SignalWait{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT, SIGTSTP};
    const pid_t guard = ::getpid();
    const pid_t monitor = ::fork();
    if (monitor < 0) {
        return refuse(request, systemError(ErrorKind::Unenforceable, "fork", errno));
    }
    if (monitor == 0) {
        ::_exit(runMonitor(request, std::move(tree).value(), guard, signals.previousMask()));
    }
    releaseStandardStreams();
    // The roots and whatever else is open are closed while the command starts, not when it has ended.
    closeAllBut({terminal ? terminal->descriptor() : -1, request.reportPipe});
    const int status = Guard(monitor, signals, !terminal).waitForMonitor();
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    Reporter(request.reportPipe).ended(RunReport::Kind::Signaled, WTERMSIG(status));
    return endOrphans(ExitSignalBase + WTERMSIG(status), terminal);
}

} // namespace spettro::sandbox
