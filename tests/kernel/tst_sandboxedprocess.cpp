// A QProcess that runs a command under a policy or not at all, judged by what the host sees.

#include "sandbox/SandboxedProcess.h"
#include "sandbox/linux/freezePolicy.h"
#include "tests/support/Fixture.h"

#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <csignal>

using namespace spettro::sandbox;
using namespace spettro::test;

namespace {

Result<CompiledPolicy> compile(const Fixture &fixture, FileSystemMode mode, const HostFacts &host)
{
    Policy policy;
    policy.workspace = fixture.workspace().toStdString();
    policy.mode.value = mode;
    const Result<FrozenPolicy> frozen =
        freezePolicy(policy, {QDir::homePath().toStdString(), {}, HomeWorkspace::Refused});
    return frozen ? CompiledPolicy::create(*frozen, host) : frozen.error();
}

std::shared_ptr<const Launcher> launcherFor(const Fixture &fixture,
                                            FileSystemMode mode = FileSystemMode::WorkspaceWrite)
{
    return std::make_shared<const Launcher>(
        Launcher{compile(fixture, mode, probeHost(INT_MAX)).value(),
                 ProgramImage::load(spettroPath().toStdString()).value()});
}

CommandSpec script(const char *text)
{
    return {{"/bin/sh", "-c", text}, {"PATH=/usr/bin:/bin"}, {}, {}};
}

bool waitUntil(const std::function<bool()> &condition)
{
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < 10'000) {
        QTest::qWait(10);
    }
    return condition();
}

bool isAlive(pid_t process)
{
    return ::kill(process, 0) == 0;
}

} // namespace

class tst_SandboxedProcess : public QObject
{
    Q_OBJECT

private slots:
    void reports_data();
    void reports();
    void confines();
    void enforcementIsKnown();
    void refusalIsNoExitCode();
    void cannotBeStartedAroundItsConfinement_data();
    void cannotBeStartedAroundItsConfinement();
    void keepsRunningTheProgramOfTheStart();
    void inheritsNothing();
    void startsInAnotherFolder();
    void doesNotBlockTheEventLoop();
    void cancelEndsTheTree();
    void destructionEndsTheTree();
};

void tst_SandboxedProcess::reports_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<char>("kind");
    QTest::addColumn<int>("value");
    for (const int code : {0, 1, 2, 7, 124, 125, 126, 127, 128, 130, 137, 143, 200, 255}) {
        QTest::addRow("exit %d", code) << QByteArray("exit " + QByteArray::number(code)) << 'e' << code;
    }
    QTest::newRow("killed") << QByteArray("kill -9 $$") << 's' << SIGKILL;
    QTest::newRow("terminated") << QByteArray("kill -TERM $$") << 's' << SIGTERM;
    QTest::newRow("segmentation fault") << QByteArray("kill -SEGV $$") << 's' << SIGSEGV;
    QTest::newRow("time limit") << QByteArray("sleep 60") << 't' << 124;
}

