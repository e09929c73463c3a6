// Ways around the rules: other interfaces to the kernel, namespaces and mounts, privileges, the terminal,
// sandboxes in the sandbox (cases 16, 22, 24, 33 of the field).

#include "tests/support/Fixture.h"

#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <sys/syscall.h>

#include <csignal>

using namespace spettro::test;

namespace {

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

/// Several kinds of policies; each has to close these ways.
const QList<QStringList> Policies{
    Confined,
    {"--sandbox", "read-only"},
    {"--sandbox-net", "localhost"},
    Confined + QStringList{"--test-landlock-abi", "1"},
};

QByteArray withFlags(const QStringList &flags, const RunResult &result)
{
    return flags.join(' ').toUtf8() + ": " + describe(result);
}

/// A line of /proc/PID/status, without its name.
QByteArray statusOf(const QByteArray &process, const QByteArray &name)
{
    for (const QByteArray &line :
         contentOf("/proc/" + QString::fromLatin1(process) + "/status").split('\n')) {
        if (line.startsWith(name + ':')) {
            return line.mid(name.size() + 1).trimmed();
        }
    }
    return {};
}

QString quoted(const QString &text)
{
    return '\'' + text + '\'';
}

} // namespace

class tst_Escapes : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void callIsRefused_data();
    void callIsRefused();
    void socketBy32BitCallIsFatal();
    void socketByX32CallIsRefused();
    void mountsNothing_data();
    void mountsNothing();
    void capabilitiesAreGone();
    void ambientCapabilitiesAreGone();
    void setuidProgramGainsNothing();
    void terminalTakesNoInput_data();
    void terminalTakesNoInput();
    void terminalCannotBeOpenedWithoutOne();
    void nestedSandboxesWorkUpToTheLimit();
};

void tst_Escapes::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Escapes::callIsRefused_data()
{
    QTest::addColumn<QStringList>("act");
    QTest::addColumn<QByteArray>("answer");
    const auto row = [](const QStringList &act, const char *answer) {
        QTest::newRow(qPrintable(act.join(' '))) << act << QByteArray("refused ") + answer + '\n';
    };
    row({"io-uring-setup"}, "ENOSYS"); // case 22
    for (const long call : {SYS_io_uring_enter, SYS_io_uring_register, SYS_request_key, SYS_fsconfig,
                            SYS_fsmount, SYS_fspick, SYS_move_mount}) {
        row({"call", QString::number(call)}, "ENOSYS");
    }
    row({"userfaultfd"}, "ENOSYS");
    row({"bpf"}, "ENOSYS");
    row({"keyring"}, "ENOSYS");
    row({"add-key", "spettro-test"}, "ENOSYS");
    row({"perf-event", "0"}, "EPERM");

    // case 24: user, and with it, as an ordinary user can, mount, cgroup, uts, ipc, pid, net; as root those
    // alone
    QByteArrayList namespaces{"0x10000000", "0x10020000", "0x12000000", "0x14000000",
                              "0x18000000", "0x30000000", "0x50000000"};
    if (isRoot()) {
        namespaces += {"0x20000", "0x2000000", "0x4000000", "0x8000000", "0x20000000", "0x40000000", "0x80"};
        row({"setns", "/proc/self/ns/uts"}, "EPERM");
    }
    for (const QByteArray &flags : namespaces) {
        row({"unshare", flags}, "EPERM");
        if (flags != "0x80") { // a new time namespace: by unshare(2) and clone3(2) only
            row({"clone", flags}, "EPERM");
        }
        row({"clone3", flags}, "ENOSYS");
    }
    row({"fsopen"}, "ENOSYS");
    row({"open-tree", "/"}, "ENOSYS");
    row({"open-by-handle", "/usr/bin/env", "/usr"}, "EPERM");
    row({"chroot", "/"}, "EPERM"); // case 54
    row({"setuid", "1"}, "EPERM"); // case 54
}

void tst_Escapes::callIsRefused()
{
    QFETCH(QStringList, act);
    QFETCH(QByteArray, answer);
    Fixture fixture;
    act.prepend(fixture.probe("syscalls"));
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.exec(flags, act);
        QVERIFY2(result.exitCode == 1 && result.output == answer, withFlags(flags, result));
    }
    // With nonsense for arguments, any other error means that the kernel would have taken the call.
    const RunResult control = fixture.control(act);
    const bool isTaken = act[1] == "call" ? control.output != answer : control.exitCode == 0;
    if (!isTaken) {
        QSKIP(qPrintable("this host refuses it to this user anyway: " + QString::fromLatin1(control.output)));
    }
}

