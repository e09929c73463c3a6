// Which files the file tools of `spettro call` read and write (cases 2, 3, 4, 6, 7, 8, 29, 31, 100, A76, A86
// of the field): those that the commands may, whatever a path is made of, and never those that steer programs
// of the host.

#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace spettro::test;

namespace {

const QStringList Off{"--sandbox", "off"};
const QStringList ReadOnly{"--sandbox", "read-only", "--sandbox-net", "none"};
const QByteArray Secret = "geheim-4711";

/// A fixture with a home folder of its own, a sibling that is called nearly as the workspace, and links.
class Arena
{
public:
    Arena()
    {
        for (const char *name : {"home", "workspace-evil", "workspace/sub"}) {
            QDir(m_fixture.folder()).mkpath(name);
        }
        writeFile(m_fixture.outside("secret"), Secret + "\n");
        writeFile(m_fixture.workspace("here"), "here\n");
        link("@O/canary", "file-link");
        link("../outside/canary", "relative-link");
        link("file-link", "link-to-link");
        link("@O/new", "dangling");
        link("@O", "folder-link");
        link("..", "up");
        link("../..", "sub/up");
        link("/proc/self/root", "root-link");
        link("loop", "loop");
    }

    const Fixture &fixture() const { return m_fixture; }
    QString workspace(const QString &name = {}) const { return m_fixture.workspace(name); }
    QString outside(const QString &name = {}) const { return m_fixture.outside(name); }
    qint64 outsideProcess() const { return m_process.id(); }

    /// Fills in @W, @O, @B and @P: workspace, outside, the folder above both, a process of somebody else.
    QString filled(QString text) const
    {
        return text.replace("@W", workspace())
            .replace("@O", outside())
            .replace("@B", m_fixture.folder())
            .replace("@P", QString::number(m_process.id()));
    }

    Json filled(const Json &input) const
    {
        return Json::parse(filled(QString::fromStdString(input.dump())).toStdString());
    }

    CallResult call(const QByteArray &tool, const Json &input, const QStringList &flags) const
    {
        QStringList all;
        for (const QString &flag : flags) {
            all << filled(flag);
        }
        return spettro::test::call(m_fixture, tool.constData(), filled(input), all, options());
    }

    /// With the home folder of this arena.
    RunOptions options() const
    {
        RunOptions options;
        options.environment.insert("HOME", m_fixture.folder() + "/home");
        return options;
    }

    /// Everything but the home folder, where Spettro keeps its state.
    QByteArray snapshot() const
    {
        return Fixture::snapshot(workspace()) + Fixture::snapshot(outside())
               + Fixture::snapshot(m_fixture.folder() + "/workspace-evil");
    }

private:
    void link(const QString &target, const QString &name) { QFile::link(filled(target), workspace(name)); }

    Fixture m_fixture;
    OutsideProcess m_process;
};

struct Act
{
    const char *tool;
    Json input;
};

Act write(const char *path)
{
    return {"file-write", {{"path", path}, {"content", "x"}}};
}

Act edit(const char *path)
{
    return {"file-edit", {{"path", path}, {"old_string", "canary"}, {"new_string", "pwned"}}};
}

bool isOrdinaryFailure(const CallResult &result)
{
    return result.exitCode == 1 && result.json.is_object() && !result.ok() && !result.error().isEmpty();
}

/// For names that QFile would not take as they are.
bool isFile(const QString &path, const QByteArray &content)
{
    return contentOf(path) == content;
}

} // namespace

Q_DECLARE_METATYPE(Act)

class tst_CallScope : public QObject
{
    Q_OBJECT

private slots:
    void writesNothingOutside_data();
    void writesNothingOutside();
    void writesNothingWhereAllIsReadOnly();
    void takesAWritableFolderByItsPath();
    void refusesProcInEveryMode_data();
    void refusesProcInEveryMode();
    void endsAtALoopOfLinks();
    void losesTheRaceAgainstALink();
    void leavesTheOtherNameOfAHardLink_data();
    void leavesTheOtherNameOfAHardLink();
    void readsNothingOutside_data();
    void readsNothingOutside();
    void findsNothingBehindLinks();
    void keepsItsPolicyFromCommands();
    void holdsInFoldersWithOddNames_data();
    void holdsInFoldersWithOddNames();
    void writesFilesWithOddNames();
    void refusesSteeringFiles_data();
    void refusesSteeringFiles();
    void refusesSteeringFilesByIdentity_data();
    void refusesSteeringFilesByIdentity();
    void writesWhatIsOnlyCalledAlike();
    void readsSteeringFiles();
    void writesSteeringFilesOnRequest();
};

