// No file outside the writable roots is created, changed, emptied, removed, renamed or linked (cases 6, 7,
// 17, 18, 32, 37, 38, 39 of the field): every way of changing files that the kernel offers, judged by what
// the host sees.

#include "tests/support/Fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace spettro::test;

namespace {

/// A writable folder that the attack starts from, and a folder that it aims at.
struct Arena
{
    QString writable;
    QString target;

    QStringList command(const Fixture &fixture, QStringList act, const OutsideProcess &victim) const
    {
        act.prepend(fixture.probe("filecall"));
        act.replaceInStrings("@W", writable);
        act.replaceInStrings("@T", target);
        act.replaceInStrings("@V", QString::number(victim.id()));
        return act;
    }
};

Arena prepare(const QString &writable, const QString &target)
{
    writeFile(writable + "/mine", "mine\n");
    writeFile(target + "/file", "a file with more than one byte\n");
    QDir(target).mkdir("empty");
    QFile::link(target + "/file", writable + "/link");
    QFile::link(target + "/new", writable + "/dangling");
    QFile::link(target, writable + "/folder");
    return {writable, target};
}

bool isOrdinaryRefusal(const RunResult &result)
{
    static const QByteArrayList answers{"refused EACCES\n", "refused EPERM\n", "refused EROFS\n",
                                        "refused EXDEV\n", "refused ENOSYS\n"};
    return result.exitCode == 1 && answers.contains(result.output);
}

} // namespace

class tst_Files : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void changesNothingOutside_data();
    void changesNothingOutside();
    void makesNoDeviceNodeInTheWorkspace_data();
    void makesNoDeviceNodeInTheWorkspace();
    void refusesInsteadOfPretending();
    void opensNothingOfTheHostInProcAndSys_data();
    void opensNothingOfTheHostInProcAndSys();
};

void tst_Files::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Files::changesNothingOutside_data()
{
    QTest::addColumn<QStringList>("act");
    const auto row = [](const char *name, const QStringList &act) { QTest::newRow(name) << act; };

    for (const char *act :
         {"open-write", "open-append", "open-read-write", "open-write-truncate", "create-empty",
          "open-read-truncate", "open-neither-truncate", "openat2-truncate", "truncate", "map-shared",
          "reopen-path", "reopen-readable", "unlink"}) { // case 18 among them
        row(act, {act, "@T/file"});
    }
    for (const char *act : {"create", "create-new", "mkdir", "mknod-pipe", "mknod-socket", "mknod-regular",
                            "mknod-character", "mknod-block"}) {
        row(act, {act, "@T/new"});
    }
    row("rmdir", {"rmdir", "@T/empty"});
    row("create from the folder's descriptor", {"create-from-folder", "@T", "new"});
    row("create in the current folder", {"create-from-current", "@T", "new"}); // case 1
    row("create an unnamed file", {"create-unnamed", "@T", "@T/new"});
    row("name an unnamed file from inside", {"create-unnamed", "@W", "@T/new"});

    // case 37, case 38, case 7
    row("rename within", {"rename", "@T/file", "@T/new"});
    row("rename out", {"rename", "@W/mine", "@T/new"});
    row("rename over", {"rename", "@W/mine", "@T/file"});
    row("rename in", {"rename", "@T/file", "@W/stolen"});
    row("exchange", {"exchange", "@W/mine", "@T/file"});
    row("link within", {"link", "@T/file", "@T/new"});
    row("link out", {"link", "@W/mine", "@T/new"});
    row("link in", {"link", "@T/file", "@W/stolen"});
    row("link an open file in", {"link-open-file", "@T/file", "@W/stolen"});
    row("symlink", {"symlink", "/etc/passwd", "@T/new"});

    // case 4, case 56
    row("through a link", {"open-write", "@W/link"});
    row("through a link, emptying", {"open-write-truncate", "@W/link"});
    row("through a dangling link", {"create", "@W/dangling"});
    row("through a linked folder", {"create", "@W/folder/new"});
    row("truncate through a link", {"truncate", "@W/link"});

    // case 6
    row("by dots", {"open-write", "@W/folder/../@B/file"});
    row("by /proc/self/root", {"open-write", "/proc/self/root@T/file"});
    row("by /proc/thread-self/root", {"open-write", "/proc/thread-self/root@T/file"});
    row("by /proc/self/cwd", {"open-write", "/proc/self/cwd/@R/file"});
    row("by the root of an outside process", {"open-write", "/proc/@V/root@T/file"});
    row("new by /proc/self/root", {"create", "/proc/self/root@T/new"});
}

