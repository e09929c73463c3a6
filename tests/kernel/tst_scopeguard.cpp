// The file tools' guard: what it opens is what the kernel would open, and nothing outside the roots. Judged by the
// bytes of files outside.

#include "sandbox/linux/Backstop.h"
#include "tests/support/Policies.h"
#include "tools/ConfinedThreads.h"
#include "tools/GuardedFile.h"
#include "tools/ScopeGuard.h"

#include <QRandomGenerator>
#include <QTest>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

using namespace spettro;
using namespace spettro::sandbox;
using namespace spettro::test;

namespace {

ScopeGuard guardFor(const FrozenPolicy &policy)
{
    return ScopeGuard::create(policy).value();
}

QByteArray bytes(const QString &path)
{
    return QFile::encodeName(path);
}

void link(const QString &target, const QString &path)
{
    if (::symlink(bytes(target).constData(), bytes(path).constData()) != 0) {
        qFatal("symlink %s", qPrintable(path));
    }
}

int errorOf(const ScopeGuard &guard, const QByteArray &path, Access access)
{
    const ToolOutcome<ScopeHandle> handle = guard.open(path, access);
    return handle ? 0 : handle.error().number;
}

/// Runs a function in a thread that has taken the domain of a policy's commands.
template<typename Function>
void inDomain(const std::shared_ptr<const Launcher> &launcher, Function function)
{
    LaunchThread launchThread;
    ConfinedThreads threads(launchThread, launcher->policy.ruleset());
    std::promise<bool> done;
    threads.run(ConfinedThreads::Order::AnyTime, [&](const std::optional<Error> &error) {
        function();
        done.set_value(!error);
    });
    QVERIFY(done.get_future().get());
}

} // namespace

class tst_ScopeGuard : public QObject
{
    Q_OBJECT

private slots:
    void opens_data();
    void opens();
    void agreesWithTheKernel();
    void survivesSwaps();
    void knowsGitFoldersByTheirContent();
    void grantsAreItsOwn();
    void kernelStandsBehindTheGuard();
    void backstop();
    void backstopLeavesCommandsTheirWay();
};

void tst_ScopeGuard::opens_data()
{
    QTest::addColumn<QByteArray>(
        "path"); // @O is the folder outside, @W the workspace, @R a readable and @E a writable root
    QTest::addColumn<int>("read"); // error numbers; 0 for success
    QTest::addColumn<int>("write");
    const auto row = [](const char *path, int read, int write) {
        QTest::newRow(path) << QByteArray(path) << read << write;
    };
    row("file", 0, 0);
    row("@W/file", 0, 0);
    row("./folder/../file", 0, 0);
    row("folder/./deep//file", 0, 0);
    row("new", ENOENT, 0);
    row("new/folders/file", ENOENT, 0);
    row("new/../file", ENOENT, ENOENT);
    row("file/x", ENOTDIR, ENOTDIR);
    row("file/", ENOTDIR, ENOTDIR);
    row("folder", EISDIR, EISDIR);
    row("folder/", EISDIR, EISDIR);
    row(".", EISDIR, EISDIR);
    row("", ENOENT, ENOENT);
    row("new/", ENOENT, EISDIR);
    row("fifo", ENXIO, ENXIO);
    row("to-file", 0, 0);
    row("to-to-file", 0, 0);
    row("absolute-to-file", 0, 0);
    row("to-missing", ENOENT, 0);
    row("loop", ELOOP, ELOOP);
    row("@O/canary", EACCES, EACCES);
    row("@O/new", EACCES, EACCES);
    row("../outside/canary", EACCES, EACCES);
    row("@W/../outside/canary", EACCES, EACCES);
    row("@W-similar/file", EACCES, EACCES);
    row("to-canary", EACCES, EACCES);
    row("to-missing-outside", EACCES, EACCES);
    row("to-outside/canary", EACCES, EACCES);
    row("to-outside/new/file", EACCES, EACCES);
    row("to-outside/../workspace/file", 0, 0);
    row("~/x", EACCES, EACCES);
    row("%2e%2e/outside/canary", ENOENT, 0);
    row("/proc/self/environ", EACCES, EACCES);
    row("/proc/self/root@O/canary", EACCES, EACCES);
    row("/proc/self/cwd/../outside/canary", EACCES, EACCES);
    row("/proc/cpuinfo", EACCES, EACCES);
    row("to-proc/self/environ", EACCES, EACCES);
    row("/dev/fd/0", EACCES, EACCES);
    row("/dev/null", EACCES, EACCES);
    row("/etc/passwd", 0, EACCES);
    row("@R/file", 0, EACCES);
    row("@R/new", ENOENT, EACCES);
    row("to-readable/file", 0, EACCES);
    row("@E/file", 0, 0);
    row("@E/new/file", ENOENT, 0);
    row("to-writable/file", 0, 0);
    row("to-writable/to-canary", EACCES, EACCES);
    row("to-writable/back/file", 0, 0);
}

