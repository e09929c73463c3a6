#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>
#include <optional>

namespace spettro::sandbox {

/// Signals that are blocked and taken one by one instead of being handled asynchronously.
class SignalWait
{
public:
    /// Blocks the signals. One that the process inherited as ignored (nohup, a background job) stays ignored;
    /// SIGCHLD is put back to its default so that children can be waited for.
    explicit SignalWait(std::initializer_list<int> signals);

    /// The mask that was in force before.
    const sigset_t &previousMask() const { return m_previous; }

    /// The next signal; nothing once the deadline has passed. Without a deadline it waits for ever.
    std::optional<siginfo_t> next(std::optional<std::chrono::steady_clock::time_point> deadline) const;

private:
    sigset_t m_signals;
    sigset_t m_previous;
};

} // namespace spettro::sandbox
