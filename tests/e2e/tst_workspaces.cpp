// Folders of all kinds as the workspace of `spettro exec` and as extra folder: odd names, links, mounts, and those that
// are refused.

#include "tests/support/OperatorHome.h"

#include <QDir>
#include <QTest>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spettro::test;

namespace {

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

/// The names of folders that break whoever quotes, splits or prints them carelessly.
const QByteArrayList &oddNames()
{
    static const QByteArrayList names{
        "sp ace",
        "q\"uote",
        "a'pos",
        "par)(allow file-write* (subpath \"x\"))(",
        "new\nline",
        "uni-\xc3\xa9-\xf0\x9f\x99\x82",
        "semi;touch pwn",
        "$(touch pwn)",
        "-dash",
        "--sandbox=off",
        "%s%n",
        "back\\slash",
        "colon:comma,",
        "[a,b]",
        "{a}",
        "a=b",
        "*",
        "~",
        "#hash",
        "non-utf8-\xff\xfe\x80",
        "tab\t",
        " ",
        "...",
        "equals==",
    };
    return names;
}

/// Runs without QProcess, which has no place for bytes that are not UTF-8. Returns the exit code.
int runBytes(const QByteArrayList &command, const QByteArray &folder)
{
    std::vector<char *> arguments;
    for (const QByteArray &argument : command) {
        arguments.push_back(const_cast<char *>(argument.constData()));
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.constData());
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int error = ::posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = -1;
    return error == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                                    : -1;
}

QByteArrayList execCommand(const QByteArrayList &flags, const QByteArray &script)
{
    return QByteArrayList{QFile::encodeName(spettroPath()),
                          "exec",
                          "--sandbox",
                          "workspace-write",
                          "--sandbox-net",
                          "none"}
           + flags + QByteArrayList{"--", "/bin/sh", "-c", script};
}

bool hasFile(const QByteArray &path)
{
    struct stat status;
    return ::stat(path.constData(), &status) == 0;
}

} // namespace

class TestWorkspaces : public QObject
{
    Q_OBJECT

private slots:
    void oddFolders_data();
    void oddFolders();
    void refusedWorkspaces_data();
    void refusedWorkspaces();
    void homeWorkspace();
    void deletedWorkspace();
    void linkedWorkspace();
    void mountedWorkspaces_data();
    void mountedWorkspaces();
    void extraFolders();
};

void TestWorkspaces::oddFolders_data()
{
    QTest::addColumn<QByteArray>("name");
    for (const QByteArray &name : oddNames()) {
        QTest::addRow("%s", name.toPercentEncoding(" ()[]*$").constData()) << name;
    }
}

/// As workspace (the current folder, and by --cwd) and as extra folder: what is inside is open, what is beside is not.
void TestWorkspaces::oddFolders()
{
    QFETCH(QByteArray, name);
    const Fixture fixture;
    const QByteArray base = QFile::encodeName(fixture.outside()) + '/';
    const QByteArray odd = base + name;
    QCOMPARE(::mkdir(odd.constData(), 0700), 0);

    const QByteArray tries =
        "echo in >f; [ \"$(cat f)\" = in ] || exit 8; (echo out >../escaped) 2>/dev/null && exit 9;"
        " [ \"$PWD\" = \"$(pwd -P)\" ] || exit 10; touch done; exit 5";
    QCOMPARE(runBytes(execCommand({}, tries), odd), 5);
    QVERIFY(hasFile(odd + "/done"));

    QCOMPARE(runBytes(execCommand({"--cwd", odd}, "touch by-flag; exit 6"), "/"), 6);
    QVERIFY(hasFile(odd + "/by-flag"));

    const QByteArray relative = name.startsWith('~') ? "./" + name : name;
    QCOMPARE(runBytes(execCommand({"--cwd=" + relative}, "touch relative; exit 4"), base), 4);
    QVERIFY(hasFile(odd + "/relative"));

    const QByteArray workspace = QFile::encodeName(fixture.workspace());
    const QByteArray script =
        "(echo out >../outside/escaped) 2>/dev/null && exit 9; cd \"../outside/$NAME\" &&"
        " touch extra && exit 7";
    qputenv("NAME", name);
    QCOMPARE(runBytes(execCommand({"--sandbox-allow-dir", odd}, script), workspace), 7);
    qunsetenv("NAME");
    QVERIFY(hasFile(odd + "/extra"));
    QVERIFY(!hasFile(base + "escaped"));
    QVERIFY(!hasFile(odd + "/pwn") && !hasFile(base + "pwn") && !hasFile(workspace + "/pwn"));
    run({"/bin/rm", "-rf", fixture.outside()}); // QTemporaryDir cannot remove every name
}

