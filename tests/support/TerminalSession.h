#pragma once

#include "tests/support/Fixture.h"

#include <QByteArray>
#include <QStringList>

#include <sys/types.h>
#include <termios.h>

namespace spettro::test {

/// A program in a terminal of its own, as a terminal emulator starts one: the leader of a session whose controlling
/// terminal is a new pseudo-terminal, and a person at its keyboard.
class TerminalSession
{
public:
    TerminalSession(const QStringList &command, const RunOptions &options);
    ~TerminalSession();
    TerminalSession(const TerminalSession &) = delete;
    TerminalSession &operator=(const TerminalSession &) = delete;

    pid_t process() const { return m_process; }

    /// Types keys; "\x03" is Ctrl-C, "\x1a" Ctrl-Z.
    void type(const QByteArray &keys);

    /// Whether the text appears on the screen within some seconds, behind what an earlier call has found.
    bool shows(const QByteArray &text);

    /// Everything that was shown, without the carriage returns.
    QByteArray screen();

    /// Whether the terminal comes to have these modes within some seconds, and its modes now.
    bool comesToHave(const termios &modes) const;
    termios modes() const;

    /// Whether the program in the foreground has come to read the keys itself.
    bool comesToReadKeys() const;

    void resize(unsigned short rows, unsigned short columns) const;

    /// Closes the window.
    void close();

    /// Waits for the program's end. Its exit code, 128+N where signal N ended it, -1 where it does not end.
    int waitForEnd(int milliseconds = 30'000);

private:
    void readAll();

    int m_terminal = -1;
    pid_t m_process = -1;
    QByteArray m_screen;
    qsizetype m_seen = 0;
};

} // namespace spettro::test
