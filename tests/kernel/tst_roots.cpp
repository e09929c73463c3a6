// The writable roots: ordinary work in them is not hindered, by whatever name or file system they are
// reached, and what is read-only stays so (cases 29, 37, 38, 39, 56, 58, 69 of the field).

#include "tests/support/Fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace spettro::test;

namespace {

const QStringList WorkspaceWrite{"--sandbox", "workspace-write", "--sandbox-net", "none"};

QByteArray withFlags(const QStringList &flags, const RunResult &result)
{
    return flags.join(' ').toUtf8() + ": " + describe(result);
}

QStringList make(const QString &path)
{
    return shell("echo made > \"$1\"", {path});
}

} // namespace

class tst_Roots : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void workspaceIsFullyWritable_data();
    void workspaceIsFullyWritable();
    void filesMoveBetweenRoots();
    void workspaceReachedByALink();
    void linkInTheWorkspaceIsNoGrant();
    void readOnlyWorkspaceStaysReadOnly_data();
    void readOnlyWorkspaceStaysReadOnly();
    void extraRootInAReadOnlyWorkspace();
    void oddNames_data();
    void oddNames();
    void mountsInTheWorkspace();
    void extraRootComesBack();
};

void tst_Roots::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Roots::workspaceIsFullyWritable_data()
{
    QTest::addColumn<QString>("network");
    for (const char *network : {"all", "localhost", "none", "ports:443"}) { // each adds rules of its own
        QTest::newRow(network) << network;
    }
}

void tst_Roots::workspaceIsFullyWritable()
{
    QFETCH(QString, network); // case 37, case 38, case 39
    const QString script =
        "set -e; mkdir -p a b d1 n/m; echo 1 > a/f; echo 2 > a/f; echo 3 >> a/f; : > d1/z; ln a/f a/g;"
        " test $(stat -c %h a/f) = 2; ln -s f a/s; mkfifo p; mv a/f a/h; cp -a a c; rm -r c p a/s;"
        " mv d1 d2; rmdir n/m n; chmod 700 a; touch -d 2001-01-01 a/h; echo OK";
    const QString moving = "set -e; \"$1\" rename a/h b/h; \"$1\" rename d2 b/d2; \"$1\" link b/h a/i;"
                           " \"$1\" exchange b/h a/i; f=$(mktemp); mv $f fromtmp; echo OK";
    for (const int abi : landlockAbis()) {
        if (network.startsWith("ports:") && abi < 4) {
            continue;
        }
        Fixture fixture;
        const QStringList flags{"--sandbox", "workspace-write",     "--sandbox-net",
                                network,     "--test-landlock-abi", QString::number(abi)};
        const RunResult result = fixture.exec(flags, shell(script));
        QVERIFY2(result.exitCode == 0 && result.output == "OK\n", withFlags(flags, result));
        if (abi >= 2) { // ABI 1 knows no moves between folders; tools fall back to copying
            const RunResult moved = fixture.exec(flags, shell(moving, {fixture.probe("filecall")}));
            QVERIFY2(moved.exitCode == 0 && moved.output.endsWith("OK\n"), withFlags(flags, moved));
        }
        if (abi >= 3) { // before, the filter refuses what Landlock cannot tell apart
            const RunResult emptied =
                fixture.exec(flags, shell("echo 1 > t; \"$1\" truncate t && \"$1\" open-read-truncate t",
                                          {fixture.probe("filecall")}));
            QVERIFY2(emptied.exitCode == 0, withFlags(flags, emptied)); // case 18
        }
    }
}

void tst_Roots::filesMoveBetweenRoots()
{
    Fixture fixture; // case 37, case 38
    const QStringList flags = WorkspaceWrite + QStringList{"--sandbox-allow-dir", fixture.outside()};
    const QString probe = fixture.probe("filecall");
    const QStringList script = shell("set -e; echo 1 > f; \"$1\" rename f \"$2/f\"; \"$1\" link \"$2/f\" g;"
                                     " \"$1\" rename \"$2/canary\" taken",
                                     {probe, fixture.outside()});
    const RunResult result = fixture.exec(flags, script);
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY(exists(fixture.outside("f")) && exists(fixture.workspace("g"))
            && exists(fixture.workspace("taken")));
}

