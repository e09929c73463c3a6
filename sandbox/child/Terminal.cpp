#include "sandbox/child/Terminal.h"

#include <fcntl.h>
#include <unistd.h>

namespace spettro::sandbox {

std::optional<Terminal> Terminal::ofStandardStreams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        termios modes;
        if (::tcgetattr(stream, &modes) == 0) {
            return Terminal(Descriptor(::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)), modes);
        }
    }
    return std::nullopt;
}

bool Terminal::isReadKeyByKey() const
{
    termios modes;
    return ::tcgetattr(m_descriptor.number(), &modes) == 0 && (modes.c_lflag & ICANON) == 0;
}

void Terminal::restoreModes() const
{
    ::tcsetattr(m_descriptor.number(), TCSANOW, &m_modes);
}

pid_t Terminal::foreground() const
{
    return ::tcgetpgrp(m_descriptor.number());
}

void Terminal::setForeground(pid_t group) const
{
    ::tcsetpgrp(m_descriptor.number(), group);
}

} // namespace spettro::sandbox