void TestWorkspaces::refusedWorkspaces_data()
{
    QTest::addColumn<QString>("workspace");
    QTest::addColumn<QByteArray>("named");
    QTest::addRow("/") << "/" << QByteArray("/");
    QTest::addRow("/ with dots") << "/usr/.." << QByteArray("/");
    QTest::addRow("/proc") << "/proc" << QByteArray("/proc");
    QTest::addRow("below /proc") << "/proc/self" << QByteArray("/proc/");
    QTest::addRow("/sys") << "/sys" << QByteArray("/sys");
    QTest::addRow("a file") << "/etc/passwd" << QByteArray("/etc/passwd");
    QTest::addRow("a device") << "/dev/null" << QByteArray("/dev/null");
    QTest::addRow("below a file") << "/etc/passwd/x" << QByteArray("/etc/passwd/x");
    QTest::addRow("a name too long") << "/" + QString(5000, 'x') << QByteArray("too long");
    QTest::addRow("the home folder") << "~" << QByteArray("--allow-home-workspace");
    QTest::addRow("above the home folder") << "~/.." << QByteArray("--allow-home-workspace");
}

void TestWorkspaces::refusedWorkspaces()
{
    QFETCH(QString, workspace);
    QFETCH(QByteArray, named);
    const OperatorHome home;
    for (const char *mode : {"workspace-write", "read-only"}) {
        const RunResult result = home.exec({"--sandbox", mode, "--cwd", workspace}, {"true"});
        QVERIFY2(result.exitCode == 2, describe(result));
        QVERIFY2(result.errors.startsWith("spettro: ") && result.errors.contains(named), describe(result));
    }
}

void TestWorkspaces::homeWorkspace()
{
    const OperatorHome home;
    const QStringList flags = Confined + QStringList{"--cwd", "~"};
    QCOMPARE(home.exec(flags, {"touch", "ran"}).exitCode, 2);
    QVERIFY(!exists(home.folder() + "/ran"));
    const RunResult allowed = home.exec(flags + QStringList{"--allow-home-workspace"}, {"touch", "ran"});
    QVERIFY2(allowed.exitCode == 0, describe(allowed));
    QVERIFY(exists(home.folder() + "/ran"));
    QCOMPARE(home.exec({"--cwd", "~"}, {"true"}).exitCode, 0); // nothing is confined: nothing to refuse
}

void TestWorkspaces::deletedWorkspace()
{
    const OperatorHome home;
    const RunResult deleted = home.fixture().control(
        shell("mkdir gone; cd gone; rmdir ../gone; \"$@\"",
              QStringList{spettroPath(), "exec"} + Confined + QStringList{"--", "true"}));
    QVERIFY2(deleted.exitCode == 2 && deleted.errors.startsWith("spettro: "), describe(deleted));

    if (isRoot()) {
        return; // no mode keeps root out
    }
    QDir(home.workspace()).mkdir("closed");
    ::chmod(QFile::encodeName(home.workspace("closed")).constData(), 0);
    const RunResult closed = home.exec(Confined + QStringList{"--cwd", "closed"}, {"true"});
    QVERIFY2(closed.exitCode == 2 || closed.exitCode == 126, describe(closed));
    QVERIFY2(closed.errors.startsWith("spettro: "), describe(closed));
}

