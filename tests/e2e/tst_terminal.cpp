// A terminal that is passed through: shells, editors, Ctrl-C, Ctrl-Z, and the terminal's state afterwards.

#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"
#include "tests/support/TerminalSession.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>

using namespace spettro::test;

namespace {

constexpr int Promised = 1500; // milliseconds: a second, and half of one for a busy machine

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

const QByteArray CtrlC = "\x03";
const QByteArray CtrlD = "\x04";
const QByteArray CtrlZ = "\x1a";

} // namespace

#define VERIFY_SHOWS(session, text) QVERIFY2((session).shows(text), (session).screen())

class TestTerminal : public QObject
{
    Q_OBJECT

private slots:
    void interactiveShell();
    void interruptEndsCommand_data();
    void interruptEndsCommand();
    void interpreterSurvivesInterrupt();
    void editor();
    void suspendedAndResumed();
    void suspendedEditor();
    void inTheBackground();
    void modesAreRestored_data();
    void modesAreRestored();
    void closedWindow();
    void resizedWindow();
    void pipedOutput();
    void withoutTerminal();
    void injection();

private:
    RunOptions options() const
    {
        RunOptions options;
        options.folder = m_home.workspace();
        options.environment = m_home.environment();
        options.environment.insert("PS1", "ready> ");
        return options;
    }

    QStringList exec(const QStringList &command, const QStringList &flags = {}) const
    {
        return QStringList{spettroPath(), "exec"} + Confined + flags + QStringList{"--"} + command;
    }

    /// The operator's own shell, in which $RUN stands for `spettro exec FLAGS --`.
    TerminalSession operatorsShell() const
    {
        RunOptions options = this->options();
        options.environment.insert("RUN", exec({}).join(' '));
        options.environment.insert("PS1", "outer> ");
        return TerminalSession({"/bin/bash", "--norc", "--noprofile", "--noediting", "-i"}, options);
    }

    OperatorHome m_home;
};

void TestTerminal::interactiveShell()
{
    TerminalSession session(exec({"bash", "--norc", "-i"}), options());
    VERIFY_SHOWS(session, "ready> ");
    session.type("sleep 61\r");
    VERIFY_SHOWS(session, "sleep 61\n");
    QTest::qWait(200);
    session.type(CtrlZ);
    VERIFY_SHOWS(session, "Stopped");
    VERIFY_SHOWS(session, "ready> ");
    session.type("fg\r");
    VERIFY_SHOWS(session, "fg\n");
    VERIFY_SHOWS(session, "sleep 61\n");
    QTest::qWait(200);
    session.type(CtrlC);
    VERIFY_SHOWS(session, "ready> ");
    session.type("echo code $?\r");
    VERIFY_SHOWS(session, "code 130\n");
    VERIFY_SHOWS(session, "ready> ");
    QVERIFY(session.comesToReadKeys());
    session.type(CtrlC); // at the prompt: the line is given up, the shell stays
    VERIFY_SHOWS(session, "ready> ");
    QTest::qWait(1000); // longer than a command is given to end
    session.type("tty; exit 3\r");
    VERIFY_SHOWS(session, "/dev/pts/");
    QCOMPARE(session.waitForEnd(), 3);
    QVERIFY2(!session.screen().contains("process group") && !session.screen().contains("job control"),
             session.screen());
}

void TestTerminal::interruptEndsCommand_data()
{
    QTest::addColumn<QString>("script"); // $1: a duration
    QTest::addRow("plain") << "echo on; sleep $1; sleep $1";
    QTest::addRow("with background processes")
        << "setsid sleep $1 & nohup sleep $1 >/dev/null 2>&1 & echo on; wait";
    QTest::addRow("deaf") << "trap '' INT; echo on; sleep $1; sleep $1; sleep $1";
}