void tst_Roots::workspaceReachedByALink()
{
    Fixture fixture; // case 56
    const QString link = fixture.folder() + "/link";
    QVERIFY(QFile::link(fixture.workspace(), link));
    const QStringList script =
        shell("pwd; echo 1 > by-current; echo 2 > \"$1/by-link\"; echo 3 > \"$2/by-name\";"
              " cd \"$(pwd -P)\" && echo 4 > by-real; echo attack > ../outside/new",
              {link, fixture.workspace()});
    RunOptions started;
    started.folder = link;
    started.environment.insert("PWD", link);
    for (const auto &[flags, options] :
         {std::pair(WorkspaceWrite, started),
          std::pair(WorkspaceWrite + QStringList{"--cwd", link}, RunOptions())}) {
        const RunResult result = fixture.exec(flags, script, options);
        QVERIFY2(result.output == QFile::encodeName(link) + '\n', withFlags(flags, result));
        for (const char *name : {"by-current", "by-link", "by-name", "by-real"}) {
            QVERIFY2(QFile::remove(fixture.workspace(name)), name);
        }
        QVERIFY(!exists(fixture.outside("new")));
    }
}

void tst_Roots::linkInTheWorkspaceIsNoGrant()
{
    Fixture fixture; // case 56
    QVERIFY(QFile::link(fixture.outside(), fixture.workspace("ext")));
    const QString other = fixture.folder() + "/other";
    QVERIFY(QFile::link(fixture.outside(), other));
    QVERIFY(fixture.exec(WorkspaceWrite, make("ext/new")).exitCode != 0);
    QVERIFY(!exists(fixture.outside("new")));

    // The operator may name the target, by a link of his own as well.
    for (const QString &name : {fixture.outside(), other}) {
        const RunResult result =
            fixture.exec(WorkspaceWrite + QStringList{"--sandbox-allow-dir", name}, make("ext/new"));
        QVERIFY2(result.exitCode == 0 && QFile::remove(fixture.outside("new")), describe(result));
    }
    // A link that lies where commands can write is not his.
    Fixture forged;
    QVERIFY(QFile::link(forged.outside(), forged.workspace("ext")));
    const RunResult result = forged.exec(
        WorkspaceWrite + QStringList{"--sandbox-allow-dir", forged.workspace("ext")}, make("ext/new"));
    QVERIFY2(result.exitCode == 2 && !exists(forged.outside("new")), describe(result));
}

void tst_Roots::readOnlyWorkspaceStaysReadOnly_data()
{
    QTest::addColumn<QString>("parent");
    QTest::newRow("home") << QDir::homePath();
    for (const char *parent : {"/tmp", "/var/tmp", "/dev/shm"}) { // which are writable otherwise
        QTest::newRow(parent) << parent;
    }
}

void tst_Roots::readOnlyWorkspaceStaysReadOnly()
{
    QFETCH(QString, parent);
    Fixture fixture(parent);
    for (const QString &temporary : {QString(), parent, fixture.folder(), fixture.workspace()}) {
        RunOptions options;
        options.environment.remove("TMPDIR");
        if (!temporary.isEmpty()) {
            options.environment.insert("TMPDIR", temporary);
        }
        for (const int abi : landlockAbis()) {
            const QStringList flags{"--sandbox", "read-only", "--test-landlock-abi", QString::number(abi)};
            const RunResult result = fixture.exec(flags, make(fixture.workspace("new")), options);
            QVERIFY2(result.exitCode != 0 && result.exitCode != 126, withFlags(flags, result));
            QVERIFY2(!exists(fixture.workspace("new")), withFlags(flags, result));
        }
        // It is still usable (case 61).
        const RunResult usable =
            fixture.exec({"--sandbox", "read-only"}, shell("f=$(mktemp) && rm $f"), options);
        QVERIFY2(usable.exitCode == 0, describe(usable));
    }
    QCOMPARE(fixture.exec({"--sandbox", "workspace-write"}, make(fixture.workspace("new"))).exitCode, 0);
}