void tst_ScopeGuard::opens()
{
    QFETCH(QByteArray, path);
    QFETCH(int, read);
    QFETCH(int, write);
    const Fixture fixture;
    QDir(fixture.workspace()).mkpath("folder/deep");
    for (const char *name : {"file", "folder/deep/file"}) {
        writeFile(fixture.workspace(name), "content");
    }
    const QString readable = fixture.folder() + "/readable";
    const QString writable = fixture.folder() + "/writable";
    for (const QString &folder : {readable, writable, fixture.workspace() + "-similar"}) {
        QDir().mkpath(folder);
        writeFile(folder + "/file", "content");
    }
    ::mkfifo(bytes(fixture.workspace("fifo")).constData(), 0600);
    link("file", fixture.workspace("to-file"));
    link("to-file", fixture.workspace("to-to-file"));
    link(fixture.workspace("file"), fixture.workspace("absolute-to-file"));
    link("folder/missing", fixture.workspace("to-missing"));
    link("loop", fixture.workspace("loop"));
    link(fixture.outside("canary"), fixture.workspace("to-canary"));
    link(fixture.outside("missing"), fixture.workspace("to-missing-outside"));
    link("../outside", fixture.workspace("to-outside"));
    link("/proc", fixture.workspace("to-proc"));
    link(readable, fixture.workspace("to-readable"));
    link(writable, fixture.workspace("to-writable"));
    link(fixture.outside("canary"), writable + "/to-canary");
    link(fixture.workspace(), writable + "/back");

    const ScopeGuard guard =
        guardFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite, {writable}, {readable}));
    path.replace("@O", bytes(fixture.outside())).replace("@W", bytes(fixture.workspace()));
    path.replace("@R", bytes(readable)).replace("@E", bytes(writable));
    QCOMPARE(errorOf(guard, path, Access::Read), read);
    QCOMPARE(errorOf(guard, path, Access::Write), write);

    const ScopeGuard readOnly = guardFor(frozenPolicy(fixture, FileSystemMode::ReadOnly, {}, {}));
    QVERIFY(errorOf(readOnly, path, Access::Write) != 0);
}

/// Random paths through random links: what the guard opens lies, by the kernel's own account, in a root; and what lies in a
/// root and exists the guard opens.
void tst_ScopeGuard::agreesWithTheKernel()
{
    const Fixture fixture;
    const QString writable = fixture.folder() + "/writable";
    QDir().mkpath(writable);
    const QStringList places{fixture.workspace(), fixture.outside(), writable};
    QRandomGenerator random(7);
    const auto anyOf = [&random](const QStringList &list) { return list.at(random.bounded(list.size())); };
    const QStringList names{"a", "b", "c", "d"};
    for (const QString &place : places) {
        for (const QString &folder : {place, place + "/a", place + "/a/b"}) {
            QDir().mkpath(folder);
            writeFile(folder + "/d", "content");
        }
        for (const QString &folder : {place, place + "/a"}) {
            const QStringList targets{
                "..",   "a",      "../a", anyOf(places), anyOf(places) + "/a/b", "d", "../../outside",
                "c/..", "nowhere"};
            link(anyOf(targets), folder + "/c");
        }
    }
    const ScopeGuard guard = guardFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite, {writable}));
    const QByteArray real = bytes(QFileInfo(fixture.folder()).canonicalFilePath());
    int opened = 0;
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        QString path = random.bounded(3) == 0 ? anyOf(places) + '/' : QString();
        for (int count = 1 + random.bounded(5); count > 0; --count) {
            path += anyOf(names + QStringList{"..", ".", "c", "c"}) + (count > 1 ? "/" : "");
        }
        const QString full = path.startsWith('/') ? path : fixture.workspace() + '/' + path;
        char resolved[PATH_MAX];
        struct stat status;
        const bool exists = ::realpath(bytes(full).constData(), resolved) != nullptr
                            && ::stat(bytes(full).constData(), &status) == 0 && S_ISREG(status.st_mode)
                            && !path.endsWith('/') && !path.endsWith("/.");
        const QByteArray where = exists ? QByteArray(resolved) : QByteArray();
        const bool isInside = where.startsWith(real + "/workspace/") || where.startsWith(real + "/writable/");
        for (const Access access : {Access::Read, Access::Write}) {
            const ToolOutcome<ScopeHandle> handle = guard.open(bytes(path), access);
            const bool isOpened = handle && handle->existing;
            QVERIFY2(isOpened == (exists && isInside), bytes(path + " -> " + where).constData());
            if (isOpened) {
                QCOMPARE(handle->realPath, where);
            }
            ++(isOpened ? opened : refused);
        }
    }
    QVERIFY(opened > 500 && refused > 500);
}

