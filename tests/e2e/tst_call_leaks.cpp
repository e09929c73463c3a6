// A thousand calls leave what one call leaves: no process, zombie, thread, descriptor, memory or file is lost on the way.

#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QTest>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spettro::test;

namespace {

constexpr int ManyCalls = IsSanitized ? 200 : 1000;

/// Children of this process, dead ones too. With what `initTestCase` sets, whatever Spettro leaves behind becomes one.
QByteArrayList ownChildren()
{
    QByteArrayList children;
    for (const QString &process : QDir("/proc").entryList({"[1-9]*"}, QDir::Dirs)) {
        const QByteArray status = contentOf("/proc/" + process + "/stat");
        if (status.mid(status.lastIndexOf(')') + 2).split(' ').value(1).toInt() == ::getpid()) {
            children << status.left(status.lastIndexOf(')') + 3);
        }
    }
    return children;
}

/// What a process holds.
struct Holdings
{
    qsizetype descriptors = 0;
    qsizetype threads = 0;
    qint64 memory = 0; ///< kB
    QByteArrayList children;
};

Holdings holdingsOf(qint64 process)
{
    const QString folder = QString("/proc/%1").arg(process);
    Holdings holdings;
    constexpr auto Everything = QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot;
    holdings.descriptors = QDir(folder + "/fd").entryList(Everything).size();
    const QStringList threads = QDir(folder + "/task").entryList(Everything);
    holdings.threads = threads.size();
    for (const QString &thread : threads) {
        holdings.children += contentOf(folder + "/task/" + thread + "/children").split(' ');
    }
    holdings.children.removeAll({});
    const QByteArray status = contentOf(folder + "/status");
    holdings.memory = status.mid(status.indexOf("VmRSS:"))
                          .split('\n')
                          .first()
                          .simplified()
                          .split(' ')
                          .value(1)
                          .toLongLong();
    return holdings;
}

QByteArray describe(const Holdings &before, const Holdings &after)
{
    const auto list = [](const Holdings &holdings) {
        return QByteArray::number(holdings.descriptors) + " descriptors, "
               + QByteArray::number(holdings.threads) + " threads, " + QByteArray::number(holdings.memory)
               + " kB, children: " + holdings.children.join(' ');
    };
    return list(before) + " became " + list(after);
}

/// No more than some threads of pools, which come and go, and the allocator's play.
bool hasGrown(const Holdings &before, const Holdings &after)
{
    constexpr qsizetype Play = 2;
    constexpr qsizetype ThreadPlay = 16;
    constexpr qint64 MemoryPlay = 16 * 1024;
    return after.descriptors > before.descriptors + Play || after.threads > before.threads + ThreadPlay
           || (!IsSanitized && after.memory > before.memory + MemoryPlay) || !after.children.isEmpty();
}

/// A call of each kind in turn, with what it has to give.
bool makeCall(CallSession &session, int number)
{
    const auto name = "file" + std::to_string(number % 5);
    switch (number % 10) {
    case 0:
        return session.call("file-write", {{"path", name}, {"content", "one\ntwo\n"}}).ok();
    case 1:
        return session.call("file-read", {{"path", "file0"}}).ok();
    case 2:
        return session.call("file-edit", {{"path", "file0"}, {"old_string", "one"}, {"new_string", "one"}})
            .json.is_object();
    case 3:
        return session.call("grep", {{"pattern", "two"}}).output().contains("two");
    case 4:
        return session.call("glob", {{"pattern", "file*"}}).output().contains("file0");
    case 5:
        return session.call("ls", Json::object()).output().contains("file0");
    case 6:
        return !session.call("file-read", {{"path", "../outside/canary"}}).ok();
    case 7:
        return !session.call("bash", {{"command", "sleep 60 & kill -9 $$"}}).ok();
    case 8:
        return !session.call("bash", {{"command", "echo x >../outside/x"}, {"cwd", "."}}).ok();
    default:
        return session.call("shell-exec", {{"command", "echo out; echo err >&2"}}).output() == "out\nerr\n";
    }
}

} // namespace

