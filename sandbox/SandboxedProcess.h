#pragma once

#include "sandbox/child/ProgramImage.h"
#include "sandbox/child/RunReport.h"
#include "sandbox/child/StageLaunch.h"
#include "sandbox/linux/CompiledPolicy.h"

#include <QProcess>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spettro::sandbox {

/// What a session starts its commands with: the policy, made ready for this system, and the program that applies it.
struct Launcher
{
    CompiledPolicy policy;
    ProgramImage program; ///< `spettro`, as it was when the session began.
};

/// One command to run.
struct CommandSpec
{
    std::vector<std::string> arguments;   ///< The command and its arguments; not empty.
    std::vector<std::string> environment; ///< `NAME=value` each; the whole environment.
    /// Where the command starts: a folder's descriptor, which is copied; nothing for the workspace.
    std::optional<int> workingDirectory;
    std::chrono::milliseconds timeout{0}; ///< Time limit; 0 for none.
};

/// Whether commands are confined.
enum class Enforcement {
    None, ///< The policy confines nothing.
    Full, ///< Every promise of the policy that this system can keep is kept, or the command does not run.
};

/// A QProcess that runs one command under a frozen policy, or not at all.
///
/// Standard input is empty and there is no controlling terminal. Channels, signals and states are those of QProcess;
/// exit code and exit status of QProcess are those of the process in between, so that `report()` is to be asked
/// for the command's. The command and everything that it has started end with this object, with the thread that it
/// was launched from, and with the process, by whatever means those end.
class SandboxedProcess : public QProcess
{
    Q_OBJECT

public:
    explicit SandboxedProcess(std::shared_ptr<const Launcher> launcher, QObject *parent = nullptr);
    ~SandboxedProcess() override;

    /// Whether the command of this process is confined; known before it is launched.
    Enforcement enforcement() const;

    /// Starts the command and returns at once. What cannot even be tried is `errorOccurred(FailedToStart)`, emitted
    /// before this returns.
    void launch(const CommandSpec &spec);

    /// Asks the whole process tree to end and kills what has not ended after 0.4 s. Does not wait.
    void cancel();

    /// After `finished()`: what became of the command. A process that ended without a report was killed from outside:
    /// `Signaled` by SIGKILL.
    RunReport report();

private:
    // Every other way to start something is closed: by name here, by the child modifier for calls through QProcess.
    using QProcess::open;
    using QProcess::setArguments;
    using QProcess::setChildProcessModifier;
    using QProcess::setEnvironment;
    using QProcess::setProcessEnvironment;
    using QProcess::setProgram;
    using QProcess::setWorkingDirectory;
    using QProcess::start;
    using QProcess::startCommand;
    using QProcess::startDetached;

    void prepareChild() const;

    std::shared_ptr<const Launcher> m_launcher;
    std::optional<StageLaunch> m_launch;
    std::optional<RunReport> m_report;
};

} // namespace spettro::sandbox
