#pragma once

#include "tools/shell/Job.h"

#include <cstddef>
#include <map>

namespace spettro {

/// The commands of a session, by the names that the model uses for them. Thread-safe. They end with the table. Of those that
/// have ended only the last ones are kept, because each holds its output in an open file.
class JobTable
{
public:
    /// How many ended commands are kept.
    static constexpr std::size_t MostEnded = 32;

    /// Outputs are kept in files in `outputFolder`.
    JobTable(LaunchThread &thread, std::shared_ptr<const sandbox::Launcher> launcher, QByteArray outputFolder)
        : m_thread(thread), m_launcher(std::move(launcher)), m_outputFolder(std::move(outputFolder))
    {}

    /// Starts a command under a new name; `listener` as for `Job`.
    std::shared_ptr<Job> start(sandbox::CommandSpec spec, std::function<void(const QByteArray &)> listener);

    /// The job of that name; empty where there is none, or none any more.
    std::shared_ptr<Job> find(const QByteArray &id) const;

    /// Runs a command to its end that has no name: one that a tool itself needs. Nothing where it was stopped.
    std::optional<sandbox::RunReport> runAside(sandbox::CommandSpec spec, OutputSink &sink,
                                               const std::stop_token &stop);

    /// Forgets a job that has ended and whose output was shown whole.
    void forget(const QByteArray &id);

private:
    void dropOldest();

    LaunchThread &m_thread;
    std::shared_ptr<const sandbox::Launcher> m_launcher;
    QByteArray m_outputFolder;
    mutable std::mutex m_mutex;
    std::map<int, std::shared_ptr<Job>> m_jobs; ///< By number, which is the order of their starts.
    int m_last = 0;
};

} // namespace spettro
