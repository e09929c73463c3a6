// Processes outside a command, Spettro's own among them: no signal, no tracing, no memory, no environment, no
// limit (cases 13, 14, 23, 64 of the field); and a command's own children stay in its hands.

#include "tests/support/Fixture.h"

#include <QTest>

using namespace spettro::test;

namespace {

constexpr int SignalScopeAbi = 6; ///< Landlock's first ABI that scopes signals.

QByteArray withFlags(const QStringList &flags, const RunResult &result)
{
    return flags.join(' ').toUtf8() + ": " + describe(result);
}

/// Policies of several kinds with every ABI from `firstAbi`.
QList<QStringList> confinements(int firstAbi, int firstAbiOfNetworkAlone)
{
    QList<QStringList> all;
    for (const int abi : landlockAbis()) {
        const QStringList limit{"--test-landlock-abi", QString::number(abi)};
        if (abi >= firstAbi) {
            all << QStringList{"--sandbox", "workspace-write", "--sandbox-net", "none"} + limit;
            all << QStringList{"--sandbox", "read-only"} + limit;
        }
        if (abi >= firstAbiOfNetworkAlone) {
            all << QStringList{"--sandbox-net", "none"} + limit;
        }
    }
    return all;
}

/// Landlock separates debuggers as soon as it is in force: for files from ABI 1, for the network from ABI 4.
QList<QStringList> tracingConfinements()
{
    return confinements(1, 4);
}

bool isOrdinaryRefusal(const RunResult &result)
{
    return result.exitCode == 1
           && (result.output == "refused EPERM\n" || result.output == "refused EACCES\n");
}

} // namespace

class tst_Processes : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void signalsNobodyOutside_data();
    void signalsNobodyOutside();
    void broadcastIsRefusedWithoutScope();
    void signalsNotSpettroItself();
    void tracesNobodyOutside_data();
    void tracesNobodyOutside();
    void readsNothingOfOthersInProc_data();
    void readsNothingOfOthersInProc();
    void operatorsKeyIsInNoReadableEnvironment();
    void setsNoLimitOfOthers();
    void ownChildrenAreAtItsDisposal();
};

void tst_Processes::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Processes::signalsNobodyOutside_data()
{
    QTest::addColumn<QString>("act");
    for (const char *act :
         {"kill-term", "kill-kill", "kill-thread", "queue", "kill-by-handle", "signal-by-pipe"}) {
        QTest::newRow(act) << act;
    }
}

void tst_Processes::signalsNobodyOutside()
{
    QFETCH(QString, act); // case 13
    if (kernelLandlockAbi() < SignalScopeAbi) {
        QSKIP("this kernel's Landlock does not scope signals (ABI 6)");
    }
    Fixture fixture;
    const auto attack = [&](const OutsideProcess &victim) {
        return QStringList{fixture.probe("processcall"), act, QString::number(victim.id())};
    };
    OutsideProcess unprotected;
    const RunResult control = fixture.control(attack(unprotected));
    QVERIFY2(control.exitCode == 0 && !unprotected.isAlive(), describe(control));

    OutsideProcess victim;
    for (const QStringList &flags : confinements(SignalScopeAbi, SignalScopeAbi)) {
        const RunResult result = fixture.exec(flags, attack(victim));
        // A signal that the kernel sends on behalf of a pipe is dropped without a word.
        QVERIFY2(isOrdinaryRefusal(result) || act == "signal-by-pipe", withFlags(flags, result));
        QVERIFY2(victim.isAlive(), withFlags(flags, result));
    }
}

void tst_Processes::broadcastIsRefusedWithoutScope()
{
    Fixture fixture; // case 13, on kernels that do not scope signals; signal 0 does no harm
    const QStringList ask{fixture.probe("processcall"), "ask-everyone"};
    const RunResult control = fixture.control(ask);
    QVERIFY2(control.exitCode == 0, describe(control));
    for (int abi = 1; abi < SignalScopeAbi; ++abi) {
        const QString limit = QString::number(std::min(abi, kernelLandlockAbi()));
        for (const QStringList &policy : {QStringList{"--sandbox", "read-only"}, {"--sandbox-net", "none"}}) {
            const RunResult result = fixture.exec(policy + QStringList{"--test-landlock-abi", limit}, ask);
            QVERIFY2(result.output == "refused EPERM\n", withFlags(policy, result));
        }
    }
}

void tst_Processes::signalsNotSpettroItself()
{
    if (kernelLandlockAbi() < SignalScopeAbi) {
        QSKIP("this kernel's Landlock does not scope signals (ABI 6)");
    }
    Fixture fixture; // case 13: the monitor is the command's parent, the guard is the monitor's
    const QStringList attack = shell("guard=$(cut -d' ' -f4 /proc/$PPID/stat); for victim in $PPID $guard; do"
                                     " kill -KILL $victim 2>/dev/null; echo $?; done; sleep 0.2; echo alive");
    const RunResult control = fixture.exec({}, attack);
    QVERIFY2(control.exitCode != 0 && !control.output.contains("alive"), describe(control));
    for (const QStringList &flags : confinements(SignalScopeAbi, SignalScopeAbi)) {
        const RunResult result = fixture.exec(flags, attack);
        QVERIFY2(result.exitCode == 0 && result.output == "1\n1\nalive\n", withFlags(flags, result));
    }
}