void tst_Escapes::socketBy32BitCallIsFatal()
{
    Fixture fixture; // case 22
    const QStringList act{fixture.probe("syscalls"), "socket-int80"};
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.exec(flags, act);
        QVERIFY2(result.exitCode == 128 + SIGSYS && result.output.isEmpty(), withFlags(flags, result));
    }
    if (fixture.control(act).exitCode != 0) {
        QSKIP("this host has no 32-bit calls (CONFIG_IA32_EMULATION)");
    }
}

void tst_Escapes::socketByX32CallIsRefused()
{
    Fixture fixture; // case 22
    const QStringList act{fixture.probe("syscalls"), "socket-x32"};
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.exec(flags, act);
        QVERIFY2(result.output == "refused ENOSYS\n", withFlags(flags, result));
    }
    if (fixture.control(act).exitCode != 0) {
        QSKIP("this host has no x32 calls (CONFIG_X86_X32_ABI, syscall.x32=y)");
    }
}

void tst_Escapes::mountsNothing_data()
{
    QTest::addColumn<QStringList>("act");
    QTest::newRow("tmpfs") << QStringList{"mount-tmpfs", "@T"};
    QTest::newRow("bind") << QStringList{"mount-bind", "@O", "@T"};
    QTest::newRow("umount") << QStringList{"umount", "@T"};
    QTest::newRow("pivot_root") << QStringList{"pivot-root", "@T"};
    QTest::newRow("mount_setattr") << QStringList{"mount-setattr", "@T"};
    QTest::newRow("open_tree") << QStringList{"open-tree", "@T"};
    QTest::newRow("fsopen") << QStringList{"fsopen"};
    QTest::newRow("unshare") << QStringList{"unshare", "0x20000"};
}

/// All of it starts in namespaces of its own, where this user may mount: what stops the command is Spettro.
void tst_Escapes::mountsNothing()
{
    QFETCH(QStringList, act); // case 24
    Fixture fixture;
    const QString target = fixture.workspace("target");
    QVERIFY(fixture.control({"/bin/mkdir", target}).exitCode == 0);
    act.replaceInStrings("@T", target);
    act.replaceInStrings("@O", fixture.outside());
    act.prepend(fixture.probe("syscalls"));
    const auto inNamespaces = [&](const QStringList &command) {
        return QStringList{"/usr/bin/unshare", "-Urm"}
               + shell("mount -t tmpfs none \"$1\" && shift && exec \"$@\"", QStringList{target} + command);
    };

    const RunResult control = fixture.control(inNamespaces(act));
    if (control.exitCode != 0) {
        QSKIP(qPrintable("no user namespaces here: " + QString::fromLocal8Bit(describe(control))));
    }
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.control(
            inNamespaces(QStringList{spettroPath(), "exec"} + flags + QStringList{"--"} + act));
        QVERIFY2(result.exitCode == 1
                     && (result.output == "refused EPERM\n" || result.output == "refused ENOSYS\n"),
                 withFlags(flags, result));
    }
}

void tst_Escapes::capabilitiesAreGone()
{
    Fixture fixture; // case 33; read by the host, while the command runs
    const QStringList command = shell("echo $$; exec sleep 60");
    const auto statusLines = [&](const QStringList &flags) {
        const std::unique_ptr<QProcess> process = fixture.start(flags, command);
        process->waitForReadyRead(10'000);
        const QByteArray id = process->readLine().trimmed();
        QByteArrayList lines;
        for (const char *name : {"CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd", "NoNewPrivs", "Seccomp"}) {
            lines << statusOf(id, name);
        }
        process->terminate();
        process->waitForFinished();
        return lines;
    };
    const QByteArray none(16, '0');
    const QByteArrayList control = statusLines({});
    QCOMPARE(control.mid(5), (QByteArrayList{"0", "0"}));
    QCOMPARE(control[2] != none, isRoot());
    for (const QStringList &flags : Policies) {
        const QByteArrayList lines = statusLines(flags);
        QCOMPARE(lines.mid(0, 4), (QByteArrayList{none, none, none, none}));
        QVERIFY2(!isRoot() || lines[4] == none, lines[4]); // an ordinary user cannot empty it, and needs not
        QCOMPARE(lines.mid(5), (QByteArrayList{"1", "2"}));
    }
}

void tst_Escapes::ambientCapabilitiesAreGone()
{
    if (!isRoot()) {
        QSKIP("only root can give a capability away: see the entry without .user");
    }
    // Root without root's powers, but with one ambient capability, which an exec hands on and nobody takes
    // away.
    const QStringList poorRoot{"/usr/bin/setpriv", "--securebits",   "+noroot",      "--inh-caps",
                               "-all,+net_raw",    "--ambient-caps", "-all,+net_raw"};
    const QStringList command = {"/bin/grep", "Cap[IPEA]", "/proc/self/status"};
    Fixture fixture;
    const RunResult control = fixture.control(poorRoot + command);
    if (control.output.count("0000000000002000\n") != 4) {
        QSKIP(qPrintable("no such capability to give away here: " + QString::fromUtf8(describe(control))));
    }
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.control(poorRoot + QStringList{spettroPath(), "exec"} + flags
                                                 + QStringList{"--"} + command);
        QVERIFY2(result.output.count("0000000000000000\n") == 4, withFlags(flags, result));
    }
}

