#pragma once

#include <QObject>
#include <QThread>

#include <functional>

namespace spettro {

/// The thread that starts and owns all processes, and that starts the threads of the file tools. It is started before the
/// process takes its own bounds (linux: the backstop), so that what it starts is bounded by its own policy alone. It lives
/// as long as the session: commands end when the thread that started them does.
class LaunchThread
{
public:
    LaunchThread();

    /// Ends the thread, after what has been posted.
    ~LaunchThread();
    LaunchThread(const LaunchThread &) = delete;
    LaunchThread &operator=(const LaunchThread &) = delete;

    /// Runs a function in the thread, after those posted before. Does not wait. Thread-safe.
    void post(std::function<void()> function);

    /// Runs a function in the thread and waits for its end. Not to be called from the thread itself.
    void postAndWait(std::function<void()> function);

private:
    QThread m_thread;
    QObject m_worker; ///< Lives in the thread.
};

} // namespace spettro
