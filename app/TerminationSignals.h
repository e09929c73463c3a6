#pragma once

#include <QSocketNotifier>

#include <functional>
#include <memory>
#include <optional>

namespace spettro {

/// Turns SIGINT, SIGTERM and SIGHUP into a call in the event loop: the first asks to end, the second ends the process at
/// once, and with it all commands. One of these at a time.
class TerminationSignals
{
public:
    explicit TerminationSignals(std::function<void()> stop);
    ~TerminationSignals();
    TerminationSignals(const TerminationSignals &) = delete;
    TerminationSignals &operator=(const TerminationSignals &) = delete;

    /// The signal that came, if one has.
    std::optional<int> caught() const { return m_caught; }

    /// Becomes readable when a signal has come; -1 where signals keep their usual effect.
    int descriptor() const;

private:
    void takeSignal();

    std::function<void()> m_stop;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::optional<int> m_caught;
};

} // namespace spettro