/// A folder that becomes a link to outside and back, as fast as it can, while files are written through it.
void tst_ScopeGuard::survivesSwaps()
{
    const Fixture fixture;
    QDir(fixture.workspace()).mkpath("swap");
    writeFile(fixture.workspace("swap/canary"), "inside");
    link("../outside", fixture.workspace("link"));
    const QByteArray before = Fixture::snapshot(fixture.outside());
    const QByteArray folder = bytes(fixture.workspace("swap"));
    const QByteArray other = bytes(fixture.workspace("link"));

    std::atomic<bool> stop = false;
    std::thread swapper([&] {
        while (!stop) {
            ::renameat2(AT_FDCWD, folder.constData(), AT_FDCWD, other.constData(), RENAME_EXCHANGE);
        }
    });
    const ScopeGuard guard = guardFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite));
    int written = 0;
    int refused = 0;
    for (int round = 0; round < 3'000; ++round) {
        const ToolOutcome<ScopeHandle> handle = guard.open("swap/canary", Access::Write);
        ++(handle && replaceFile(*handle, "written") ? written : refused);
        const ToolOutcome<ScopeHandle> reading = guard.open("swap/canary", Access::Read);
        if (reading) {
            QVERIFY(readAll(*reading).value() != "canary\n");
        }
    }
    stop = true;
    swapper.join();
    QVERIFY2(written > 10 && refused > 10, qPrintable(QString("%1 %2").arg(written).arg(refused)));
    QCOMPARE(Fixture::snapshot(fixture.outside()), before);
}

void tst_ScopeGuard::knowsGitFoldersByTheirContent()
{
    const Fixture fixture; // A76: under another name than .git
    for (const char *folder : {"renamed", "nested/bare.x", "separate"}) {
        for (const char *part : {"objects", "refs", "hooks"}) {
            QDir(fixture.workspace()).mkpath(QString(folder) + '/' + part);
        }
        writeFile(fixture.workspace(QString(folder) + "/HEAD"), "ref: refs/heads/main\n");
    }
    QDir(fixture.workspace()).mkpath("ordinary/refs");
    writeFile(fixture.workspace("ordinary/HEAD"), "no repository");
    const ScopeGuard guard = guardFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite));
    for (const char *path : {"renamed/hooks/pre-commit", "renamed/config", "nested/bare.x/hooks/pre-receive",
                             "separate/new/folder/file"}) {
        QCOMPARE(errorOf(guard, path, Access::Write), EACCES);
    }
    QCOMPARE(errorOf(guard, "ordinary/refs/file", Access::Write), 0);
    QCOMPARE(errorOf(guard, "renamed/HEAD", Access::Read), 0);
}

/// The guard alone, in a thread that the kernel lets do everything.
void tst_ScopeGuard::grantsAreItsOwn()
{
    const Fixture fixture;
    const ScopeGuard guard = guardFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite));
    QCOMPARE(errorOf(guard, bytes(fixture.outside("canary")), Access::Read), EACCES);
    QCOMPARE(errorOf(guard, bytes(fixture.outside("canary")), Access::Write), EACCES);
    QCOMPARE(errorOf(guard, bytes(fixture.outside()), Access::List), EACCES);
    QCOMPARE(errorOf(guard, bytes(fixture.outside()), Access::Search), EACCES);
    QCOMPARE(errorOf(guard, "/root", Access::Search), EACCES);
    QCOMPARE(errorOf(guard, ".", Access::Search), 0);
}

