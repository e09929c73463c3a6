#include "tests/support/TerminalSession.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

namespace spettro::test {

namespace {

constexpr int Patience = 10'000; // milliseconds

std::vector<QByteArray> encoded(const QStringList &texts)
{
    std::vector<QByteArray> bytes;
    for (const QString &text : texts) {
        bytes.push_back(QFile::encodeName(text));
    }
    return bytes;
}

std::vector<char *> pointersTo(std::vector<QByteArray> &texts)
{
    std::vector<char *> pointers;
    for (QByteArray &text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

TerminalSession::TerminalSession(const QStringList &command, const RunOptions &options)
{
    std::vector<QByteArray> arguments = encoded(command);
    std::vector<QByteArray> environment = encoded(options.environment.toStringList());
    const std::vector<char *> argumentPointers = pointersTo(arguments);
    const std::vector<char *> environmentPointers = pointersTo(environment);
    const QByteArray folder = QFile::encodeName(options.folder);
    const winsize size{24, 80, 0, 0};
    m_process = ::forkpty(&m_terminal, nullptr, nullptr, &size);
    if (m_process == 0) {
        if (::chdir(folder.constData()) == 0) {
            ::execve(argumentPointers.front(), argumentPointers.data(), environmentPointers.data());
        }
        ::_exit(125);
    }
    if (m_process < 0) {
        qFatal("cannot make a terminal: %s", std::strerror(errno));
    }
    ::fcntl(m_terminal, F_SETFL, O_NONBLOCK);
    ::fcntl(m_terminal, F_SETFD, FD_CLOEXEC);
}

TerminalSession::~TerminalSession()
{
    close();
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
    }
}

void TerminalSession::type(const QByteArray &keys)
{
    if (::write(m_terminal, keys.constData(), size_t(keys.size())) != keys.size()) {
        qWarning("the terminal takes no keys");
    }
}

bool TerminalSession::shows(const QByteArray &text)
{
    return QTest::qWaitFor(
        [&] {
            readAll();
            const qsizetype position = m_screen.indexOf(text, m_seen);
            m_seen = position < 0 ? m_seen : position + text.size();
            return position >= 0;
        },
        Patience);
}

QByteArray TerminalSession::screen()
{
    readAll();
    return m_screen;
}

bool TerminalSession::comesToHave(const termios &expected) const
{
    return QTest::qWaitFor(
        [&] {
            const termios now = modes();
            return now.c_iflag == expected.c_iflag && now.c_oflag == expected.c_oflag
                   && now.c_cflag == expected.c_cflag && now.c_lflag == expected.c_lflag
                   && std::memcmp(now.c_cc, expected.c_cc, sizeof now.c_cc) == 0;
        },
        Patience);
}

termios TerminalSession::modes() const
{
    termios modes{};
    ::tcgetattr(m_terminal, &modes);
    return modes;
}

bool TerminalSession::comesToReadKeys() const
{
    return QTest::qWaitFor([&] { return (modes().c_lflag & ICANON) == 0; }, Patience);
}

void TerminalSession::resize(unsigned short rows, unsigned short columns) const
{
    const winsize size{rows, columns, 0, 0};
    ::ioctl(m_terminal, TIOCSWINSZ, &size);
}

void TerminalSession::close()
{
    if (m_terminal >= 0) {
        ::close(m_terminal);
        m_terminal = -1;
    }
}

int TerminalSession::waitForEnd(int milliseconds)
{
    int status = 0;
    QElapsedTimer timer;
    timer.start();
    do {
        readAll(); // a full terminal would hold the program up
        if (::waitpid(m_process, &status, WNOHANG) == m_process) {
            m_process = -1;
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
        QTest::qWait(5);
    } while (timer.elapsed() < milliseconds);
    return -1;
}

void TerminalSession::readAll()
{
    char block[4096];
    for (ssize_t count; m_terminal >= 0 && (count = ::read(m_terminal, block, sizeof block)) > 0;) {
        m_screen += QByteArray(block, count).replace('\r', "");
    }
}

} // namespace spettro::test
