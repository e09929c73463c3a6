// However a command ends, nothing of its process tree is left a second later.

#include "tests/support/Fixture.h"
#include "tests/support/Processes.h"

#include <QElapsedTimer>
#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

using namespace spettro::test;

namespace {

/// The promise is a second; half of one more is for a busy machine.
constexpr int Promised = 1500; // milliseconds

/// The reading end of a pipe that every member of a tree holds open for writing (grow.c).
class Members
{
public:
    explicit Members(const QString &path)
    {
        ::mkfifo(QFile::encodeName(path).constData(), 0600);
        m_pipe = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    ~Members() { ::close(m_pipe); }

    bool arePresent(int count) const
    {
        int present = 0;
        return QTest::qWaitFor([&] { return ::ioctl(m_pipe, FIONREAD, &present) == 0 && present >= count; },
                               20'000);
    }

    /// Whether all are gone within so many milliseconds.
    bool areGoneWithin(int milliseconds) const
    {
        pollfd descriptor{m_pipe, 0, 0}; // POLLHUP is always reported
        return ::poll(&descriptor, 1, milliseconds) == 1;
    }

private:
    int m_pipe = -1;
};

pid_t monitorOf(const QProcess &spettro)
{
    return childOf(spettro.processId(), "monitor");
}

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

} // namespace

class TestTreeEnd : public QObject
{
    Q_OBJECT

private slots:
    void leavesNothing_data();
    void leavesNothing();
    void endsStoppedCommand_data();
    void endsStoppedCommand();
    void secondSignalIsHarmless();
    void stoppedGuardHoldsNothingUp();
};

void TestTreeEnd::leavesNothing_data()
{
    QTest::addColumn<QStringList>("kinds");
    QTest::addColumn<int>("members");
    QTest::addColumn<QByteArray>("ending");
    QTest::addColumn<int>("signal");
    QTest::addColumn<int>("expected");

    const struct
    {
        const char *name;
        QStringList kinds;
        int members;
    } trees[] = {
        {"setsid, daemon, deaf, stopped", {"ignore", "plain", "setsid", "daemon", "stubborn", "stopped"}, 5},
        {"100 wide", {"wide"}, 100},
        {"30 deep", {"deep"}, 30},
        {"never the same process", {"hopper"}, 1},
    };
    for (const auto &tree : trees) {
        const auto add = [&](const char *name, const char *ending, int signal, int expected) {
            QTest::addRow("%s: %s", name, tree.name)
                << tree.kinds << tree.members << QByteArray(ending) << signal << expected;
        };
        add("normal end", "normal", 0, 0);
        add("time limit", "time", 0, 124);
        add("SIGINT", "guard", SIGINT, 128 + SIGINT);
        add("SIGTERM", "guard", SIGTERM, 128 + SIGTERM);
        add("SIGHUP", "guard", SIGHUP, 128 + SIGHUP);
        add("SIGQUIT", "guard", SIGQUIT, 128 + SIGQUIT);
        add("Spettro is killed", "guard", SIGKILL, -1);
        add("the monitor is killed", "monitor", SIGKILL, 128 + SIGKILL);
        add("the command is killed", "command", SIGKILL, 128 + SIGKILL);
    }
}

void TestTreeEnd::leavesNothing()
{
    QFETCH(QStringList, kinds);
    QFETCH(int, members);
    QFETCH(QByteArray, ending);
    QFETCH(int, signal);
    QFETCH(int, expected);

    const Fixture fixture;
    const Members tree(fixture.workspace("members"));
    QStringList command{fixture.probe("grow"), "members", QString::number(members)};
    command += ending == "normal" ? QStringList{"leave"} + kinds : kinds;
    const QStringList limit{"--timeout", ending == "time" ? "2" : "60"};
    const auto spettro = fixture.start(Confined + limit, command);
    if (ending != "normal") {
        QVERIFY(tree.arePresent(members));
    }

    QElapsedTimer timer;
    timer.start();
    if (ending == "guard") {
        ::kill(pid_t(spettro->processId()), signal);
    } else if (ending != "normal" && ending != "time") {
        const pid_t monitor = monitorOf(*spettro);
        const pid_t target = ending == "monitor" ? monitor : childOf(monitor);
        QVERIFY(target > 0);
        ::kill(target, signal);
    }
    QVERIFY(spettro->waitForFinished(20'000));
    const qint64 atEnd = timer.elapsed();
    // Spettro waits for the whole tree, except when it is killed itself.
    QVERIFY2(tree.areGoneWithin(expected == -1 ? Promised : 50), "something is left");
    if (signal != 0) {
        QVERIFY2(timer.elapsed() < Promised, qPrintable(QString("took %1 ms").arg(timer.elapsed())));
    } else {
        QVERIFY2(atEnd < 10'000, qPrintable(QString("took %1 ms").arg(atEnd)));
    }
    if (expected == -1) {
        QCOMPARE(spettro->exitStatus(), QProcess::CrashExit);
    } else {
        QCOMPARE(spettro->exitCode(), expected);
        QCOMPARE(spettro->exitStatus(), QProcess::NormalExit);
    }
    QCOMPARE(spettro->readAllStandardError(), QByteArray());
}

void TestTreeEnd::endsStoppedCommand_data()
{
    QTest::addColumn<int>("signal");
    QTest::addColumn<int>("expected");
    QTest::addRow("time limit") << 0 << 124;
    QTest::addRow("SIGTERM") << SIGTERM << 128 + SIGTERM;
    QTest::addRow("SIGHUP") << SIGHUP << 128 + SIGHUP;
}

/// A stopped process neither ends by itself nor takes a signal other than SIGKILL and SIGCONT.
void TestTreeEnd::endsStoppedCommand()
{
    QFETCH(int, signal);
    QFETCH(int, expected);
    const Fixture fixture;
    const Members tree(fixture.workspace("members"));
    const QString limit = signal == 0 ? "1" : "60";
    const auto spettro = fixture.start(Confined + QStringList{"--timeout", limit},
                                       {"sh", "-c", "exec 9>members; printf x >&9; kill -STOP $$; sleep 60"});
    QVERIFY(tree.arePresent(1));
    if (signal != 0) {
        QTest::qWait(100); // let it stop
        ::kill(pid_t(spettro->processId()), signal);
    }
    QVERIFY(spettro->waitForFinished(5000));
    QCOMPARE(spettro->exitCode(), expected);
    QVERIFY(tree.areGoneWithin(50));
}

void TestTreeEnd::secondSignalIsHarmless()
{
    const Fixture fixture;
    const Members tree(fixture.workspace("members"));
    const auto spettro =
        fixture.start(Confined, {fixture.probe("grow"), "members", "1", "ignore", "stubborn"});
    QVERIFY(tree.arePresent(1));
    for (const int signal : {SIGINT, SIGTERM, SIGINT, SIGHUP, SIGTERM}) {
        ::kill(pid_t(spettro->processId()), signal);
        QTest::qWait(20);
    }
    QVERIFY(spettro->waitForFinished(5000));
    QCOMPARE(spettro->exitStatus(), QProcess::NormalExit);
    QVERIFY2(spettro->exitCode() > 128, qPrintable(QString::number(spettro->exitCode())));
    QVERIFY(tree.areGoneWithin(50));
}

void TestTreeEnd::stoppedGuardHoldsNothingUp()
{
    const Fixture fixture;
    const Members tree(fixture.workspace("members"));
    const auto spettro = fixture.start(Confined + QStringList{"--timeout", "1"},
                                       {fixture.probe("grow"), "members", "1", "ignore", "stubborn"});
    QVERIFY(tree.arePresent(1));
    ::kill(pid_t(spettro->processId()), SIGSTOP);
    QVERIFY(tree.areGoneWithin(5000));
    ::kill(pid_t(spettro->processId()), SIGCONT);
    QVERIFY(spettro->waitForFinished(5000));
    QCOMPARE(spettro->exitCode(), 124);
}

QTEST_GUILESS_MAIN(TestTreeEnd)
#include "tst_treeend.moc"