void TestTerminal::interruptEndsCommand()
{
    QFETCH(QString, script);
    const QByteArray duration = uniqueDuration();
    TerminalSession session(exec(shell(script, {duration})), options());
    const termios before = session.modes();
    VERIFY_SHOWS(session, "on\n");
    QTest::qWait(100);
    QElapsedTimer timer;
    timer.start();
    session.type(CtrlC);
    QCOMPARE(session.waitForEnd(), 128 + SIGINT);
    QVERIFY2(timer.elapsed() < Promised, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(processesWith(duration).isEmpty());
    QVERIFY(session.comesToHave(before));
}

void TestTerminal::interpreterSurvivesInterrupt()
{
    TerminalSession session(exec({"python3", "-q"}), options());
    VERIFY_SHOWS(session, ">>> ");
    session.type("import time; time.sleep(61)\r");
    VERIFY_SHOWS(session, "time.sleep(61)\n");
    QTest::qWait(300);
    session.type(CtrlC);
    VERIFY_SHOWS(session, "KeyboardInterrupt");
    VERIFY_SHOWS(session, ">>> ");
    QTest::qWait(1000);
    session.type("print(6 * 7)\r");
    VERIFY_SHOWS(session, "42\n");
    VERIFY_SHOWS(session, ">>> "); // before it, the terminal may still take Ctrl-D for the last line's end
    session.type(CtrlD);
    QCOMPARE(session.waitForEnd(), 0);
}

void TestTerminal::editor()
{
    QVERIFY2(missingPackages({"vim.tiny"}).isEmpty(), "not installed, Debian package: vim-tiny");
    TerminalSession session(exec({"vim.tiny", "-u", "NONE", "file"}), options());
    const termios before = session.modes();
    QVERIFY(session.comesToReadKeys());
    VERIFY_SHOWS(session, "file");
    session.type("ihello\x1b");
    session.type(":wq\r");
    QCOMPARE(session.waitForEnd(), 0);
    QCOMPARE(contentOf(m_home.workspace("file")), QByteArray("hello\n"));
    QVERIFY(session.comesToHave(before));
}

/// The operator's shell stops and continues Spettro as any job, with everything in it.
void TestTerminal::suspendedAndResumed()
{
    const QByteArray duration = uniqueDuration();
    TerminalSession session = operatorsShell();
    VERIFY_SHOWS(session, "outer> ");
    session.type("$RUN sh -c 'echo on; sleep " + duration + "; exit 4'\r");
    VERIFY_SHOWS(session, "on\n");
    const auto sleeper = [&] {
        for (const pid_t process : processesWith("sleep" + QByteArray(1, '\0') + duration)) {
            return process;
        }
        return 0;
    };
    QVERIFY(QTest::qWaitFor([&] { return sleeper() > 0; }));
    for (int round = 0; round < 2; ++round) {
        session.type(CtrlZ);
        VERIFY_SHOWS(session, "Stopped");
        VERIFY_SHOWS(session, "outer> ");
        QVERIFY(QTest::qWaitFor([&] { return stateOf(sleeper()) == 'T'; }));
        session.type("fg\r");
        VERIFY_SHOWS(session, "$RUN");
        QVERIFY(QTest::qWaitFor([&] { return stateOf(sleeper()) == 'S'; }));
    }
    session.type(CtrlC);
    VERIFY_SHOWS(session, "outer> ");
    session.type("echo code $?\r");
    VERIFY_SHOWS(session, "code 130\n");
    QVERIFY(processesWith(duration).isEmpty());
}

void TestTerminal::suspendedEditor()
{
    QVERIFY2(missingPackages({"vim.tiny"}).isEmpty(), "not installed, Debian package: vim-tiny");
    TerminalSession session = operatorsShell();
    VERIFY_SHOWS(session, "outer> ");
    session.type("$RUN vim.tiny -u NONE suspended\r");
    QVERIFY(session.comesToReadKeys());
    session.type("ifirst\x1b" + CtrlZ);
    VERIFY_SHOWS(session, "Stopped");
    VERIFY_SHOWS(session, "outer> ");
    session.type("fg\r");
    QVERIFY(session.comesToReadKeys());
    QTest::qWait(200);
    session.type("A second\x1b");
    session.type(":wq\r");
    VERIFY_SHOWS(session, "outer> ");
    session.type("echo code $?\r");
    VERIFY_SHOWS(session, "code 0\n");
    QCOMPARE(contentOf(m_home.workspace("suspended")), QByteArray("first second\n"));
}

void TestTerminal::inTheBackground()
{
    TerminalSession session = operatorsShell();
    VERIFY_SHOWS(session, "outer> ");
    session.type("$RUN sh -c 'sleep 0.3; echo done >background' & wait $!; echo code $?\r");
    VERIFY_SHOWS(session, "code 0\n");
    QCOMPARE(contentOf(m_home.workspace("background")), QByteArray("done\n"));
    session.type("$RUN sleep 61 & kill %1; wait $!; echo code $?\r");
    VERIFY_SHOWS(session, "code 143\n");
    session.type("echo still here; exit\r"); // the terminal is the shell's
    VERIFY_SHOWS(session, "still here\n");
    session.waitForEnd();
}

void TestTerminal::modesAreRestored_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<int>("expected");
    for (const char *ending : {"command killed", "Spettro killed", "monitor killed"}) {
        QTest::addRow("%s", ending) << ending << 128 + SIGKILL;
    }
    QTest::addRow("time limit") << "time limit" << 124;
    QTest::addRow("SIGTERM") << "SIGTERM" << 128 + SIGTERM;
    QTest::addRow("SIGHUP") << "SIGHUP" << 128 + SIGHUP;
}

