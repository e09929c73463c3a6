#include "tools/shell/CommandRun.h"

#include <fcntl.h>

#include <array>
#include <csignal>

namespace spettro {

using namespace sandbox;

void CommandRun::start(std::shared_ptr<const Launcher> launcher, CommandSpec spec, Channels channels)
{
    m_timeout = spec.timeout;
    auto folder = std::make_shared<Descriptor>();
    if (spec.workingDirectory) {
        *folder = Descriptor(::fcntl(*spec.workingDirectory, F_DUPFD_CLOEXEC, 0));
        spec.workingDirectory = folder->number();
    }
    m_thread.post([self = shared_from_this(), launcher = std::move(launcher), spec = std::move(spec), folder,
                   channels] { self->startHere(launcher, spec, channels); });
}

void CommandRun::startHere(std::shared_ptr<const Launcher> launcher, const CommandSpec &spec,
                           Channels channels)
{
    if (wasCancelled()) {
        return end({RunReport::Kind::Signaled, SIGTERM, {}});
    }
    m_process = new SandboxedProcess(std::move(launcher));
    if (channels == Channels::Merged) {
        m_process->setProcessChannelMode(QProcess::MergedChannels);
    } else {
        m_process->setStandardErrorFile(QProcess::nullDevice());
    }
    const auto self = shared_from_this(); // kept alive by the process until that has ended
    QObject::connect(m_process, &QProcess::readyRead, m_process, [self] { self->takeOutput(); });
    QObject::connect(m_process, &QProcess::finished, m_process, [self] { self->finish(); });
    QObject::connect(m_process, &QProcess::errorOccurred, m_process, [self](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            self->finish();
        }
    });
    m_process->launch(spec);
}

void CommandRun::takeOutput()
{
    std::array<char, 65536> piece;
    for (qint64 size; (size = m_process->read(piece.data(), piece.size())) > 0;) {
        if (!m_sink.append({piece.data(), static_cast<qsizetype>(size)})) {
            m_process->cancel();
        }
    }
}

void CommandRun::finish()
{
    takeOutput();
    m_sink.finish();
    SandboxedProcess *process = std::exchange(m_process, nullptr);
    process->deleteLater();
    end(process->report());
}

void CommandRun::cancel()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_wasCancelled = true;
    }
    m_thread.post([self = shared_from_this()] {
        if (self->m_process) {
            self->m_process->cancel();
        }
    });
}

std::optional<RunReport> CommandRun::wait(const std::stop_token &stop,
                                          std::optional<std::chrono::milliseconds> limit)
{
    std::unique_lock lock(m_mutex);
    const auto hasEnded = [this] { return m_report.has_value(); };
    if (limit) {
        m_ended.wait_for(lock, stop, *limit, hasEnded);
    } else {
        m_ended.wait(lock, stop, hasEnded);
    }
    return m_report;
}

std::optional<RunReport> CommandRun::report() const
{
    const std::scoped_lock lock(m_mutex);
    return m_report;
}

bool CommandRun::wasCancelled() const
{
    const std::scoped_lock lock(m_mutex);
    return m_wasCancelled;
}

void CommandRun::end(const RunReport &report)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_report = report;
    }
    m_ended.notify_all();
}

} // namespace spettro
