#pragma once

#include "sandbox/child/ProcessTree.h"
#include "sandbox/child/RunReport.h"
#include "sandbox/child/SignalWait.h"
#include "sandbox/child/Stage.h"
#include "sandbox/child/Terminal.h"

#include <chrono>
#include <csignal>
#include <optional>

namespace spettro::sandbox {

/// How long a command that was asked to end may take before its tree is killed.
inline constexpr std::chrono::milliseconds EndGrace{400};

/// Sent to the monitor by the kernel when its guard has died: ends the tree without grace.
inline constexpr int GuardDiedSignal = SIGUSR1;

/// Starts one command and sees to it that nothing of it is left: the parent and the subreaper of the command's
/// process tree, itself unconfined. It waits for the command, its time limit and for signals, ends the tree in
/// every case, and puts the terminal back.
class Monitor
{
public:
    Monitor(const StageRequest &request, ProcessTree tree, pid_t guard, const sigset_t &commandMask);

    /// Runs the command to its end. Returns the exit code that Spettro is to have.
    int run();

private:
    using Time = std::chrono::steady_clock::time_point;

    void startCommand(const sigset_t &commandMask);
    void stepBack() const;
    std::optional<Time> deadline() const;
    void handle(const siginfo_t &signal);
    void handleDeadline();
    void reapEnded();
    void passOn(int signal, bool cameFromTerminal);
    void stopOrContinue(int signal) const;
    void beginEnd(int exitCode, std::chrono::milliseconds grace);
    bool keepsInterrupt() const;
    RunReport::Kind endKind() const;
    int endValue() const;
    void finish();

    const StageRequest &m_request;
    ProcessTree m_tree;
    SignalWait m_signals;
    std::optional<Terminal> m_terminal;
    pid_t m_guard;
    pid_t m_foreground = -1; ///< The terminal's foreground group when the command started.
    pid_t m_command = -1;
    bool m_commandEnded = false;
    bool m_endedBySignal = false;
    bool m_guardDied = false;
    int m_exitCode = 0;
    std::optional<int> m_endCode;   ///< The exit code if the command does not end by itself any more.
    std::optional<Time> m_killTime; ///< When the tree is killed.
    std::optional<Time> m_timeLimit;
};

} // namespace spettro::sandbox
