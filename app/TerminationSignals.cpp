#include "app/TerminationSignals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace spettro {

namespace {

constexpr std::initializer_list<int> Watched{SIGINT, SIGTERM, SIGHUP};

int signalPipe[2] = {-1, -1}; // what a signal handler can reach

void writeSignal(int signal)
{
    const char number = static_cast<char>(signal);
    [[maybe_unused]] const ssize_t written = ::write(signalPipe[1], &number, 1);
}

} // namespace

TerminationSignals::TerminationSignals(std::function<void()> stop) : m_stop(std::move(stop))
{
    if (::pipe2(signalPipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        return; // signals keep their usual effect, which ends everything as well
    }
    m_notifier = std::make_unique<QSocketNotifier>(signalPipe[0], QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(),
                     [this] { takeSignal(); });
    struct sigaction action = {};
    action.sa_handler = writeSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : Watched) {
        ::sigaction(signal, &action, nullptr);
    }
}

TerminationSignals::~TerminationSignals()
{
    for (const int signal : Watched) {
        std::signal(signal, SIG_DFL);
    }
    m_notifier.reset();
    ::close(signalPipe[0]);
    ::close(signalPipe[1]);
}

int TerminationSignals::descriptor() const
{
    return signalPipe[0];
}

void TerminationSignals::takeSignal()
{
    char number = 0;
    if (::read(signalPipe[0], &number, 1) == 1) {
        m_caught = number;
        m_stop();
    }
}

} // namespace spettro