void tst_CallScope::writesNothingOutside_data()
{
    QTest::addColumn<Act>("act");
    QTest::addColumn<QString>("changed"); // by the control, which is the same without confinement
    const auto row = [](const char *name, const Act &act, const char *changed) {
        QTest::newRow(name) << act << QString(changed);
    };

    row("case 2, new file", write("@O/new"), "@O/new");
    row("case 2, overwrite", write("@O/canary"), "@O/canary");
    row("case 2, append", {"file-write", {{"path", "@O/canary"}, {"content", "x"}, {"append", true}}},
        "@O/canary");
    row("case 2, edit", edit("@O/canary"), "@O/canary");
    row("case 2, list of edits",
        {"file-edit",
         {{"path", "@O/canary"}, {"edits", Json::array({{{"old_string", "canary"}, {"new_string", "x"}}})}}},
        "@O/canary");
    row("case 2, new folders", write("@O/new/dir/f"), "@O/new/dir/f");

    row("case 3, sibling", write("@B/workspace-evil/f"), "@B/workspace-evil/f");
    row("case 3, relative", write("../workspace-evil/f"), "@B/workspace-evil/f");
    row("case 3, dots", write("@W/../workspace-evil/f"), "@B/workspace-evil/f");
    row("case 3, many dots", write("@W//sub/./../../workspace-evil/f"), "@B/workspace-evil/f");
    row("case 3, dots of /", write("/../..@O/new"), "@O/new");
    row("case 3, home", write("~/new"), "@B/home/new");

    row("case 4, link", write("file-link"), "@O/canary");
    row("case 4, edit through a link", edit("file-link"), "@O/canary");
    row("case 4, relative link", write("relative-link"), "@O/canary");
    row("case 4, link to a link", write("link-to-link"), "@O/canary");
    row("case 4, dangling link", write("dangling"), "@O/new");
    row("case 4, linked folder", write("folder-link/new"), "@O/new");
    row("case 4, new folder behind a link", write("folder-link/a/b"), "@O/a/b");
    row("A86, link upwards", write("up/outside/new"), "@O/new");
    row("A86, link upwards twice", write("sub/up/outside/new"), "@O/new");
    row("A86, dots behind a link", write("folder-link/../outside/new"), "@O/new");
}

void tst_CallScope::writesNothingOutside()
{
    QFETCH(Act, act);
    QFETCH(QString, changed);
    const Arena arena;
    const QByteArray before = arena.snapshot();
    const QByteArray changedBefore = contentOf(arena.filled(changed));

    for (const QStringList &flags :
         {WorkspaceOnly, ReadOnly, WorkspaceOnly + QStringList{"--permission", "yolo"}}) {
        const CallResult result = arena.call(act.tool, act.input, flags);
        QVERIFY2(isOrdinaryFailure(result), describe(result));
        QCOMPARE(arena.snapshot(), before);
        QVERIFY(contentOf(arena.filled(changed)) == changedBefore);
    }

    const CallResult control = arena.call(act.tool, act.input, Off);
    QVERIFY2(control.ok() && control.exitCode == 0, describe(control));
    QVERIFY(contentOf(arena.filled(changed)) != changedBefore);
}

void tst_CallScope::writesNothingWhereAllIsReadOnly() // case 2
{
    const Arena arena;
    const QByteArray before = arena.snapshot();
    const QList<Act> acts{write("ok.txt"),
                          write("@W/ok.txt"),
                          write("new/dir/f"),
                          {"file-edit", {{"path", "here"}, {"old_string", "here"}, {"new_string", "there"}}},
                          write("here")};
    for (const Act &act : acts) {
        const CallResult result = arena.call(act.tool, act.input, ReadOnly);
        QVERIFY2(isOrdinaryFailure(result), describe(result));
        QCOMPARE(arena.snapshot(), before);
    }
    for (const Act &act : acts) {
        const CallResult control = arena.call(act.tool, act.input, WorkspaceOnly);
        QVERIFY2(control.ok(), describe(control));
    }
    QCOMPARE(contentOf(arena.workspace("ok.txt")), QByteArray("x"));
    QCOMPARE(contentOf(arena.workspace("new/dir/f")), QByteArray("x"));
}