void tst_Escapes::setuidProgramGainsNothing()
{
    if (!isRoot()) {
        QSKIP("only root can make a program that runs as another user: see the entry without .user");
    }
    Fixture fixture; // case 33
    const QString program = fixture.probe("hello");
    QCOMPARE(fixture.control(shell("chown 65534 \"$1\" && chmod 4755 \"$1\"", {program})).exitCode, 0);
    if (fixture.control({program}).output != "hello 65534\n") {
        QSKIP("the home folder is mounted nosuid");
    }
    for (const QStringList &flags : Policies) {
        QCOMPARE(fixture.exec(flags, {program}).output, QByteArray("hello 0\n"));
    }
}

void tst_Escapes::terminalTakesNoInput_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<bool>("worksOnHost");
    QTest::newRow("TIOCSTI") << "0x5412" << true; // case 16
    QTest::newRow("TIOCSTI, upper bits") << "0xdead000000005412" << true;
    QTest::newRow("TIOCLINUX") << "0x541c" << false; // on a virtual console only
    QTest::newRow("TIOCLINUX, upper bits") << "0x100000000541c" << false;
}

void tst_Escapes::terminalTakesNoInput()
{
    QFETCH(QString, call);
    QFETCH(bool, worksOnHost);
    const QString script = QStandardPaths::findExecutable("script");
    QVERIFY2(!script.isEmpty(), "install bsdutils (script)");
    Fixture fixture;
    const QString act = quoted(fixture.probe("syscalls")) + " terminal " + call;
    const auto onTerminal = [&](const QString &command) {
        return fixture.control({script, "-qec", command, "/dev/null"});
    };
    for (const QStringList &flags : Policies) {
        const RunResult result =
            onTerminal(quoted(spettroPath()) + " exec " + flags.join(' ') + " -- " + act);
        QVERIFY2(result.exitCode == 1 && result.output.contains("refused EPERM"), withFlags(flags, result));
    }
    const RunResult control = onTerminal(act);
    QVERIFY2(!control.output.contains("EPERM"), describe(control));
    if (worksOnHost && control.exitCode != 0) {
        QSKIP(qPrintable("this host forbids it (dev.tty.legacy_tiocsti): "
                         + QString::fromLocal8Bit(control.output)));
    }
}

void tst_Escapes::terminalCannotBeOpenedWithoutOne()
{
    const QString script = QStandardPaths::findExecutable("script"); // case 16, case 74
    QVERIFY2(!script.isEmpty(), "install bsdutils (script)");
    Fixture fixture;
    const QString open = "sh -c 'echo attack > /dev/tty' < /dev/null > out 2>&1";
    const RunResult control = fixture.control({script, "-qec", open, "/dev/null"});
    QVERIFY2(control.output.contains("attack"), describe(control));
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.control(
            {script, "-qec", quoted(spettroPath()) + " exec " + flags.join(' ') + " -- " + open,
             "/dev/null"});
        QVERIFY2(result.exitCode != 0 && !result.output.contains("attack"), withFlags(flags, result));
    }
}

void tst_Escapes::nestedSandboxesWorkUpToTheLimit()
{
    Fixture fixture; // case 24: Landlock stacks 16 layers (landlock(7)), the 17th must not be left out
    const QStringList layer =
        QStringList{fixture.nestedSpettro(), "exec", "--sandbox", "workspace-write", "--"};
    const auto nested = [&](int depth, const QString &name) {
        QStringList command =
            shell("echo ran > \"$1\"; echo attack > \"$2\"", {name, fixture.outside("new")});
        for (int i = 0; i < depth; ++i) {
            command = layer + command;
        }
        return fixture.control(command);
    };
    for (const int depth : {1, 2, 16}) {
        const QString name = QString::number(depth);
        const RunResult result = nested(depth, name);
        QVERIFY2(exists(fixture.workspace(name)), describe(result));
        QVERIFY(!exists(fixture.outside("new")));
    }
    const RunResult result = nested(17, "17");
    QVERIFY2(result.exitCode == 126 && !exists(fixture.workspace("17")), describe(result));
    QVERIFY2(result.errors.contains("16 layers"), describe(result));
    QVERIFY(!exists(fixture.outside("new")));
}

QTEST_GUILESS_MAIN(tst_Escapes)

#include "tst_escapes.moc"