void tst_Roots::extraRootInAReadOnlyWorkspace()
{
    Fixture fixture;
    QVERIFY(QDir().mkdir(fixture.workspace("build")));
    const QStringList flags{"--sandbox", "read-only", "--sandbox-allow-dir", fixture.workspace("build")};
    QCOMPARE(fixture.exec(flags, make("build/new")).exitCode, 0);
    QVERIFY(fixture.exec(flags, make("new")).exitCode != 0);
    QVERIFY(!exists(fixture.workspace("new")));
}

void tst_Roots::oddNames_data()
{
    QTest::addColumn<QByteArray>("name"); // case 29
    for (const char *name :
         {"sp ace", "q\"uote", "a'pos", "par)(allow file-write* (subpath \"", "new\nline",
          "uni-\xc3\xa9-\xe6\xbc\xa2", "not-utf8-\xff\xfe", "semi;touch pwn", "$(touch pwn)", "-dash", "%s%n",
          "back\\slash", "colon:comma,", "tab\t", "~", "*"}) {
        QTest::newRow(QByteArray(name).toPercentEncoding(" ").constData()) << QByteArray(name);
    }
}

void tst_Roots::oddNames()
{
    QFETCH(QByteArray, name);
    Fixture fixture;
    // By the shell and in octal, because Qt's names are text and these are bytes.
    QString octal;
    for (const char byte : name) {
        octal += QString("\\%1").arg(uchar(byte), 3, 8, QChar('0'));
    }
    const RunResult result =
        fixture.control(shell("name=$(printf \"$1\") && mkdir -- \"./$name\" && cd -- \"./$name\" && shift"
                              " && for cwd in . \"$PWD\"; do \"$@\" --cwd \"$cwd\" --"
                              " sh -c 'echo made > f && cat f && rm f; echo attack > ../escaped'; done",
                              {octal, spettroPath(), "exec", "--sandbox", "workspace-write"}));
    QVERIFY2(result.output == "made\nmade\n", describe(result));
    QVERIFY(!exists(fixture.workspace("escaped")));
    QVERIFY(!exists(fixture.workspace("pwn")));
}

void tst_Roots::mountsInTheWorkspace()
{
    Fixture fixture; // case 69: a mount below a root is part of it, whatever its file system
    const QStringList prelude = {
        "/usr/bin/unshare",
        "-Urm",
        "/bin/sh",
        "-c",
        "set -e; mkdir sub bnd ovl ../u ../wk; mount -t tmpfs t sub; mount --bind ../outside bnd;"
        " mount -t overlay -o lowerdir=../outside,upperdir=../u,workdir=../wk ov ovl 2>/dev/null"
        " || mount -t tmpfs t ovl; exec \"$@\"",
        "sh"};
    const QStringList script = shell("for d in sub bnd ovl; do echo x > $d/f && cat $d/f && mv $d/f $d/g"
                                     " && ln $d/g $d/h; done; echo y > \"$1\"",
                                     {fixture.outside("by-other-name")});
    const RunResult result = fixture.control(prelude + QStringList{spettroPath(), "exec"} + WorkspaceWrite
                                             + QStringList{"--"} + script);
    if (result.errors.contains("unshare") || result.errors.contains("mount:")) {
        QSKIP(qPrintable("no user namespaces here: " + QString::fromLocal8Bit(result.errors)));
    }
    QVERIFY2(result.output == "x\nx\nx\n", describe(result));
    QVERIFY(exists(fixture.outside("g")) && !exists(fixture.outside("by-other-name")));
}

void tst_Roots::extraRootComesBack()
{
    Fixture fixture; // case 58: each run of `exec` looks anew
    const QString later = fixture.outside("later");
    const QStringList flags = WorkspaceWrite + QStringList{"--sandbox-allow-dir", later};
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(fixture.exec(flags, make(later + "/f")).exitCode, 2);
        QVERIFY(!exists(later));
        QVERIFY(QDir().mkdir(later));
        QCOMPARE(fixture.exec(flags, make(later + "/f")).exitCode, 0);
        QVERIFY(QDir(later).removeRecursively());
    }
}

QTEST_GUILESS_MAIN(tst_Roots)

#include "tst_roots.moc"
