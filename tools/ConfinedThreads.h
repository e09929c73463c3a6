#pragma once

#include "sandbox/policy/Result.h"
#include "tools/shell/LaunchThread.h"

#include <QThreadPool>

#include <functional>

namespace spettro {

/// The threads that file tools run on: each has taken the Landlock domain of the session's commands, so that the kernel
/// refuses what `ScopeGuard` might let through. They are started by the launch thread, which has taken no domain.
class ConfinedThreads
{
public:
    enum class Order {
        AnyTime, ///< As soon as a thread is free.
        InTurn,  ///< One after the other, in the order of the calls.
    };

    /// What is run gets an error where the thread could not take the domain: then it must do nothing but report that.
    using Work = std::function<void(const std::optional<sandbox::Error> &notConfined)>;

    /// `ruleset` is the commands' Landlock ruleset, -1 for none; it and `launcher` have to outlive this.
    ConfinedThreads(LaunchThread &launcher, int ruleset);

    ~ConfinedThreads();
    ConfinedThreads(const ConfinedThreads &) = delete;
    ConfinedThreads &operator=(const ConfinedThreads &) = delete;

    /// Hands over and returns. Thread-safe.
    void run(Order order, Work work);

    /// Waits for everything that was handed over.
    void finishAll();

private:
    LaunchThread &m_launcher;
    int m_ruleset = -1;
    QThreadPool m_anyTime;
    QThreadPool m_inTurn;
};

} // namespace spettro
