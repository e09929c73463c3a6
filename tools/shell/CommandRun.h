#pragma once

#include "sandbox/SandboxedProcess.h"
#include "tools/shell/LaunchThread.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace spettro {

/// Where the output of a command goes; called in the launch thread.
class OutputSink
{
public:
    virtual ~OutputSink() = default;

    /// False ends the command: nothing more is wanted.
    virtual bool append(QByteArrayView bytes) = 0;

    /// No more output comes.
    virtual void finish() = 0;
};

/// Which output of a command is taken.
enum class Channels {
    Merged,     ///< Standard output and standard error by one pipe: in the order in which they were written.
    OutputOnly, ///< Standard error is thrown away.
};

/// One command that runs, or has run, in a launch thread. Thread-safe.
class CommandRun : public std::enable_shared_from_this<CommandRun>
{
public:
    /// `sink` has to outlive the run's end.
    CommandRun(LaunchThread &thread, OutputSink &sink) : m_thread(thread), m_sink(sink) {}

    /// Starts the command and returns at once. `spec.workingDirectory` is copied.
    void start(std::shared_ptr<const sandbox::Launcher> launcher, sandbox::CommandSpec spec,
               Channels channels);

    /// Asks the command's process tree to end; it is gone within a second. Returns at once.
    void cancel();

    /// Waits for the end, for `stop`, or so long. Returns what became of the command; nothing while it runs.
    std::optional<sandbox::RunReport> wait(const std::stop_token &stop,
                                           std::optional<std::chrono::milliseconds> limit = {});

    /// What became of the command; nothing while it runs.
    std::optional<sandbox::RunReport> report() const;

    bool wasCancelled() const;

    /// The time limit that it was started with; 0 for none.
    std::chrono::milliseconds timeout() const { return m_timeout; }

private:
    void startHere(std::shared_ptr<const sandbox::Launcher> launcher, const sandbox::CommandSpec &spec,
                   Channels channels);
    void takeOutput();
    void finish();
    void end(const sandbox::RunReport &report);

    LaunchThread &m_thread;
    OutputSink &m_sink;
    std::chrono::milliseconds m_timeout{0};         ///< Set before it is shared.
    sandbox::SandboxedProcess *m_process = nullptr; ///< Only touched in the launch thread.
    mutable std::mutex m_mutex;
    std::condition_variable_any m_ended;
    std::optional<sandbox::RunReport> m_report;
    bool m_wasCancelled = false;
};

} // namespace spettro