void tst_Processes::tracesNobodyOutside_data()
{
    QTest::addColumn<QStringList>("act");
    for (const char *act : {"attach", "seize", "read-memory", "take-descriptor", "compare"}) {
        QTest::newRow(act) << QStringList{"processcall", act};
    }
    QTest::newRow("measure") << QStringList{"syscalls", "perf-event"};
}

void tst_Processes::tracesNobodyOutside()
{
    QFETCH(QStringList, act); // case 23
    Fixture fixture;
    const QString probe = fixture.probe(act.first());
    const auto attack = [&](const OutsideProcess &victim) {
        return QStringList{probe, act.last(), QString::number(victim.id())};
    };
    const OutsideProcess victim;
    for (const QStringList &flags : tracingConfinements()) {
        const RunResult result = fixture.exec(flags, attack(victim));
        QVERIFY2(isOrdinaryRefusal(result), withFlags(flags, result));
    }
    const RunResult control = fixture.control(attack(victim));
    if (control.exitCode != 0) {
        QSKIP(qPrintable("this host forbids it to everyone (Yama?): " + QString::fromUtf8(control.output)));
    }
}

void tst_Processes::readsNothingOfOthersInProc_data()
{
    QTest::addColumn<QStringList>("act");
    for (const char *name : {"environ", "maps", "auxv"}) { // case 14
        QTest::newRow(name) << QStringList{"read", QString("/proc/@V/") + name};
    }
    QTest::newRow("mem") << QStringList{"open-read", "/proc/@V/mem"};
    QTest::newRow("mem of a thread") << QStringList{"open-read", "/proc/@V/task/@V/mem"};
    QTest::newRow("mem, for writing") << QStringList{"open-device", "/proc/@V/mem"};
    QTest::newRow("environ of a thread") << QStringList{"read", "/proc/@V/task/@V/environ"};
    QTest::newRow("an open file") << QStringList{"open-read", "/proc/@V/fd/1"};
    QTest::newRow("current folder") << QStringList{"list", "/proc/@V/cwd"};
    QTest::newRow("root folder") << QStringList{"read", "/proc/@V/root@O/canary"};
}

void tst_Processes::readsNothingOfOthersInProc()
{
    QFETCH(QStringList, act);
    Fixture fixture;
    QProcessEnvironment secret;
    secret.insert("SECRET", "key-canary-42");
    const OutsideProcess victim(secret);
    act.replaceInStrings("@V", QString::number(victim.id()));
    act.replaceInStrings("@O", fixture.outside());
    act.prepend(fixture.probe("filecall"));

    const RunResult control = fixture.control(act);
    QVERIFY2(control.exitCode == 0, describe(control));
    QCOMPARE(control.output.contains("key-canary-42"), act.last().endsWith("environ"));

    for (const QStringList &flags : tracingConfinements()) {
        const RunResult result = fixture.exec(flags, act);
        QVERIFY2(isOrdinaryRefusal(result), withFlags(flags, result));
    }
}

void tst_Processes::operatorsKeyIsInNoReadableEnvironment()
{
    Fixture fixture; // case 14: guard and monitor hold what the command is not given
    RunOptions options;
    options.environment.insert("OPENAI_API_KEY", "key-canary-" + fixture.folder());
    const QStringList search =
        shell("for p in /proc/[0-9]*; do"
              " tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -F \"$1\" && echo in $p; done; true",
              {"key-canary-" + fixture.folder()});
    const RunResult control = fixture.control(search, options);
    QVERIFY2(control.output.contains("key-canary-"), describe(control));
    for (const QStringList &flags : tracingConfinements()) {
        const RunResult result = fixture.exec(flags, search, options);
        QVERIFY2(result.output.isEmpty() && result.exitCode == 0, withFlags(flags, result));
    }
}

void tst_Processes::setsNoLimitOfOthers()
{
    Fixture fixture;
    const OutsideProcess victim;
    const auto limits = [&] { return contentOf(QString("/proc/%1/limits").arg(victim.id())); };
    const auto command = [&](const char *act) {
        return QStringList{fixture.probe("processcall"), act, QString::number(victim.id())};
    };
    const QByteArray before = limits();
    for (const QStringList &flags : confinements(1, 1)) {
        const RunResult result = fixture.exec(flags, command("set-limit"));
        QVERIFY2(isOrdinaryRefusal(result) && limits() == before, withFlags(flags, result));
    }
    const RunResult control = fixture.control(command("set-limit"));
    QVERIFY2(control.exitCode == 0 && limits() != before, describe(control));
}

void tst_Processes::ownChildrenAreAtItsDisposal()
{
    Fixture fixture; // case 23, case 64: debuggers and process pools
    for (const QStringList &flags : confinements(1, 1)) {
        for (const char *act : {"trace-child", "end-child"}) {
            const RunResult result = fixture.exec(flags, {fixture.probe("processcall"), act});
            QVERIFY2(result.exitCode == 0, withFlags(flags, result));
        }
    }
}

QTEST_GUILESS_MAIN(tst_Processes)

#include "tst_processes.moc"