void tst_CallScope::takesAWritableFolderByItsPath() // case 2: an extra folder; case 3: as it is, no more
{
    const Arena arena;
    const QStringList flags = WorkspaceOnly + QStringList{"--sandbox-allow-dir", "@O"};
    for (const char *path : {"@O/made/dir/f", "folder-link/g", "up/outside/h", "../outside/i", "dangling"}) {
        const CallResult result = arena.call("file-write", write(path).input, flags);
        QVERIFY2(result.ok(), describe(result));
    }
    QVERIFY2(arena.call("file-edit", edit("file-link").input, flags).ok(), "edit through a link");
    QCOMPARE(contentOf(arena.outside("canary")), QByteArray("pwned\n"));
    QVERIFY(isFile(arena.outside("made/dir/f"), "x") && isFile(arena.outside("g"), "x"));
    QVERIFY(isFile(arena.outside("new"), "x"));
    QVERIFY(isFile(arena.outside("h"), "x") && isFile(arena.outside("i"), "x"));

    QDir(arena.fixture().folder()).mkdir("outside-too");
    QVERIFY(isOrdinaryFailure(arena.call("file-write", write("@B/outside-too/f").input, flags)));
    QVERIFY(!exists(arena.fixture().folder() + "/outside-too/f"));

    // What is an escape for others is a name here.
    const CallResult literal = arena.call("file-write", write("%2e%2e/outside/f").input, WorkspaceOnly);
    QVERIFY2(literal.ok() && exists(arena.workspace("%2e%2e/outside/f")), describe(literal));
}

void tst_CallScope::refusesProcInEveryMode_data() // case 6
{
    QTest::addColumn<QString>("path");
    for (const char *path :
         {"/proc/self/root@O/new", "/proc/self/cwd/../outside/new", "/proc/thread-self/root@O/new",
          "/proc/@P/root@O/new", "/proc/@P/cwd/new", "/proc/self/root@O/canary", "/proc/self/root@W/new",
          "root-link@O/new", "/dev/fd/../root@O/new", "/proc/self/task/../root@O/new", "/proc/self/comm",
          "/proc/@P/comm", "/proc/self/oom_score_adj", "/dev/fd/2", "/dev/stdout"}) {
        QTest::newRow(path) << QString(path);
    }
}

void tst_CallScope::refusesProcInEveryMode()
{
    QFETCH(QString, path);
    const Arena arena;
    const QByteArray before = arena.snapshot();
    const QString comm = "/proc/" + QString::number(arena.outsideProcess()) + "/comm";
    const QByteArray commBefore = contentOf(comm);
    for (const QStringList &flags :
         {WorkspaceOnly, ReadOnly, WorkspaceOnly + QStringList{"--sandbox-allow-dir", "@O"}, Off,
          Off + QStringList{"--permission", "yolo"}}) {
        const CallResult written = arena.call("file-write", write(qPrintable(path)).input, flags);
        QVERIFY2(isOrdinaryFailure(written), describe(written));
        QCOMPARE(arena.snapshot(), before);
    }
    QCOMPARE(contentOf(comm), commBefore);
}

void tst_CallScope::endsAtALoopOfLinks() // case 4
{
    const Arena arena;
    const QByteArray before = arena.snapshot();
    for (const QStringList &flags : {WorkspaceOnly, Off}) {
        for (const char *path : {"loop", "loop/x", "loop/../y"}) {
            const CallResult result = arena.call("file-write", write(path).input, flags);
            QVERIFY2(isOrdinaryFailure(result), describe(result));
            QVERIFY(isOrdinaryFailure(arena.call("file-read", {{"path", path}}, flags)));
        }
    }
    QCOMPARE(arena.snapshot(), before);
}

