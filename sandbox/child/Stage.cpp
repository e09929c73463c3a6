#include "sandbox/child/Stage.h"

#include "sandbox/child/ExitCode.h"
#include "sandbox/child/pointersTo.h"
#include "sandbox/linux/Capabilities.h"
#include "sandbox/linux/Landlock.h"
#include "sandbox/linux/SyscallFilterInstaller.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace spettro::sandbox {

namespace {

/// The lowest number that is no standard stream; the ruleset is parked there while the rest is closed.
constexpr int FirstOther = 3;

[[noreturn]] void leave(int exitCode, const std::string &message)
{
    const std::string line = "spettro: " + message + '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    ::_exit(exitCode);
}

/// Ends the stage with 126 unless `error` is 0.
void require(const char *step, int error)
{
    if (error != 0) {
        leave(ExitUnenforceable, "nothing was run: " + std::string(step) + ": " + errorText(error));
    }
}

int errorOf(long result)
{
    return result == 0 ? 0 : errno;
}

/// Dies with the monitor; the monitor's parent ends what then remains.
void tieToMonitor(pid_t monitor)
{
    require("prctl PR_SET_PDEATHSIG", errorOf(::prctl(PR_SET_PDEATHSIG, SIGKILL)));
    if (::getppid() != monitor) {
        ::_exit(ExitUnenforceable); // the monitor died before the line above
    }
}

/// Closes everything above the standard streams and returns the number that the ruleset now has, -1 for none.
int closeDescriptors(int ruleset)
{
    int first = FirstOther;
    if (ruleset >= 0) {
        require("dup3 of the ruleset",
                ruleset == FirstOther || ::dup3(ruleset, FirstOther, O_CLOEXEC) >= 0 ? 0 : errno);
        require("fcntl FD_CLOEXEC", errorOf(::fcntl(FirstOther, F_SETFD, FD_CLOEXEC)));
        ruleset = first++;
    }
    require("close_range", errorOf(::close_range(static_cast<unsigned>(first), ~0U, 0)));
    return ruleset;
}

void applyConfinement(const StageRequest &request, int ruleset)
{
    require("dropping capabilities", dropCapabilities());
    require("prctl PR_SET_NO_NEW_PRIVS", errorOf(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
    if (ruleset >= 0) {
        const int error = restrictSelf(ruleset);
        require(error == E2BIG ? "landlock_restrict_self (16 layers are in force already)"
                               : "landlock_restrict_self",
                error);
    }
    require("seccomp", installSyscallFilter(request.filter));
}

[[noreturn]] void becomeCommand(const std::vector<char *> &arguments, std::vector<char *> &environment)
{
    environ = environment.data(); // execvp(3) looks the command up in the PATH of its new environment
    ::execvp(arguments.front(), arguments.data());
    const int error = errno;
    const bool isMissing = error == ENOENT || error == ENOTDIR;
    leave(isMissing ? ExitNotFound : ExitCannotExecute,
          std::string("cannot run ") + arguments.front() + ": " + errorText(error));
}

} // namespace

void enterStage(const StageRequest &request, const StageSurroundings &surroundings)
{
    const std::vector<char *> arguments = pointersTo(request.arguments);
    std::vector<char *> environment = pointersTo(request.environment);

    tieToMonitor(surroundings.monitor);
    if (surroundings.session == Session::Own) {
        require("setsid", ::setsid() >= 0 ? 0 : errno);
    }
    require("fchdir to the working folder", errorOf(::fchdir(request.workingDirectory)));
    const int ruleset = closeDescriptors(request.ruleset);
    const rlimit noCore{0, 0};
    require("setrlimit RLIMIT_CORE", errorOf(::setrlimit(RLIMIT_CORE, &noCore)));
    require("sigprocmask", errorOf(::sigprocmask(SIG_SETMASK, &surroundings.signalMask, nullptr)));
    if (request.confined) {
        applyConfinement(request, ruleset);
    }
    becomeCommand(arguments, environment);
}

} // namespace spettro::sandbox