void tst_SandboxedProcess::reports()
{
    QFETCH(QByteArray, text);
    QFETCH(char, kind);
    QFETCH(int, value);
    const Fixture fixture;
    for (const FileSystemMode mode : {FileSystemMode::WorkspaceWrite, FileSystemMode::Off}) {
        SandboxedProcess process(launcherFor(fixture, mode));
        CommandSpec spec = script(text.constData());
        spec.timeout = std::chrono::milliseconds(kind == 't' ? 300 : 30'000);
        process.launch(spec);
        QVERIFY(process.waitForFinished());
        QCOMPARE(static_cast<char>(process.report().kind), kind);
        QCOMPARE(process.report().value, value);
    }
}

void tst_SandboxedProcess::confines()
{
    const Fixture fixture;
    const CommandSpec spec = script("echo in > inside; echo out > ../outside/made");
    SandboxedProcess free(launcherFor(fixture, FileSystemMode::Off));
    free.launch(spec);
    QVERIFY(free.waitForFinished());
    QCOMPARE(contentOf(fixture.outside("made")), QByteArray("out\n")); // the control
    QFile::remove(fixture.outside("made"));
    QFile::remove(fixture.workspace("inside"));

    SandboxedProcess process(launcherFor(fixture));
    process.launch(spec);
    QVERIFY(process.waitForFinished());
    QCOMPARE(contentOf(fixture.workspace("inside")), QByteArray("in\n"));
    QVERIFY(!exists(fixture.outside("made")));
}

void tst_SandboxedProcess::enforcementIsKnown()
{
    const Fixture fixture;
    QCOMPARE(SandboxedProcess(launcherFor(fixture)).enforcement(), Enforcement::Full);
    QCOMPARE(SandboxedProcess(launcherFor(fixture, FileSystemMode::Off)).enforcement(), Enforcement::None);
}

void tst_SandboxedProcess::refusalIsNoExitCode()
{
    const Fixture fixture;
    SandboxedProcess missing(launcherFor(fixture));
    missing.launch({{fixture.workspace("missing").toStdString()}, {}, {}, {}});
    QVERIFY(missing.waitForFinished());
    QCOMPARE(missing.report().kind, RunReport::Kind::NotStarted);
    QCOMPARE(missing.report().value, ENOENT);
    QVERIFY(missing.readAllStandardError().isEmpty());

    // A ruleset that is none: the stage must not go on without.
    SandboxedProcess process(launcherFor(fixture));
    CommandSpec spec = script("echo ran > inside");
    spec.workingDirectory = 9999; // no descriptor
    process.launch(spec);
    process.waitForFinished();
    QVERIFY(!exists(fixture.workspace("inside")));
    QVERIFY(process.report().kind != RunReport::Kind::Exited);
}

void tst_SandboxedProcess::cannotBeStartedAroundItsConfinement_data()
{
    QTest::addColumn<int>("way");
    QTest::newRow("start with a program") << 0;
    QTest::newRow("start of a program that was set") << 1;
    QTest::newRow("start of a command line") << 2;
    QTest::newRow("open") << 3;
    QTest::newRow("again after a launch") << 4;
}

void tst_SandboxedProcess::cannotBeStartedAroundItsConfinement()
{
    QFETCH(int, way);
    const Fixture fixture;
    const QString made = fixture.outside("made");
    SandboxedProcess process(launcherFor(fixture));
    QProcess &base =
        process; // its functions are private in SandboxedProcess itself: that is checked by compiling
    switch (way) {
    case 0:
        base.start("/bin/touch", {made});
        break;
    case 1:
        base.setProgram("/bin/touch");
        base.setArguments({made});
        base.start();
        break;
    case 2:
        base.startCommand("/bin/touch " + made);
        break;
    case 3:
        base.setProgram("/bin/touch");
        base.setArguments({made});
        base.open();
        break;
    case 4:
        process.launch(script("true"));
        process.waitForFinished();
        base.start("/bin/touch", {made});
        break;
    }
    base.waitForFinished();
    QVERIFY(!exists(made));

    QProcess control;
    control.start("/bin/touch", {made});
    control.waitForFinished();
    QVERIFY(exists(made));
}

void tst_SandboxedProcess::keepsRunningTheProgramOfTheStart()
{
    const Fixture fixture; // case 28: the helper lies where commands can write
    const QString copy = fixture.workspace("spettro");
    QVERIFY(QFile::copy(spettroPath(), copy));
    const auto launcher = std::make_shared<const Launcher>(
        Launcher{compile(fixture, FileSystemMode::WorkspaceWrite, probeHost(INT_MAX)).value(),
                 ProgramImage::load(copy.toStdString()).value()});
    SandboxedProcess first(launcher);
    first.launch(script("printf '#!/bin/sh\\necho pwned > ../outside/made\\n' > spettro; chmod +x spettro"));
    QVERIFY(first.waitForFinished());
    QCOMPARE(contentOf(copy).left(9), QByteArray("#!/bin/sh"));

    SandboxedProcess second(launcher);
    second.launch(script("echo ran > inside; echo out > ../outside/made"));
    QVERIFY(second.waitForFinished());
    QCOMPARE(contentOf(fixture.workspace("inside")), QByteArray("ran\n"));
    QVERIFY(!exists(fixture.outside("made")));
}

void tst_SandboxedProcess::inheritsNothing()
{
    const Fixture fixture; // cases 15 and A99
    QFile secret(fixture.outside("canary"));
    QVERIFY(secret.open(QIODevice::ReadWrite));
    SandboxedProcess process(launcherFor(fixture));
    process.launch(script("ls /proc/self/fd; readlink /proc/self/fd/0"));
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardOutput(),
             QByteArray("0\n1\n2\n3\n/dev/null\n")); // 3 is the folder that ls reads
}

void tst_SandboxedProcess::startsInAnotherFolder()
{
    const Fixture fixture;
    QVERIFY(QDir(fixture.workspace()).mkdir("sub"));
    const int folder = ::open(QFile::encodeName(fixture.workspace("sub")), O_PATH | O_DIRECTORY | O_CLOEXEC);
    SandboxedProcess process(launcherFor(fixture));
    CommandSpec spec = script("pwd -P");
    spec.workingDirectory = folder;
    process.launch(spec);
    ::close(folder);
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardOutput(),
             QFileInfo(fixture.workspace("sub")).canonicalFilePath().toUtf8() + '\n');
}

void tst_SandboxedProcess::doesNotBlockTheEventLoop()
{
    const Fixture fixture;
    SandboxedProcess process(launcherFor(fixture));
    QSignalSpy finished(&process, &QProcess::finished);
    process.launch(script("sleep 0.5"));
    QCOMPARE(process.state() == QProcess::NotRunning, false);
    QCOMPARE(finished.count(), 0); // launch() did not wait for the command
    QVERIFY(finished.wait());
}

void tst_SandboxedProcess::cancelEndsTheTree()
{
    const Fixture fixture;
    SandboxedProcess process(launcherFor(fixture));
    process.launch(script("(trap '' TERM; setsid sleep 77 & echo $! > pid; wait) & trap '' TERM; wait"));
    QVERIFY(waitUntil([&] { return contentOf(fixture.workspace("pid")).endsWith('\n'); }));
    const pid_t sleeper = contentOf(fixture.workspace("pid")).trimmed().toInt();
    QVERIFY(isAlive(sleeper));
    QElapsedTimer timer;
    timer.start();
    process.cancel();
    QVERIFY(process.waitForFinished());
    QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(!isAlive(sleeper));
    QCOMPARE(process.report().kind, RunReport::Kind::Signaled);
}

void tst_SandboxedProcess::destructionEndsTheTree()
{
    const Fixture fixture;
    pid_t sleeper = 0;
    {
        SandboxedProcess process(launcherFor(fixture));
        process.launch(script("setsid sleep 77 & echo $! > pid; wait"));
        QVERIFY(waitUntil([&] { return contentOf(fixture.workspace("pid")).endsWith('\n'); }));
        sleeper = contentOf(fixture.workspace("pid")).trimmed().toInt();
        QVERIFY(isAlive(sleeper));
    }
    QVERIFY(waitUntil([&] { return !isAlive(sleeper); }));
}

QTEST_GUILESS_MAIN(tst_SandboxedProcess)

#include "tst_sandboxedprocess.moc"