void tst_CallScope::losesTheRaceAgainstALink() // A86: the folder becomes a link between check and use
{
    constexpr int Calls = 60;
    const auto landedOutside = [](const QStringList &flags) {
        const Arena arena;
        QDir(arena.workspace()).mkdir("d");
        QFile::link(arena.outside(), arena.workspace("e"));
        const QByteArray d = QFile::encodeName(arena.workspace("d"));
        const QByteArray e = QFile::encodeName(arena.workspace("e"));
        std::atomic_bool isOver = false;
        std::thread swapper([&] {
            while (!isOver) {
                ::renameat2(AT_FDCWD, d.constData(), AT_FDCWD, e.constData(), RENAME_EXCHANGE);
            }
        });
        {
            CallSession session(arena.fixture(), flags);
            for (int i = 0; i < Calls; ++i) {
                session.call("file-write", {{"path", "d/n" + std::to_string(i)}, {"content", "x"}});
                session.call("file-edit",
                             {{"path", "d/canary"}, {"old_string", "canary"}, {"new_string", "x"}});
            }
        }
        isOver = true;
        swapper.join();
        return QDir(arena.outside()).entryList(QDir::Files).filter("n").size()
               + (arena.fixture().isCanaryIntact() ? 0 : 1);
    };
    QCOMPARE(landedOutside(WorkspaceOnly), 1); // "canary" has an n in it
    QVERIFY2(landedOutside(Off) > 1, "the control: without confinement some land there");
}

void tst_CallScope::leavesTheOtherNameOfAHardLink_data() // case 7
{
    QTest::addColumn<Act>("act");
    QTest::addColumn<QByteArray>("after");
    QTest::newRow("edit") << edit("pre") << QByteArray("pwned\n");
    QTest::newRow("write") << write("pre") << QByteArray("x");
    QTest::newRow("append") << Act{"file-write", {{"path", "pre"}, {"content", "x"}, {"append", true}}}
                            << QByteArray("canary\nx");
}

void tst_CallScope::leavesTheOtherNameOfAHardLink()
{
    QFETCH(Act, act);
    QFETCH(QByteArray, after);
    const Arena arena;
    const QByteArray canary = QFile::encodeName(arena.outside("canary"));
    QVERIFY(::link(canary.constData(), QFile::encodeName(arena.workspace("pre")).constData()) == 0);
    const CallResult result = arena.call(act.tool, act.input, WorkspaceOnly);
    QVERIFY2(result.ok(), describe(result));
    QVERIFY2(result.json.contains("note"), describe(result));
    QCOMPARE(contentOf(arena.workspace("pre")), after);
    QVERIFY(arena.fixture().isCanaryIntact());

    const Json command = {{"command", "ln @O/canary h || ln ../outside/canary h"}};
    arena.call("bash", command, WorkspaceOnly);
    QVERIFY(!exists(arena.workspace("h")));
    arena.call("bash", command, Off);
    QVERIFY2(exists(arena.workspace("h")), "the control");
}

void tst_CallScope::readsNothingOutside_data() // case 31, case 6
{
    QTest::addColumn<Act>("act");
    QTest::addColumn<bool>("hasControl"); // nothing is ever read through /proc
    const auto row = [](const char *name, const char *tool, const Json &input, bool hasControl = true) {
        QTest::newRow(name) << Act{tool, input} << hasControl;
    };
    row("read", "file-read", {{"path", "@O/secret"}});
    row("read, relative", "file-read", {{"path", "../outside/secret"}});
    row("read, dots", "file-read", {{"path", "@W/sub/../../outside/secret"}});
    row("read, link upwards", "file-read", {{"path", "up/outside/secret"}});
    row("read, linked folder", "file-read", {{"path", "folder-link/secret"}});
    row("grep a file", "grep", {{"pattern", "geheim"}, {"path", "@O/secret"}});
    row("grep a folder", "grep", {{"pattern", "geheim"}, {"path", "@O"}});
    row("grep a linked folder", "grep", {{"pattern", "geheim"}, {"path", "folder-link"}});
    row("glob", "glob", {{"pattern", "*"}, {"path", "@O"}});
    row("glob a linked folder", "glob", {{"pattern", "sec*"}, {"path", "folder-link"}});
    row("ls", "ls", {{"path", "@O"}});
    row("ls, relative", "ls", {{"path", "../outside"}});
    row("ls a linked folder", "ls", {{"path", "folder-link/."}});
    row("read by /proc", "file-read", {{"path", "/proc/self/root@O/secret"}}, false);
    row("read by /proc of another", "file-read", {{"path", "/proc/@P/root@O/secret"}}, false);
    row("read by a link to /proc", "file-read", {{"path", "root-link@O/secret"}}, false);
    row("ls by /proc", "ls", {{"path", "/proc/self/root@O"}}, false);
    row("glob by /proc", "glob", {{"pattern", "sec*"}, {"path", "/proc/self/root@O"}}, false);
    row("grep by /proc", "grep", {{"pattern", "geheim"}, {"path", "/proc/self/root@O"}}, false);
    row("a pattern with dots", "glob", {{"pattern", "../outside/*"}}, false);
    row("an absolute pattern", "glob", {{"pattern", "@O/*"}}, false);
}