class TestCallLeaks : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void theWatchSees();
    void separateCalls();
    void oneSession();
    void startsAndKills();
    void longOutputs_data();
    void longOutputs();

private:
    /// The names below the operator's home but the workspace's, with what they hold.
    QByteArray stateOfHome() const;
    RunOptions options() const;

    std::unique_ptr<OperatorHome> m_home;
};

void TestCallLeaks::initTestCase()
{
    // Orphans come to this process in place of init, so that none is overlooked.
    QVERIFY(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
}

void TestCallLeaks::init()
{
    m_home = std::make_unique<OperatorHome>();
}

void TestCallLeaks::cleanup()
{
    QVERIFY2(QTest::qWaitFor([] { return ownChildren().isEmpty(); }, 3000), ownChildren().join(", "));
}

QByteArray TestCallLeaks::stateOfHome() const
{
    return Fixture::snapshot(m_home->folder() + "/.spettro") + Fixture::snapshot(m_home->temporary());
}

RunOptions TestCallLeaks::options() const
{
    RunOptions options;
    options.environment = m_home->environment();
    options.folder = m_home->workspace();
    options.timeLimit = 400'000;
    return options;
}

/// The control: each watch of this test sees what it is there for.
void TestCallLeaks::theWatchSees()
{
    const RunResult left = run(shell("sleep 1.5 & exit 0"), options());
    QVERIFY2(left.exitCode == 0, describe(left));
    QVERIFY(QTest::qWaitFor([] { return ownChildren().join().contains("sleep"); }, 5000));

    QVERIFY(
        QTest::qWaitFor([] { return ownChildren().join().contains(") Z"); }, 5000)); // a zombie is seen too
    ::waitpid(-1, nullptr, 0);

    CallSession session(m_home->fixture(), WorkspaceOnly, options());
    QVERIFY(session.call("bash", {{"command", "true"}}).ok());
    const Holdings before = holdingsOf(session.process().processId());
    // The agent is not dumpable: its descriptors are for root's eyes; an ordinary user's run has longOutputs() for them.
    QVERIFY((before.descriptors > 3 || !isRoot()) && before.threads > 1 && before.memory > 1000);
    const QByteArray stateBefore = stateOfHome();
    QVERIFY(session.call("bash", {{"command", "sleep 60"}, {"run_in_background", true}}).ok());
    QVERIFY(session.call("bash", {{"command", "echo >$TMPDIR/left"}}).ok());
    const Holdings after = holdingsOf(session.process().processId());
    QVERIFY2(!after.children.isEmpty() && hasGrown(before, after), describe(before, after));
    QVERIFY(stateOfHome() != stateBefore);
}

/// A shell that makes a thousand calls, as a user's script would.
void TestCallLeaks::separateCalls()
{
    const QStringList spettro = QStringList{spettroPath(), "call"};
    const auto loop = [&](int count) {
        return run(shell("count=$1; shift; while [ $count -gt 0 ]; do case $((count % 4)) in"
                         " 0) set -- \"$1\" call file-write '{\"path\":\"a\",\"content\":\"x\\n\"}';;"
                         " 1) set -- \"$1\" call file-read '{\"path\":\"a\"}';;"
                         " 2) set -- \"$1\" call bash '{\"command\":\"sleep 60 & seq 1 9000\"}';;"
                         " 3) set -- \"$1\" call grep '{\"pattern\":\"x\"}';; esac;"
                         " \"$@\" --sandbox workspace-write --sandbox-net none >last || exit 1; "
                         "count=$((count - 1)); done",
                         QStringList{QString::number(count)} + spettro),
                   options());
    };
    const RunResult first = loop(4);
    QVERIFY2(first.exitCode == 0, describe(first));
    const QByteArray before = stateOfHome();
    const RunResult result = loop(ManyCalls);
    QVERIFY2(result.exitCode == 0 && result.errors.isEmpty(), describe(result));
    QCOMPARE(stateOfHome(), before);
    QCOMPARE(QDir(m_home->workspace()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             (QStringList{"a", "last"}));
}

void TestCallLeaks::oneSession()
{
    CallSession session(m_home->fixture(), WorkspaceOnly, options());
    const qint64 agent = session.process().processId();
    constexpr int WarmUp = 50;
    for (int number = 0; number < WarmUp; ++number) {
        QVERIFY2(makeCall(session, number), QByteArray::number(number));
    }
    const Holdings before = holdingsOf(agent);
    const QByteArray stateBefore = stateOfHome();
    for (int number = WarmUp; number < ManyCalls; ++number) {
        QVERIFY2(makeCall(session, number), QByteArray::number(number));
    }
    const Holdings after = holdingsOf(agent);
    QVERIFY2(!hasGrown(before, after), describe(before, after));
    QCOMPARE(stateOfHome(), stateBefore);
    QVERIFY(m_home->fixture().isCanaryIntact());
}

/// A97: quick starts and kills leave no zombie and hit nobody else.
void TestCallLeaks::startsAndKills()
{
    OutsideProcess bystander;
    {
        CallSession session(m_home->fixture(), WorkspaceOnly, options());
        const qint64 agent = session.process().processId();
        Holdings before;
        for (int number = 0; number < 100; ++number) {
            const CallResult job = session.call(
                "bash", {{"command", "setsid sleep 60 & sleep 60"}, {"run_in_background", true}});
            QVERIFY2(job.ok(), describe(job));
            QVERIFY(session.call("job-kill", {{"job_id", job.json.value("job_id", std::string())}}).ok());
            if (number == 10) {
                before = holdingsOf(agent);
            }
        }
        const Holdings after = holdingsOf(agent);
        QVERIFY2(!hasGrown(before, after), describe(before, after));
    }
    QVERIFY(bystander.isAlive());
}

void TestCallLeaks::longOutputs_data()
{
    QTest::addColumn<bool>("inBackground");
    QTest::addRow("too long to be shown") << false;
    QTest::addRow("of commands in the background") << true;
}

/// Outputs are kept for later pages, but a long session does not run out of descriptors for that.
void TestCallLeaks::longOutputs()
{
    QFETCH(bool, inBackground);
    const auto limitedTo = [](int descriptors) {
        return shell("ulimit -n $1; shift; exec \"$@\"",
                     QStringList{QString::number(descriptors), spettroPath(), "call", "--lines"}
                         + WorkspaceOnly);
    };
    RunOptions options = this->options();
    constexpr int Room = 64;
    constexpr int Calls = 2 * Room;
    // What a session needs at all.
    int usual = Room;
    options.input = "{\"tool\":\"bash\",\"input\":{\"command\":\"true\"}}\n";
    while (usual < 1024 && run(limitedTo(usual), options).exitCode != 0) {
        usual += Room / 2;
    }
    options.input.clear();
    const std::string command = inBackground ? "sleep 0.35; seq 1 20" : "seq 1 20000";
    const Json line = {{"tool", "bash"},
                       {"input", {{"command", command}, {"run_in_background", inBackground}}}};
    for (int number = 0; number < Calls; ++number) {
        options.input += QByteArray::fromStdString(line.dump()) + '\n';
    }
    const RunResult result = run(limitedTo(usual + Room), options);
    const QByteArrayList lines = result.output.trimmed().split('\n');
    QCOMPARE(lines.size(), Calls);
    for (const QByteArray &each : lines) {
        QVERIFY2(each.startsWith("{\"ok\":true"), each.left(300) + result.errors.left(1000));
    }
    QCOMPARE(result.exitCode, 0);
}

QTEST_GUILESS_MAIN(TestCallLeaks)
#include "tst_call_leaks.moc"
