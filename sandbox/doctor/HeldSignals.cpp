#include "sandbox/doctor/HeldSignals.h"

namespace spettro::sandbox {

namespace {

constexpr int EndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool isIgnored(int signal)
{
    struct sigaction action;
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

HeldSignals::HeldSignals()
{
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : EndingSignals) {
        ::sigaddset(&held, signal);
    }
    ::sigprocmask(SIG_BLOCK, &held, &m_previous);
}

HeldSignals::~HeldSignals()
{
    ::sigprocmask(SIG_SETMASK, &m_previous, nullptr);
}

bool HeldSignals::isEndWanted() const
{
    sigset_t pending;
    ::sigpending(&pending);
    for (const int signal : EndingSignals) {
        const bool wasHeldBefore = ::sigismember(&m_previous, signal) == 1;
        if (::sigismember(&pending, signal) == 1 && !wasHeldBefore && !isIgnored(signal)) {
            return true;
        }
    }
    return false;
}

} // namespace spettro::sandbox