void tst_CallScope::readsNothingOutside()
{
    QFETCH(Act, act);
    QFETCH(bool, hasControl);
    const Arena arena;
    const auto tells = [](const CallResult &result) {
        return result.output().contains(Secret) || result.output().contains("secret")
               || result.error().contains(Secret);
    };
    for (const QStringList &flags : {WorkspaceOnly, ReadOnly}) {
        const CallResult result = arena.call(act.tool, act.input, flags);
        QVERIFY2(!tells(result), describe(result));
        if (hasControl) {
            QVERIFY2(isOrdinaryFailure(result), describe(result));
        }
    }
    for (const QStringList &flags : {WorkspaceOnly + QStringList{"--sandbox-allow-read-dir", "@O"}, Off}) {
        const CallResult control = arena.call(act.tool, act.input, flags);
        QVERIFY2(tells(control) == hasControl, describe(control));
    }
}

void tst_CallScope::findsNothingBehindLinks() // case 31: a search of the workspace stays in it
{
    const Arena arena;
    for (const Act &act : {Act{"grep", {{"pattern", "geheim|here"}}}, Act{"glob", {{"pattern", "**"}}},
                           Act{"glob", {{"pattern", "folder-link/*"}}}}) {
        const CallResult result = arena.call(act.tool, act.input, WorkspaceOnly);
        QVERIFY2(!result.output().contains(Secret) && !result.output().contains("secret"), describe(result));
    }
    QVERIFY(arena.call("grep", {{"pattern", "geheim|here"}}, WorkspaceOnly).output().contains("here"));

    // An edit that fails must not tell either.
    const CallResult result = arena.call(
        "file-edit", {{"path", "@O/secret"}, {"old_string", "g"}, {"new_string", "h"}}, WorkspaceOnly);
    QVERIFY2(isOrdinaryFailure(result) && !result.line.contains(Secret), describe(result));
}

void tst_CallScope::keepsItsPolicyFromCommands() // case 8
{
    const Arena arena;
    const Json change = {
        {"command",
         "mkdir -p .spettro ~/.config/spettro ~/.spettro; for f in .spettro.json .spettro/config.json "
         ".spettro/config.toml spettro.json .env ~/.config/spettro/config.toml ~/.spettro/config.toml; do "
         "echo 'sandbox = \"off\"' > $f; done; printf '[runtime]\\nsandbox_mode = \"off\"\\n"
         "sandbox_allow_dirs = [\"../outside\"]\\n' > spettro.agents.toml"}};
    {
        CallSession session(arena.fixture(), WorkspaceOnly, arena.options());
        session.call("bash", change);
        QVERIFY2(exists(arena.workspace("spettro.agents.toml")), "the command changed something");
        QVERIFY(!session.call("file-write", {{"path", "../outside/p1"}, {"content", "x"}}).ok());
        QVERIFY2(session.call("file-write", {{"path", "ok"}, {"content", "x"}}).ok(), "the control");
    }
    QVERIFY(!exists(arena.outside("p1")));

    // The next session does not take it either, with the operator's flags or without any.
    for (const QStringList &flags : {WorkspaceOnly, QStringList()}) {
        const CallResult result = arena.call("file-write", write("../outside/p2").input, flags);
        QVERIFY2(result.exitCode != 0 && !result.ok(), describe(result));
        QVERIFY(!exists(arena.outside("p2")));
    }
    // The state folder of the operator is outside.
    QVERIFY(isOrdinaryFailure(arena.call("file-write", write("~/.spettro/approvals.json").input,
                                         WorkspaceOnly + QStringList{"--trust-manifest"})));
}

