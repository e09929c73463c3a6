#include "sandbox/SandboxedProcess.h"

#include "sandbox/child/ExitCode.h"

#include <QStringList>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace spettro::sandbox {

SandboxedProcess::SandboxedProcess(std::shared_ptr<const Launcher> launcher, QObject *parent)
    : QProcess(parent), m_launcher(std::move(launcher))
{
    setStandardInputFile(QProcess::nullDevice());
    QProcess::setChildProcessModifier([this] { prepareChild(); });
}

SandboxedProcess::~SandboxedProcess()
{
    if (state() != NotRunning) {
        kill(); // the guard's death ends the tree; QProcess waits for the guard alone
    }
}

Enforcement SandboxedProcess::enforcement() const
{
    return m_launcher->policy.policy().isConfined() ? Enforcement::Full : Enforcement::None;
}

void SandboxedProcess::launch(const CommandSpec &spec)
{
    StageRequest request = makeStageRequest(m_launcher->policy, spec.arguments, spec.environment);
    request.workingDirectory = spec.workingDirectory.value_or(request.workingDirectory);
    request.timeout = spec.timeout;
    request.parent = ::getpid();
    Result<StageLaunch> launch = planLaunch(std::move(request));
    if (!launch) {
        setErrorString(QString::fromStdString(launch.error().message));
        m_report = {RunReport::Kind::Refused, 0, launch.error().message};
        emit errorOccurred(FailedToStart);
        return;
    }
    m_launch = std::move(launch).value();
    QProcess::setProgram(QString::fromStdString(m_launcher->program.path()));
    QProcess::setEnvironment({QString::fromStdString(m_launch->variable)});
    QProcess::start(ReadOnly);
    m_launch->kept.clear();
    m_launch->inherited.clear();
}

void SandboxedProcess::cancel()
{
    terminate();
}

RunReport SandboxedProcess::report()
{
    if (!m_report && error() == FailedToStart) {
        m_report = {RunReport::Kind::Refused, 0, errorString().toStdString()};
    }
    if (!m_report) {
        char text[4096];
        const ssize_t size = m_launch ? ::read(m_launch->reportReader.number(), text, sizeof text) : -1;
        const auto length = static_cast<std::size_t>(size > 0 ? size : 0);
        m_report = parseReport({text, length}).value_or(RunReport{RunReport::Kind::Signaled, SIGKILL, {}});
    }
    return *m_report;
}

/// Runs in the child, between vfork(2) and execve(2): only system calls.
void SandboxedProcess::prepareChild() const
{
    if (!m_launch || m_launch->inherited.empty()) {
        ::_exit(ExitUnenforceable); // started by a way of QProcess that knows no policy
    }
    for (const int descriptor : m_launch->inherited) {
        if (::fcntl(descriptor, F_SETFD, 0) != 0) {
            ::_exit(ExitUnenforceable);
        }
    }
}

} // namespace spettro::sandbox
