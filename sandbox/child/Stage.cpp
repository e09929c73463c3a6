#include "sandbox/child/Stage.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/child/RunReport.h"
#include "sandbox/child/closeAllBut.h"
#include "sandbox/child/pointersTo.h"
#include "sandbox/linux/Capabilities.h"
#include "sandbox/linux/Landlock.h"
#include "sandbox/linux/SyscallFilterInstaller.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace spettro::sandbox {

namespace {

int errorOf(long result)
{
    return result == 0 ? 0 : errno;
}

/// The steps of a stage; each ends the process with 126 when it fails.
class Steps
{
public:
    explicit Steps(const StageRequest &request) : m_request(request), m_reporter(request.reportPipe) {}

    void require(const char *step, int error) const
    {
        if (error != 0) {
            m_reporter.refused(std::string(step) + ": " + errorText(error));
            ::_exit(ExitUnenforceable);
        }
    }

    /// Dies with the monitor; the monitor's parent ends what then remains.
    void tieToMonitor(pid_t monitor) const
    {
        require("prctl PR_SET_PDEATHSIG", errorOf(::prctl(PR_SET_PDEATHSIG, SIGKILL)));
        if (::getppid() != monitor) {
            ::_exit(ExitUnenforceable); // the monitor died before the line above
        }
    }

    /// Leaves open, until the command is executed, only the ruleset and the report pipe.
    void closeDescriptors() const
    {
        require("close_range", closeAllBut({m_request.ruleset, m_request.reportPipe}));
        for (const int kept : {m_request.ruleset, m_request.reportPipe}) {
            if (kept >= 0) {
                require("fcntl FD_CLOEXEC", errorOf(::fcntl(kept, F_SETFD, FD_CLOEXEC)));
            }
        }
    }

    void applyConfinement() const
    {
        require("dropping capabilities", dropCapabilities());
        require("prctl PR_SET_NO_NEW_PRIVS", errorOf(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
        if (m_request.ruleset >= 0) {
            const int error = restrictSelf(m_request.ruleset);
            require(error == E2BIG ? "landlock_restrict_self (16 layers are in force already)"
                                   : "landlock_restrict_self",
                    error);
        }
        require("seccomp", installSyscallFilter(m_request.filter));
    }

    [[noreturn]] void becomeCommand(const std::vector<char *> &arguments,
                                    std::vector<char *> &environment) const
    {
        environ = environment.data(); // execvp(3) looks the command up in the PATH of its new environment
        ::execvp(arguments.front(), arguments.data());
        const int error = errno;
        const bool isMissing = error == ENOENT || error == ENOTDIR;
        m_reporter.notStarted(error,
                              std::string("cannot run ") + arguments.front() + ": " + errorText(error));
        ::_exit(isMissing ? ExitNotFound : ExitCannotExecute);
    }

private:
    const StageRequest &m_request;
    Reporter m_reporter;
};

} // namespace

void enterStage(const StageRequest &request, const StageSurroundings &surroundings)
{
    const std::vector<char *> arguments = pointersTo(request.arguments);
    std::vector<char *> environment = pointersTo(request.environment);
    const Steps steps(request);

    steps.tieToMonitor(surroundings.monitor);
    if (surroundings.session == Session::Own) {
        steps.require("setsid", ::setsid() >= 0 ? 0 : errno);
    }
    steps.require("fchdir to the working folder", errorOf(::fchdir(request.workingDirectory)));
    steps.closeDescriptors();
    const rlimit noCore{0, 0};
    steps.require("setrlimit RLIMIT_CORE", errorOf(::setrlimit(RLIMIT_CORE, &noCore)));
    steps.require("sigprocmask", errorOf(::sigprocmask(SIG_SETMASK, &surroundings.signalMask, nullptr)));
    if (request.confined) {
        steps.applyConfinement();
    }
    steps.becomeCommand(arguments, environment);
}

} // namespace spettro::sandbox