void tst_CallScope::holdsInFoldersWithOddNames_data() // case 29
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"sp ace",
                             "q\"uote",
                             "a'pos",
                             "par)(allow file-write* (subpath \"..\"))(",
                             "new\nline",
                             "tab\ttab",
                             "uni-\u00e9-\u6f22-\U0001F642",
                             "semi;touch pwn",
                             "$(touch pwn)",
                             "`touch pwn`",
                             "-dash",
                             "--sandbox=off",
                             "%s%n",
                             "back\\slash",
                             "colon:comma,",
                             "*",
                             "[a-z]",
                             "{a,b}",
                             "~",
                             "#hash",
                             "trailing ",
                             "trailing.",
                             ".hidden",
                             "@W",
                             "\x1b[31m"}) {
        QTest::newRow(QByteArray(name).toPercentEncoding(" \"'()$;")) << QString::fromUtf8(name);
    }
}

void tst_CallScope::holdsInFoldersWithOddNames()
{
    QFETCH(QString, name);
    const Fixture fixture;
    const QString folder = fixture.folder() + "/odd/" + name;
    QVERIFY(QDir().mkpath(folder));
    const Json command = {{"command", "echo in > f; echo out > ../escaped"}};
    {
        RunOptions options;
        options.folder = folder;
        CallSession session(fixture, WorkspaceOnly, options);
        QVERIFY(session.call("bash", command).json.is_object());
        QVERIFY(session.call("file-write", {{"path", "g"}, {"content", "x"}}).ok());
        QVERIFY(session.call("file-write", {{"path", folder.toStdString() + "/h"}, {"content", "x"}}).ok());
        QVERIFY(session.call("file-read", {{"path", "f"}}).output().endsWith("\tin\n"));
        QVERIFY(!session.call("file-write", {{"path", "../escaped"}, {"content", "x"}}).ok());
        QVERIFY(!session.call("file-write", {{"path", folder.toStdString() + "x/h"}, {"content", "x"}}).ok());
    }
    QVERIFY(isFile(folder + "/f", "in\n") && isFile(folder + "/g", "x") && isFile(folder + "/h", "x"));
    QCOMPARE(
        QDir(fixture.folder() + "/odd").entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList{name});
    QCOMPARE(QDir(folder).entryList(QDir::Files), (QStringList{"f", "g", "h"}));

    const CallResult control = call(fixture, "bash", command, Off + QStringList{"--cwd", folder});
    QVERIFY2(control.exitCode == 0 && exists(fixture.folder() + "/odd/escaped"), describe(control));
}

void tst_CallScope::writesFilesWithOddNames() // A86, case 82: a name is a name
{
    const Fixture fixture;
    const QStringList names{"new\nline", "ctl\x1b[31m\n\t.txt",
                            "-rf",       "a b",
                            "$HOME",     "~x",
                            "..x",       "...",
                            "%00",       "x:y",
                            "\\",        "\u202egpj.exe",
                            "e\u0301",   "\u00e9",
                            "'",         "\"",
                            "*",         QString(255, 'a')};
    CallSession session(fixture);
    for (const QString &name : names) {
        const CallResult result =
            session.call("file-write", {{"path", name.toStdString()}, {"content", "x"}});
        QVERIFY2(result.ok() && isFile(fixture.workspace(name), "x"), describe(result));
    }
    QCOMPARE(QDir(fixture.workspace()).entryList(QDir::Files | QDir::Hidden).size(), names.size());
}

