#include "app/SecretInput.h"

#include "sandbox/linux/Descriptor.h"
#include "sandbox/linux/SystemError.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qsizetype LongestInput = qsizetype{16} * 1024;

Error inputError(int number)
{
    return systemError(ErrorKind::Usage, "standard input", number);
}

/// A terminal that shows nothing of what is typed, as long as this lives.
class SilentTerminal
{
public:
    SilentTerminal()
    {
        ::tcgetattr(STDIN_FILENO, &m_before);
        termios silent = m_before;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK | ECHONL);
        silent.c_lflag |= ICANON | ISIG;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent); // what was typed before is not meant
    }
    ~SilentTerminal() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &m_before); }
    SilentTerminal(const SilentTerminal &) = delete;
    SilentTerminal &operator=(const SilentTerminal &) = delete;

private:
    termios m_before{};
};

/// Signals that would end or stop the process wait and are read from a descriptor, as long as this lives.
class HeldSignals
{
public:
    HeldSignals()
    {
        ::sigemptyset(&m_held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) {
            ::sigaddset(&m_held, signal);
        }
        ::pthread_sigmask(SIG_BLOCK, &m_held, &m_before);
        m_descriptor = Descriptor(::signalfd(-1, &m_held, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    HeldSignals(const HeldSignals &) = delete;
    HeldSignals &operator=(const HeldSignals &) = delete;

    int descriptor() const { return m_descriptor.number(); }

    std::optional<int> next() const
    {
        signalfd_siginfo info{};
        return ::read(descriptor(), &info, sizeof info) == sizeof info
                   ? std::optional<int>(static_cast<int>(info.ssi_signo))
                   : std::nullopt;
    }

private:
    sigset_t m_held{};
    sigset_t m_before{};
    Descriptor m_descriptor;
};

/// A line that was typed, or the signal that came instead.
struct Typed
{
    Result<QByteArray> line;
    std::optional<int> signal;
};

Typed readLine(const QByteArray &prompt)
{
    const HeldSignals held;
    const SilentTerminal terminal;
    [[maybe_unused]] const ssize_t shown =
        ::write(STDERR_FILENO, prompt.constData(), static_cast<std::size_t>(prompt.size()));
    pollfd sources[2] = {{STDIN_FILENO, POLLIN, 0}, {held.descriptor(), POLLIN, 0}};
    Typed typed{QByteArray(), std::nullopt};
    while (::poll(sources, 2, -1) < 0 && errno == EINTR) {
    }
    if (sources[1].revents != 0) {
        typed.signal = held.next();
    } else {
        QByteArray line(LongestInput, '\0');
        const ssize_t count = ::read(STDIN_FILENO, line.data(), static_cast<std::size_t>(line.size()));
        typed.line = count < 0 ? Result<QByteArray>(inputError(errno)) : line.first(count);
    }
    [[maybe_unused]] const ssize_t ended = ::write(STDERR_FILENO, "\n", 1); // the typed one was not shown
    return typed;
}

Result<QByteArray> readFromTerminal(const QByteArray &prompt)
{
    for (;;) {
        Typed typed = readLine(prompt);
        if (!typed.signal) {
            return std::move(typed.line);
        }
        std::raise(*typed.signal); // has its usual effect now that the terminal is as before
    }
}

Result<QByteArray> readAll()
{
    QByteArray text;
    for (;;) {
        char block[4096];
        const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
        if (count == 0) {
            return text;
        }
        if (count < 0 && errno != EINTR) {
            return inputError(errno);
        }
        text.append(block, std::max<ssize_t>(count, 0));
        if (text.size() > LongestInput) {
            return Error{ErrorKind::Usage, "standard input: too long for a key", 0};
        }
    }
}

} // namespace

Result<QByteArray> readSecret(const QByteArray &prompt)
{
    return ::isatty(STDIN_FILENO) != 0 ? readFromTerminal(prompt) : readAll();
}

} // namespace spettro
