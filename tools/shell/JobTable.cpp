#include "tools/shell/JobTable.h"

namespace spettro {

using namespace sandbox;

std::shared_ptr<Job> JobTable::start(CommandSpec spec, std::function<void(const QByteArray &)> listener)
{
    std::shared_ptr<Job> job;
    {
        const std::scoped_lock lock(m_mutex);
        const QByteArray id = "job-" + QByteArray::number(++m_last);
        job = std::make_shared<Job>(id, m_thread, m_outputFolder, std::move(listener));
        m_jobs.insert(id, job);
    }
    job->run().start(m_launcher, std::move(spec), Channels::Merged);
    return job;
}

std::optional<RunReport> JobTable::runAside(CommandSpec spec, OutputSink &sink, std::stop_token stop)
{
    const auto run = std::make_shared<CommandRun>(m_thread, sink);
    run->start(m_launcher, std::move(spec), Channels::OutputOnly);
    if (std::optional<RunReport> report = run->wait(stop)) {
        return report;
    }
    run->cancel();
    run->wait({});
    return std::nullopt;
}

std::shared_ptr<Job> JobTable::find(const QByteArray &id) const
{
    const std::scoped_lock lock(m_mutex);
    return m_jobs.value(id);
}

void JobTable::forget(const QByteArray &id)
{
    const std::scoped_lock lock(m_mutex);
    m_jobs.remove(id);
}

} // namespace spettro