/// Both names of a workspace work, PWD is the one that the operator uses; a link in it opens nothing.
void TestWorkspaces::linkedWorkspace()
{
    const OperatorHome home;
    const QString link = home.folder() + "/link";
    QVERIFY(QFile::link(home.workspace(), link));
    RunOptions options;
    options.folder = link;
    options.environment = home.environment();
    options.environment.insert("PWD", link);
    const RunResult result = home.exec(
        Confined,
        shell("pwd; echo x >viasym; cp viasym \"$1\"/real; cd \"$(pwd -P)\"; echo y >z", {home.workspace()}),
        options);
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(result.output, QFile::encodeName(link) + '\n');
    QVERIFY(exists(home.workspace("real")) && exists(home.workspace("z")));

    QVERIFY(QFile::link(home.fixture().outside(), home.workspace("out")));
    QVERIFY(home.exec(Confined, shell("echo x >out/new")).exitCode != 0);
    QVERIFY(!exists(home.fixture().outside("new")));
    const QStringList opened = Confined + QStringList{"--sandbox-allow-dir", home.fixture().outside()};
    QCOMPARE(home.exec(opened, shell("echo x >out/new")).exitCode, 0);
    QVERIFY(exists(home.fixture().outside("new")));

    // By dots it is named as well; a link that an earlier command may have laid is no name for an extra folder.
    QCOMPARE(home.exec(Confined + QStringList{"--sandbox-allow-dir", "../outside"}, shell("echo x >out/dots"))
                 .exitCode,
             0);
    QVERIFY(exists(home.fixture().outside("dots")));
    const RunResult laid = home.exec(Confined + QStringList{"--sandbox-allow-dir", "out"}, {"true"});
    QVERIFY2(laid.exitCode == 2 && laid.errors.contains("link"), describe(laid));
}

void TestWorkspaces::mountedWorkspaces_data()
{
    QTest::addColumn<QString>("mount"); // prepares the folder $1
    QTest::addRow("tmpfs") << "mount -t tmpfs none \"$1\"";
    QTest::addRow("overlay")
        << "mkdir ../l ../u ../w && mount -t tmpfs none ../l && mkdir ../l/u ../l/w ../l/l &&"
           " echo low >../l/l/low && mount -t overlay none"
           " -o lowerdir=../l/l,upperdir=../l/u,workdir=../l/w \"$1\"";
    QTest::addRow("bind mount") << "mkdir ../b && mount --bind ../b \"$1\"";
}

void TestWorkspaces::mountedWorkspaces()
{
    if (!isRoot()) {
        QSKIP("only root can mount");
    }
    QFETCH(QString, mount);
    const Fixture fixture;
    QDir(fixture.workspace()).mkdir("m");
    const QString script = mount + R"sh(
cd "$1" || exit 50
shift
"$@" sh -c 'echo a >f && mv f g && mkdir d && mv g d/h && ln d/h l && sed -i s/a/b/ l && [ "$(cat l)" = b ] &&
    if [ -e low ]; then echo more >>low; fi && rm -r d && { echo x >../escaped; } 2>/dev/null'
[ $? != 0 ] && [ -e l ] && [ ! -e ../escaped ] && [ ! -e d ])sh";
    const RunResult result =
        fixture.control(QStringList{"unshare", "-m", "sh", "-c", script, "sh", "m", spettroPath(), "exec"}
                        + Confined + QStringList{"--"});
    QVERIFY2(result.exitCode == 0, describe(result));
}

/// A folder that is asked for and missing is an error each time; once it is there, it is open.
void TestWorkspaces::extraFolders()
{
    const OperatorHome home;
    const QString later = home.fixture().outside("later");
    const QStringList flags = Confined + QStringList{"--sandbox-allow-dir", later};
    const QStringList command = shell("echo x >\"$1\"/f", {later});
    for (int round = 0; round < 2; ++round) {
        const RunResult missing = home.exec(flags, command);
        QVERIFY2(missing.exitCode == 2 && missing.errors.contains("later"), describe(missing));
        QVERIFY(!exists(later));
        QVERIFY(QDir().mkdir(later));
        QCOMPARE(home.exec(flags, command).exitCode, 0);
        QCOMPARE(contentOf(later + "/f"), QByteArray("x\n"));
        QVERIFY(QDir(later).removeRecursively());
    }
}

QTEST_GUILESS_MAIN(TestWorkspaces)
#include "tst_workspaces.moc"