void tst_Files::changesNothingOutside()
{
    QFETCH(QStringList, act);
    OutsideProcess victim;
    const auto actFor = [&](const Arena &arena, const QString &current) {
        QStringList aimed = act;
        aimed.replaceInStrings("@B", QFileInfo(arena.target).fileName());
        aimed.replaceInStrings("@R", QDir(current).relativeFilePath(arena.target));
        return aimed;
    };

    {
        Fixture fixture;
        const Arena arena = prepare(fixture.workspace(), fixture.outside());
        const QByteArray before = Fixture::snapshot(arena.target);
        const RunResult result =
            fixture.control(arena.command(fixture, actFor(arena, fixture.workspace()), victim));
        if (!isRoot() && act.first().startsWith("mknod-") && result.output == "refused EPERM\n") {
            QSKIP("only root makes device nodes, confined or not");
        }
        QVERIFY2(result.exitCode == 0, describe(result));
        QVERIFY2(Fixture::snapshot(arena.target) != before,
                 "without a sandbox this has to change the folder");
    }

    Fixture fixture;
    const QTemporaryDir temporary("/tmp/spettro-test-XXXXXX");
    const QTemporaryDir other("/tmp/spettro-test-XXXXXX");
    const struct
    {
        const char *mode;
        Arena arena;
    } attacks[] = {
        {"workspace-write", prepare(fixture.workspace(), fixture.outside())},
        {"read-only", prepare(temporary.path(), fixture.outside())},
        {"read-only", prepare(other.path(), fixture.workspace())},
    };
    for (const auto &attack : attacks) {
        for (const int abi : landlockAbis()) {
            const QStringList command =
                attack.arena.command(fixture, actFor(attack.arena, fixture.workspace()), victim);
            const QByteArray before = Fixture::snapshot(attack.arena.target);
            const RunResult result = fixture.exec(
                {"--sandbox", attack.mode, "--test-landlock-abi", QString::number(abi)}, command);
            const QByteArray where = QByteArray(attack.mode) + ", ABI " + QByteArray::number(abi) + ": ";
            QVERIFY2(Fixture::snapshot(attack.arena.target) == before, where + describe(result));
            QVERIFY2(isOrdinaryRefusal(result), where + describe(result)); // case 54
        }
    }
}

void tst_Files::makesNoDeviceNodeInTheWorkspace_data()
{
    QTest::addColumn<QString>("act");
    QTest::newRow("character") << "mknod-character";
    QTest::newRow("block") << "mknod-block";
}

void tst_Files::makesNoDeviceNodeInTheWorkspace()
{
    QFETCH(QString, act); // case 39
    if (!isRoot()) {
        QSKIP("only root makes device nodes, confined or not");
    }
    Fixture fixture;
    const RunResult control = fixture.control({fixture.probe("filecall"), act, "outside-node"});
    QVERIFY2(control.exitCode == 0 && exists(fixture.workspace("outside-node")), describe(control));

    for (const int abi : landlockAbis()) {
        const RunResult result =
            fixture.exec({"--sandbox", "workspace-write", "--test-landlock-abi", QString::number(abi)},
                         {fixture.probe("filecall"), act, "node"});
        QVERIFY2(isOrdinaryRefusal(result), describe(result));
        QVERIFY(!exists(fixture.workspace("node")));
    }
}

void tst_Files::refusesInsteadOfPretending()
{
    Fixture fixture; // case 32
    const QStringList script =
        shell("echo data > \"$1\" && echo WROTE; cat \"$1\"", {fixture.outside("report")});
    const RunResult control = fixture.control(script);
    QCOMPARE(control.output, QByteArray("WROTE\ndata\n"));
    QVERIFY(QFile::remove(fixture.outside("report")));

    for (const char *mode : {"workspace-write", "read-only"}) {
        const RunResult result = fixture.exec({"--sandbox", mode}, script);
        QVERIFY2(result.output.isEmpty(), describe(result));
        QVERIFY(!exists(fixture.outside("report")));

        const QStringList keep = {"spettro-test-keep-" + QString::number(QCoreApplication::applicationPid())};
        const RunResult kept = fixture.exec({"--sandbox", mode},
                                            shell("echo data > \"$TMPDIR/$1\" && cat \"$TMPDIR/$1\"", keep));
        QVERIFY2(kept.output == "data\n", describe(kept));
        const RunResult later =
            fixture.exec({"--sandbox", mode}, shell("cat \"$TMPDIR/$1\"; rm \"$TMPDIR/$1\"", keep));
        QVERIFY2(later.output == "data\n", describe(later));
    }
}

void tst_Files::opensNothingOfTheHostInProcAndSys_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<bool>("needsRoot");
    QTest::newRow("another process's score") << "/proc/@V/oom_score_adj" << false; // case 70
    QTest::newRow("another process's core filter") << "/proc/@V/coredump_filter" << false;
    QTest::newRow("a kernel setting") << "/proc/sys/kernel/core_pattern" << true;
    QTest::newRow("the host's name") << "/proc/sys/kernel/hostname" << true;
    QTest::newRow("a device's setting") << "/sys/kernel/mm/transparent_hugepage/enabled" << true;
}

void tst_Files::opensNothingOfTheHostInProcAndSys()
{
    QFETCH(QString, path);
    QFETCH(bool, needsRoot);
    OutsideProcess victim;
    path.replace("@V", QString::number(victim.id()));
    Fixture fixture;
    // Opening for writing is what is refused; nothing is written, not even by the control.
    const QStringList command = shell(": >> \"$1\" && echo OPENED", {path});
    const RunResult control = fixture.control(command);
    if (control.output != "OPENED\n" && (needsRoot || !exists(path))) {
        QSKIP("not even the host may open this for writing");
    }
    QVERIFY2(control.output == "OPENED\n", describe(control));
    for (const int abi : landlockAbis()) {
        const RunResult result = fixture.exec(
            {"--sandbox", "workspace-write", "--test-landlock-abi", QString::number(abi)}, command);
        QVERIFY2(result.output.isEmpty(), describe(result));
    }
}

QTEST_GUILESS_MAIN(tst_Files)

#include "tst_files.moc"