/// A command that is ended in the middle of reading keys cannot put the terminal back itself.
void TestTerminal::modesAreRestored()
{
    QFETCH(QString, ending);
    QFETCH(int, expected);
    const QStringList limit = ending == "time limit" ? QStringList{"--timeout", "1.5"} : QStringList{};
    TerminalSession session(exec(shell("trap '' TERM HUP; stty raw -echo; sleep 61; sleep 61"), limit),
                            options());
    const termios before = session.modes();
    QVERIFY(session.comesToReadKeys());
    const pid_t monitor = childOf(session.process(), "monitor");
    QVERIFY(monitor > 0);
    if (ending == "command killed") {
        const pid_t command = childOf(monitor);
        QVERIFY(command > 0);
        ::kill(command, SIGKILL);
    } else if (ending == "monitor killed") {
        ::kill(monitor, SIGKILL);
    } else if (ending != "time limit") {
        ::kill(session.process(), ending == "SIGTERM" ? SIGTERM : ending == "SIGHUP" ? SIGHUP : SIGKILL);
    }
    QCOMPARE(session.waitForEnd(), expected);
    QVERIFY(session.comesToHave(before));
}

void TestTerminal::closedWindow()
{
    const QByteArray duration = uniqueDuration();
    TerminalSession session(
        exec(shell("trap '' HUP; setsid sleep $1 & echo on; sleep $1; sleep $1", {duration})), options());
    VERIFY_SHOWS(session, "on\n");
    session.close();
    QElapsedTimer timer;
    timer.start();
    QVERIFY(session.waitForEnd() > 128);
    QVERIFY2(timer.elapsed() < Promised, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(processesWith(duration).isEmpty());
}

void TestTerminal::resizedWindow()
{
    TerminalSession session(
        exec({"bash", "-c", "trap 'stty size; exit' WINCH; echo on; while :; do sleep 0.05; done"}),
        options());
    VERIFY_SHOWS(session, "on\n");
    session.resize(31, 107);
    VERIFY_SHOWS(session, "31 107\n");
    QCOMPARE(session.waitForEnd(), 0);
}

void TestTerminal::pipedOutput()
{
    TerminalSession session = operatorsShell();
    VERIFY_SHOWS(session, "outer> ");
    session.type("$RUN sh -c 'read line; echo \"got $line\"' | tr a-z A-Z\r");
    QTest::qWait(200);
    session.type("typed\r");
    VERIFY_SHOWS(session, "GOT TYPED\n");
    session.type("$RUN seq 100000 | head -n 1; $RUN true; echo code $?\r");
    VERIFY_SHOWS(session, "code 0\n");
}

/// Where none of the three streams is a terminal, the command cannot reach the operator's by its name either.
void TestTerminal::withoutTerminal()
{
    TerminalSession session = operatorsShell();
    VERIFY_SHOWS(session, "outer> ");
    session.type("$RUN sh -c '(: </dev/tty); tty; ps -o tty= -p $$' </dev/null >answer 2>&1; echo code $?\r");
    VERIFY_SHOWS(session, "code 0\n");
    const QByteArray answer = contentOf(m_home.workspace("answer"));
    QVERIFY2(answer.contains("No such device or address"), answer); // ENXIO
    QVERIFY2(answer.contains("not a tty") && answer.contains('?'), answer);
    session.type("$RUN sh -c ': </dev/tty && echo opened'\r");
    VERIFY_SHOWS(session, "\nopened\n");
}

/// A command cannot type for the operator.
void TestTerminal::injection()
{
    TerminalSession session = operatorsShell();
    VERIFY_SHOWS(session, "outer> ");
    writeFile(m_home.workspace("inject.py"), "import errno, fcntl, termios\n"
                                             "for key in b'touch injected\\n':\n"
                                             "    try:\n"
                                             "        fcntl.ioctl(0, termios.TIOCSTI, bytes([key]))\n"
                                             "        print('typed')\n"
                                             "    except OSError as error:\n"
                                             "        print(errno.errorcode[error.errno])\n");
    session.type("$RUN python3 inject.py | sort -u | tr -d '\\n'; echo .\r");
    VERIFY_SHOWS(session, "EPERM.\n");
    session.type("echo end\r");
    VERIFY_SHOWS(session, "\nend\n");
    QVERIFY(!exists(m_home.workspace("injected")));
}

QTEST_GUILESS_MAIN(TestTerminal)
#include "tst_terminal.moc"