/// A guard that lets everything through, in a thread with the commands' domain: the kernel refuses instead.
void tst_ScopeGuard::kernelStandsBehindTheGuard()
{
    const Fixture fixture;
    const ScopeGuard open = guardFor(frozenPolicy(fixture, FileSystemMode::Off));
    const ToolOutcome<ScopeHandle> control = open.open(bytes(fixture.outside("control")), Access::Write);
    QVERIFY(control && replaceFile(*control, "control"));
    QCOMPARE(contentOf(fixture.outside("control")), QByteArray("control"));

    int written = 0;
    int readError = 0;
    bool isWritingInside = false;
    inDomain(launcherFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite)), [&] {
        for (const char *name : {"new", "canary", "made/on/the/way"}) {
            const ToolOutcome<ScopeHandle> target = open.open(bytes(fixture.outside(name)), Access::Write);
            written += target && replaceFile(*target, "written") ? 1 : 0;
        }
        readError = errorOf(open, bytes(fixture.outside("canary")), Access::Read);
        const ToolOutcome<ScopeHandle> inside = open.open("inside", Access::Write);
        isWritingInside = inside && replaceFile(*inside, "inside");
    });
    QCOMPARE(written, 0);
    QCOMPARE(readError, EACCES);
    QVERIFY(fixture.isCanaryIntact() && !exists(fixture.outside("new")) && !exists(fixture.outside("made")));
    QVERIFY(isWritingInside);
    QCOMPARE(contentOf(fixture.workspace("inside")), QByteArray("inside"));
}

void tst_ScopeGuard::backstop()
{
    const Fixture fixture;
    const QString own = fixture.folder() + "/own";
    QDir().mkpath(own);
    for (const FileSystemMode mode :
         {FileSystemMode::Off, FileSystemMode::WorkspaceWrite, FileSystemMode::ReadOnly}) {
        const FrozenPolicy policy = frozenPolicy(fixture, mode);
        bool isEntered = false;
        QByteArray canary;
        std::thread([&] {
            isEntered = bool(enterBackstop(policy, {own.toStdString()}, probeHost(INT_MAX).landlockAbi));
            for (const QString &name : {fixture.workspace("made"), fixture.outside("made"),
                                        fixture.outside("canary"), own + "/made"}) {
                QFile file(name);
                if (file.open(QIODevice::WriteOnly)) {
                    file.write("made");
                }
            }
            isEntered = isEntered && ::truncate(bytes(fixture.outside("canary")).constData(), 0) != 0;
            canary = contentOf(fixture.outside("canary"));
        }).join();
        QVERIFY(isEntered);
        QVERIFY(fixture.isCanaryIntact() && !exists(fixture.outside("made")));
        QCOMPARE(canary, QByteArray("canary\n")); // reading is not its business
        QCOMPARE(exists(fixture.workspace("made")), mode != FileSystemMode::ReadOnly);
        QVERIFY(QFile::remove(own + "/made"));
        QFile::remove(fixture.workspace("made"));
    }
    writeFile(fixture.outside("made"), "made"); // the control: this thread has not entered
    QVERIFY(exists(fixture.outside("made")));
}

/// A command that was given a root the backstop does not know of can write there: its thread began before.
void tst_ScopeGuard::backstopLeavesCommandsTheirWay()
{
    const Fixture fixture;
    const FrozenPolicy wide = frozenPolicy(fixture, FileSystemMode::WorkspaceWrite, {fixture.outside()});
    const FrozenPolicy narrow = frozenPolicy(fixture, FileSystemMode::ReadOnly);
    const auto launcher = launcherFor(wide);
    bool isEntered = false;
    std::thread([&] {
        LaunchThread launchThread;
        isEntered = bool(enterBackstop(narrow, {}, probeHost(INT_MAX).landlockAbi));
        launchThread.postAndWait([&] {
            SandboxedProcess process(launcher);
            process.launch(
                {{"/bin/sh", "-c", "echo made > ../outside/made"}, {"PATH=/usr/bin:/bin"}, {}, {}});
            process.waitForFinished();
        });
    }).join();
    QVERIFY(isEntered);
    QCOMPARE(contentOf(fixture.outside("made")), QByteArray("made\n"));
}

QTEST_GUILESS_MAIN(tst_ScopeGuard)

#include "tst_scopeguard.moc"
