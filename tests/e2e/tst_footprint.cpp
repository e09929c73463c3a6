// What a confined command has beyond its workspace: nothing that Spettro leaves behind, what the operator granted in
// full, and no way to more rights.

#include "tests/support/OperatorHome.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <csignal>

using namespace spettro::test;

namespace {

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

} // namespace

class TestFootprint : public QObject
{
    Q_OBJECT

private slots:
    void leavesNothing_data();
    void leavesNothing();
    void temporaryNames();
    void grantedCache();
    void grantedDevice();
    void noNewPrivileges();
};

void TestFootprint::leavesNothing_data()
{
    QTest::addColumn<QStringList>("policy");
    QTest::addRow("none") << QStringList{};
    QTest::addRow("workspace-write") << Confined;
    QTest::addRow("read-only") << QStringList{"--sandbox", "read-only", "--sandbox-net", "localhost"};
}

/// Neither in the workspace nor in the home folder, neither during a command nor after it nor after a kill.
void TestFootprint::leavesNothing()
{
    QFETCH(QStringList, policy);
    const OperatorHome home;
    const QByteArray before = Fixture::snapshot(home.folder());
    RunOptions options;
    options.environment = home.environment();
    for (const bool isKilled : {false, true}) {
        const auto spettro = home.fixture().start(policy, shell("echo on; read line"), options);
        QVERIFY(spettro->waitForReadyRead());
        QCOMPARE(Fixture::snapshot(home.folder()), before);
        if (isKilled) {
            ::kill(pid_t(spettro->processId()), SIGKILL);
        }
        spettro->closeWriteChannel();
        QVERIFY(spettro->waitForFinished());
        QTest::qWait(50);
        QCOMPARE(Fixture::snapshot(home.folder()), before);
    }
}

/// Nothing of Spettro's lies in the shared folders for temporary files, and what others put there changes nothing.
void TestFootprint::temporaryNames()
{
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    options.environment.remove("TMPDIR");
    const auto names = [] {
        QStringList found;
        for (const char *folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
            found << QDir(folder).entryList({"*spettro*", "*sandbox*"},
                                            QDir::AllEntries | QDir::Hidden | QDir::System);
        }
        return found;
    };
    const QStringList before = names();
    const RunResult result = home.exec(Confined, shell("printf %s \"$TMPDIR\""), options);
    QVERIFY2(result.exitCode == 0 && result.output == "/tmp" && result.errors.isEmpty(), describe(result));
    for (const QString &name : names()) {
        QVERIFY2(before.contains(name), qPrintable(name));
    }
}

/// The caches of the home folder are closed with the plain error; one that the operator grants works in full.
void TestFootprint::grantedCache()
{
    const OperatorHome home;
    const RunResult closed = home.exec(Confined, shell("mkdir -p ~/.cache/tool"));
    QVERIFY2(closed.exitCode == 1 && closed.errors.contains("Permission denied"), describe(closed));

    QVERIFY(QDir(home.folder()).mkpath(".cache/tool"));
    const RunResult granted =
        home.exec(Confined + QStringList{"--sandbox-allow-dir", "~/.cache/tool"}, shell(R"(
cd ~/.cache/tool && flock .lock echo locked && mkdir -p a/b && printf '#!/bin/sh\necho ran\n' >a/b/x &&
chmod +x a/b/x && mv a/b c && ./c/x && ln c/x hard && mv hard "$OLDPWD/moved" && ! { echo y >../beside; } 2>/dev/null
)"));
    QVERIFY2(granted.exitCode == 0, describe(granted));
    QCOMPARE(granted.output, QByteArray("locked\nran\n"));
    QVERIFY(exists(home.workspace("moved")) && !exists(home.folder() + "/.cache/beside"));

    const RunResult readOnly =
        home.exec(Confined + QStringList{"--sandbox-allow-read-dir", "~/.cache/tool"},
                  shell("~/.cache/tool/c/x; ! { echo y >~/.cache/tool/new; } 2>/dev/null"));
    QVERIFY2(readOnly.exitCode == 0 && readOnly.output == "ran\n", describe(readOnly));
}

void TestFootprint::grantedDevice()
{
    if (!isRoot()) {
        QSKIP("only root can make a device node");
    }
    const Fixture fixture;
    const QString device = fixture.outside("device");
    if (::mknod(QFile::encodeName(device).constData(), S_IFCHR | 0600, makedev(1, 5)) != 0) {
        QSKIP("no device nodes in this container");
    }
    const QStringList command = shell("head -c 3 \"$1\" | wc -c && echo x >\"$1\"", {device});
    const RunResult closed = fixture.exec(Confined, command);
    QVERIFY2(closed.exitCode != 0, describe(closed));
    const RunResult granted = fixture.exec(Confined + QStringList{"--sandbox-allow-dir", device}, command);
    QVERIFY2(granted.exitCode == 0 && granted.output == "3\n", describe(granted));
}

/// Programs that change the user do not, and say so at once.
void TestFootprint::noNewPrivileges()
{
    const OperatorHome home;
    QElapsedTimer timer;
    timer.start();
    const RunResult result = home.exec(Confined, shell(R"sh(
grep -c 'NoNewPrivs:.1' /proc/self/status; grep -c 'CapEff:.0000000000000000' /proc/self/status
cp /usr/bin/id s && chmod u+s s; ./s -u | grep -cx "$(id -u)"
su nobody -s /bin/sh -c id </dev/null >su 2>&1 && echo changed; sudo -n true </dev/null >sudo 2>&1 && echo sudo; :
)sh"));
    QCOMPARE(result.output, QByteArray("1\n1\n1\n"));
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
}

QTEST_GUILESS_MAIN(TestFootprint)
#include "tst_footprint.moc"
