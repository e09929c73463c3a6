#include "tools/shell/JobTable.h"

namespace spettro {

using namespace sandbox;

namespace {

constexpr const char *Prefix = "job-";

/// The number in a job's name; 0, which no job has, for anything else.
int numberOf(const QByteArray &id)
{
    return id.startsWith(Prefix) ? id.mid(static_cast<qsizetype>(qstrlen(Prefix))).toInt() : 0;
}

} // namespace

std::shared_ptr<Job> JobTable::start(CommandSpec spec, std::function<void(const QByteArray &)> listener)
{
    std::shared_ptr<Job> job;
    {
        const std::scoped_lock lock(m_mutex);
        dropOldest();
        const int number = ++m_last;
        job = std::make_shared<Job>(Prefix + QByteArray::number(number), m_thread, m_outputFolder,
                                    std::move(listener));
        m_jobs.emplace(number, job);
    }
    job->run().start(m_launcher, std::move(spec), Channels::Merged);
    return job;
}

std::optional<RunReport> JobTable::runAside(CommandSpec spec, OutputSink &sink, const std::stop_token &stop)
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
    const auto entry = m_jobs.find(numberOf(id));
    return entry != m_jobs.end() ? entry->second : nullptr;
}

void JobTable::forget(const QByteArray &id)
{
    const std::scoped_lock lock(m_mutex);
    m_jobs.erase(numberOf(id));
}

void JobTable::dropOldest()
{
    std::size_t ended = 0;
    for (const auto &[number, job] : m_jobs) {
        ended += job->run().report() ? 1 : 0;
    }
    for (auto entry = m_jobs.begin(); entry != m_jobs.end() && ended >= MostEnded;) {
        if (entry->second->run().report()) {
            entry = m_jobs.erase(entry);
            --ended;
        } else {
            ++entry;
        }
    }
}

} // namespace spettro
