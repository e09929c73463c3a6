#pragma once

#include "sandbox/linux/Descriptor.h"

#include <sys/types.h>
#include <termios.h>

#include <optional>

namespace spettro::sandbox {

/// The terminal that is passed through to a command, with the state it was found in.
class Terminal
{
public:
    /// The terminal behind the first of the three standard streams that is one; nothing where none is.
    static std::optional<Terminal> ofStandardStreams();

    int descriptor() const { return m_descriptor.number(); }

    /// Whether a program has switched off line editing, i.e. reads the keys itself (an editor, a shell, a REPL).
    bool isReadKeyByKey() const;

    /// Puts the modes back as they were found.
    void restoreModes() const;

    /// The process group in the foreground, -1 where the terminal is not the caller's controlling one.
    pid_t foreground() const;
    void setForeground(pid_t group) const;

private:
    Terminal(Descriptor descriptor, const termios &modes)
        : m_descriptor(std::move(descriptor)), m_modes(modes)
    {}

    Descriptor m_descriptor;
    termios m_modes;
};

} // namespace spettro::sandbox
