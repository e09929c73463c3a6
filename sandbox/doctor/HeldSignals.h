#pragma once

#include <csignal>

namespace spettro::sandbox {

/// Holds back Ctrl-C and its like for as long as it lives, so that there is time to tidy up; a signal that
/// came meanwhile acts at the end of its life.
class HeldSignals
{
public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals &) = delete;
    HeldSignals &operator=(const HeldSignals &) = delete;

    /// Whether somebody wants the process to end.
    bool isEndWanted() const;

    /// The mask that was in force before.
    const sigset_t &previousMask() const { return m_previous; }

private:
    sigset_t m_previous;
};

} // namespace spettro::sandbox