namespace {

/// Where a fixture's steering files stand, and other spellings of such.
QStringList steeringPaths()
{
    QStringList paths;
    for (const char *name : {".git", ".spettro", "spettro.agents.toml", ".vscode", ".idea", ".mcp.json",
                             ".claude", ".codex", ".cursor", ".gemini"}) {
        const QString base = name;
        paths << base << base + "/x"
              << "deep/er/" + base << "deep/er/" + base + "/x/y"
              << "sub/../" + base + "/x" << base.toUpper() + "/x" << base + "./x" << base + " /x"
              << base + ". . /x"
              << "@W/" + base + "/x"
              << "./" + base + "//x" << base + ":stream" << base + "::$INDEX_ALLOCATION/x"
              << base.left(2) + "\u200c" + base.mid(2) + "/x"
              << "folder-to-ws/" + base + "/x"
              << "@O/" + base + "/x";
    }
    return paths << ".git/hooks/pre-commit"
                 << ".git/config"
                 << "vendor/x/.git/config"
                 << ".GIT/config"
                 << ".gIt/hooks/x"
                 << "sub/../.git/config"
                 << ".git/../.git/config"
                 << ".git/modules/m/config"
                 << "git-link/config"
                 << "git-link/hooks/pre-commit"
                 << "config-link"
                 << "sub/git-link/config"
                 << "dangling-git-link"
                 << ".git/objects/../config"
                 << "SPETTRO.AGENTS.TOML"
                 << ".Mcp.Json"
                 << ".vscode/tasks.json";
}

/// Makes those of them that are usually there.
void makeRepository(const Fixture &fixture)
{
    for (const char *name : {".git/hooks", ".git/objects", ".git/info", "vendor/x/.git", "sub", ".vscode"}) {
        QDir(fixture.workspace()).mkpath(name);
    }
    for (const char *name :
         {".git/config", "vendor/x/.git/config", ".vscode/tasks.json", ".mcp.json", ".git/info/exclude"}) {
        writeFile(fixture.workspace(name), "old\n");
    }
    QFile::link(".git", fixture.workspace("git-link"));
    QFile::link("../.git", fixture.workspace("sub/git-link"));
    QFile::link(".git/config", fixture.workspace("config-link"));
    QFile::link(".git/new", fixture.workspace("dangling-git-link"));
    QFile::link(fixture.workspace(), fixture.workspace("folder-to-ws"));
}

} // namespace

void tst_CallScope::refusesSteeringFiles_data() // A76, case 8, case 100
{
    QTest::addColumn<QStringList>("flags");
    QTest::newRow("workspace-write") << WorkspaceOnly;
    QTest::newRow("workspace-write, yolo") << WorkspaceOnly + QStringList{"--permission", "yolo"};
    QTest::newRow("workspace-write, restricted") << WorkspaceOnly + QStringList{"--permission", "restricted"};
    QTest::newRow("workspace-write, other folder")
        << WorkspaceOnly + QStringList{"--sandbox-allow-dir", "@O"};
    QTest::newRow("off") << Off;
    QTest::newRow("off, yolo") << Off + QStringList{"--permission", "yolo"};
    QTest::newRow("no flags") << QStringList();
}

void tst_CallScope::refusesSteeringFiles()
{
    QFETCH(QStringList, flags);
    const Fixture fixture;
    makeRepository(fixture);
    flags.replaceInStrings("@O", fixture.outside());
    const QByteArray before = Fixture::snapshot(fixture.folder());
    CallSession session(fixture, flags);
    for (QString path : steeringPaths()) {
        path.replace("@W", fixture.workspace()).replace("@O", fixture.outside());
        const CallResult written =
            session.call("file-write", {{"path", path.toStdString()}, {"content", "x"}});
        const CallResult edited = session.call(
            "file-edit", {{"path", path.toStdString()}, {"old_string", "old"}, {"new_string", "new"}});
        QVERIFY2(written.json.is_object() && !written.ok() && !written.error().isEmpty(),
                 path.toUtf8() + ": " + describe(written));
        QVERIFY2(edited.json.is_object() && !edited.ok(), path.toUtf8() + ": " + describe(edited));
    }
    QCOMPARE(Fixture::snapshot(fixture.folder()), before);

    const CallResult control = session.call("file-write", {{"path", "sub/ok"}, {"content", "x"}});
    QVERIFY2(control.ok() && isFile(fixture.workspace("sub/ok"), "x"), describe(control));
}

