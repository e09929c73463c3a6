// The exit code of `spettro exec`: the command's own in every case, and Spettro's few.

#include "tests/support/OperatorHome.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>

using namespace spettro::test;

namespace {

const QList<QStringList> Policies{
    {},
    {"--sandbox", "workspace-write"},
    {"--sandbox", "workspace-write", "--sandbox-net", "none"},
    {"--sandbox", "read-only", "--sandbox-net", "localhost"},
    {"--sandbox", "off", "--sandbox-net", "ports:443"},
};

/// A row for every policy.
void addRows(const char *name, const QStringList &command, int expected)
{
    for (const QStringList &policy : Policies) {
        QTest::addRow("%s: %s", qPrintable(policy.isEmpty() ? "no policy" : policy.join(' ')), name)
            << policy << command << expected;
    }
}

} // namespace

class TestExitCodes : public QObject
{
    Q_OBJECT

private slots:
    void isTheCommands_data();
    void isTheCommands();
    void allCodes();
    void ofShells_data();
    void ofShells();
    void addsNothing();
    void timeLimit();
    void timeLimitOfIgnoringCommand();
    void usage_data();
    void usage();
    void ownRefusalIsMarked();

private:
    OperatorHome m_home;
};

void TestExitCodes::isTheCommands_data()
{
    writeFile(m_home.workspace("notexecutable"), "#!/bin/sh\n");
    writeFile(m_home.workspace("nohashbang"), "exit 6\n");
    writeFile(m_home.workspace("hashbang"), "#!/bin/sh\nexit 5\n");
    writeFile(m_home.workspace("badinterpreter"), "#!/no/such/interpreter\n");
    for (const char *name : {"nohashbang", "hashbang", "badinterpreter"}) {
        QFile::setPermissions(m_home.workspace(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    QTest::addColumn<QStringList>("policy");
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<int>("expected");
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1}) {
        addRows(qPrintable(QString("signal %1").arg(signal)), shell(QString("kill -%1 $$").arg(signal)),
                128 + signal);
    }
    addRows("not found", {"no-such-command"}, 127);
    addRows("not found by path", {"./no-such-command"}, 127);
    addRows("below a file", {"hashbang/x"}, 127);
    addRows("not executable", {"./notexecutable"}, 126);
    addRows("a folder", {"."}, 126);
    addRows("missing interpreter", {"./badinterpreter"}, 127);
    addRows("with an interpreter", {"./hashbang"}, 5);
    addRows("as the first argument of sh", {"sh", "nohashbang"}, 6);
    addRows("without an interpreter", {"./nohashbang"}, 6);
    addRows("a child's death is not the command's", shell("sh -c 'kill -9 $$'; exit 3"), 3);
}

void TestExitCodes::isTheCommands()
{
    QFETCH(QStringList, policy);
    QFETCH(QStringList, command);
    QFETCH(int, expected);
    const RunResult result = m_home.exec(policy, command);
    QVERIFY2(result.exitCode == expected, describe(result));
}

void TestExitCodes::allCodes()
{
    for (int code = 0; code < 256; ++code) {
        const QStringList &policy = Policies[code % Policies.size()];
        const RunResult result = m_home.exec(policy, shell("exit $1", {QString::number(code)}));
        QVERIFY2(result.exitCode == code, describe(result));
        QVERIFY2(result.errors.isEmpty() && result.output.isEmpty(), describe(result));
    }
}

void TestExitCodes::ofShells_data()
{
    QTest::addColumn<QStringList>("shell");
    QTest::addRow("bash") << QStringList{"bash", "-c"};
    QTest::addRow("dash") << QStringList{"dash", "-c"};
    QTest::addRow("busybox") << QStringList{"busybox", "sh", "-c"};
}

/// The settings of the operator's shells (noisy, and ending with 9, in this home) have no part in a command.
void TestExitCodes::ofShells()
{
    QFETCH(QStringList, shell);
    for (const QStringList &policy : Policies) {
        const RunResult fine = m_home.exec(policy, shell + QStringList{"printf 'fine\\n'"});
        if (!policy.isEmpty()) { // without a policy the environment is the operator's own
            QCOMPARE(fine.output, QByteArray("fine\n"));
            QCOMPARE(fine.errors, QByteArray());
            QCOMPARE(fine.exitCode, 0);
            QCOMPARE(m_home.exec(policy, shell + QStringList{"false | true; exit 3"}).exitCode, 3);
        }
    }
}

/// What a command says about refusals is its own; Spettro neither adds to it nor reads it.
void TestExitCodes::addsNothing()
{
    const QStringList policy{"--sandbox", "workspace-write", "--sandbox-net", "none"};
    const RunResult claimed =
        m_home.exec(policy, shell("echo 'sandbox: Operation not permitted (landlock, seccomp)'; exit 1"));
    QCOMPARE(claimed.exitCode, 1);
    QCOMPARE(claimed.output, QByteArray("sandbox: Operation not permitted (landlock, seccomp)\n"));
    QCOMPARE(claimed.errors, QByteArray());

    const RunResult refused = m_home.exec(policy, {"touch", m_home.fixture().outside("new")});
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(!refused.errors.contains("spettro:") && !refused.errors.contains("sandbox"), describe(refused));

    const RunResult shells126 = m_home.exec(policy, shell("./notexecutable"));
    QCOMPARE(shells126.exitCode, 126);
    QVERIFY2(!shells126.errors.contains("spettro:"), describe(shells126));
}

void TestExitCodes::timeLimit()
{
    for (const QStringList &policy : Policies) {
        QElapsedTimer timer;
        timer.start();
        const RunResult result =
            m_home.exec(QStringList{"--timeout", "0.5"} + policy, shell("echo before; exec sleep 30"));
        QVERIFY2(result.exitCode == 124, describe(result));
        QCOMPARE(result.output, QByteArray("before\n"));
        QVERIFY2(timer.elapsed() >= 500 && timer.elapsed() < 5000,
                 qPrintable(QString::number(timer.elapsed())));
    }
    QCOMPARE(m_home.exec({"--timeout", "30"}, shell("exit 7")).exitCode, 7);
    QCOMPARE(m_home.exec({"--timeout", "0"}, shell("exit 7")).exitCode, 7);
    QCOMPARE(
        m_home.exec({"--timeout", "0.3"}, shell("trap 'exit 9' TERM; while :; do sleep 0.1; done")).exitCode,
        124);
}

void TestExitCodes::timeLimitOfIgnoringCommand()
{
    QElapsedTimer timer;
    timer.start();
    const RunResult result =
        m_home.exec({"--timeout", "0.3"}, shell("trap '' TERM INT HUP; while :; do sleep 1; done"));
    QCOMPARE(result.exitCode, 124);
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
}

void TestExitCodes::usage_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addRow("nothing") << QStringList{};
    QTest::addRow("no --") << QStringList{"exec", "true"};
    QTest::addRow("nothing behind --") << QStringList{"exec", "--"};
    QTest::addRow("an empty command") << QStringList{"exec", "--", ""};
    QTest::addRow("unknown verb") << QStringList{"execute", "--", "true"};
}

void TestExitCodes::usage()
{
    QFETCH(QStringList, arguments);
    const RunResult result = m_home.fixture().control(QStringList{spettroPath()} + arguments);
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.startsWith("spettro: ") && result.output.isEmpty(), describe(result));
}

/// Spettro's own 126 says so, and nothing has run; a command's 126 has no such line (above).
void TestExitCodes::ownRefusalIsMarked()
{
    const RunResult result =
        m_home.exec({"--test-landlock-abi", "0", "--sandbox", "workspace-write"}, shell("touch ran"));
    QVERIFY2(result.exitCode == 126, describe(result));
    QVERIFY2(result.errors.startsWith("spettro: nothing was run: "), describe(result));
    QVERIFY(!exists(m_home.workspace("ran")));
}

QTEST_GUILESS_MAIN(TestExitCodes)
#include "tst_exitcodes.moc"
