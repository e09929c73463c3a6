#include "sandbox/child/SignalWait.h"

#include <algorithm>
#include <ctime>

namespace spettro::sandbox {

namespace {

bool isIgnored(int signal)
{
    struct sigaction action;
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

timespec durationUntil(std::chrono::steady_clock::time_point deadline)
{
    using namespace std::chrono;
    const nanoseconds left = std::max(nanoseconds(0), nanoseconds(deadline - steady_clock::now()));
    return {static_cast<time_t>(left.count() / 1'000'000'000),
            static_cast<long>(left.count() % 1'000'000'000)};
}

} // namespace

SignalWait::SignalWait(std::initializer_list<int> signals)
{
    ::signal(SIGCHLD, SIG_DFL);
    ::sigemptyset(&m_signals);
    for (const int signal : signals) {
        if (!isIgnored(signal) || signal == SIGCHLD) {
            ::sigaddset(&m_signals, signal);
        }
    }
    ::sigprocmask(SIG_BLOCK, &m_signals, &m_previous);
}

std::optional<siginfo_t> SignalWait::next(std::optional<std::chrono::steady_clock::time_point> deadline) const
{
    for (;;) {
        siginfo_t signal{};
        const timespec left = deadline ? durationUntil(*deadline) : timespec{};
        if (::sigtimedwait(&m_signals, &signal, deadline ? &left : nullptr) > 0) {
            return signal;
        }
        if (deadline && std::chrono::steady_clock::now() >= *deadline) {
            return std::nullopt;
        }
    }
}

} // namespace spettro::sandbox