void tst_CallScope::refusesSteeringFilesByIdentity_data() // A76
{
    QTest::addColumn<QString>("command"); // in the same session, before
    QTest::addColumn<QString>("path");
    const auto row = [](const char *name, const char *command, const char *path) {
        QTest::newRow(name) << QString(command) << QString(path);
    };
    row("renamed", "mv .git x", "x/hooks/pre-commit");
    row("renamed, config", "mv .git x", "x/config");
    row("renamed into a folder", "mv .git sub/y", "sub/y/hooks/pre-commit");
    row("hooks renamed", "mv .git/hooks x", "x/pre-commit");
    row("config renamed", "mv .git/config x", "x");
    row("info renamed", "mv .git/info x", "x/attributes");
    row("editor's folder renamed", "mv .vscode x", "x/tasks.json");
    row("tools' file renamed", "mv .mcp.json x", "x");
    row("linked", "ln -s .git x", "x/hooks/pre-commit");
    row("linked by its absolute path", "ln -s \"$PWD/.git/hooks\" x", "x/pre-commit");
    row("linked twice", "ln -s .git y; ln -s y/hooks x", "x/pre-commit");
    row("dangling link", "ln -s .git/hooks/post-commit x", "x");
    row("nested, linked", "ln -s vendor/x/.git x", "x/config");
}

void tst_CallScope::refusesSteeringFilesByIdentity()
{
    QFETCH(QString, command);
    QFETCH(QString, path);
    for (const QStringList &flags : {WorkspaceOnly, Off}) {
        const Fixture fixture;
        makeRepository(fixture);
        CallSession session(fixture, flags);
        QCOMPARE(session.call("bash", {{"command", command.toStdString()}}).json.value("exit_code", -1), 0);
        const QByteArray before = Fixture::snapshot(fixture.folder());
        const CallResult result =
            session.call("file-write", {{"path", path.toStdString()}, {"content", "x"}});
        QVERIFY2(result.json.is_object() && !result.ok(), describe(result));
        QCOMPARE(Fixture::snapshot(fixture.folder()), before);

        QVERIFY(session.call("bash", {{"command", "mkdir -p z && mv z zz"}}).ok());
        const CallResult control = session.call("file-write", {{"path", "zz/pre-commit"}, {"content", "x"}});
        QVERIFY2(control.ok(), describe(control));
    }
}

void tst_CallScope::writesWhatIsOnlyCalledAlike() // A76: no more is refused than has to be
{
    const Fixture fixture;
    makeRepository(fixture);
    CallSession session(fixture);
    for (const char *path :
         {".gitignore", ".gitattributes", ".github/workflows/ci.yml", ".git-blame-ignore-revs", "git/x",
          "x.git/config", ".gitx/config", "_git/x", ".idea-notes", ".vscodeignore", "mcp.json",
          "spettro.agents.toml.bak", "docs/.cursorrules", "gemini/x", "claude.md", "CLAUDE.md", "sub/codex",
          ".env", "vendor/x/file"}) {
        const CallResult result = session.call("file-write", {{"path", path}, {"content", "x"}});
        QVERIFY2(result.ok() && isFile(fixture.workspace(path), "x"), describe(result));
    }
}

void tst_CallScope::readsSteeringFiles() // A76: only writing is refused
{
    const Fixture fixture;
    makeRepository(fixture);
    for (const char *path : {".git/config", "vendor/x/.git/config", "config-link", ".mcp.json"}) {
        const CallResult result = call(fixture, "file-read", {{"path", path}});
        QVERIFY2(result.ok() && result.output().endsWith("old\n"), describe(result));
    }
}

void tst_CallScope::writesSteeringFilesOnRequest() // A76: the control
{
    const Fixture fixture;
    makeRepository(fixture);
    const QStringList allowed = WorkspaceOnly + QStringList{"--sandbox-allow-steering"};
    const QByteArray outside = Fixture::snapshot(fixture.outside());
    CallSession session(fixture, allowed);
    for (const char *path : {".git/hooks/pre-commit", "git-link/config", "vendor/x/.git/config",
                             "config-link", ".mcp.json", "deep/.CLAUDE/x", "spettro.agents.toml"}) {
        const CallResult result = session.call("file-write", {{"path", path}, {"content", "x"}});
        QVERIFY2(result.ok() && isFile(fixture.workspace(path), "x"), describe(result));
    }
    QVERIFY(!session.call("file-write", {{"path", "../outside/.git/config"}, {"content", "x"}}).ok());
    QCOMPARE(Fixture::snapshot(fixture.outside()), outside);
}

QTEST_GUILESS_MAIN(tst_CallScope)
#include "tst_call_scope.moc"
