// A session's policy is frozen once: whatever happens to names, folders and files between its commands,
// nothing widens (cases 26, 30 of the field). By the library, as a program with several commands uses it.

#include "sandbox/SandboxedProcess.h"
#include "sandbox/linux/freezePolicy.h"
#include "tests/support/Fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <climits>

using namespace spettro::sandbox;
using namespace spettro::test;

namespace {

Result<FrozenPolicy> freeze(const Fixture &fixture, FileSystemMode mode, const QStringList &extraDirs = {})
{
    Policy policy;
    policy.workspace = fixture.workspace().toStdString();
    policy.mode.value = mode;
    policy.network.value.mode = NetworkMode::None;
    for (const QString &dir : extraDirs) {
        policy.writableDirs.push_back({dir.toStdString(), {Origin::Kind::Flag, "--sandbox-allow-dir"}});
    }
    return freezePolicy(policy, {QDir::homePath().toStdString(), {}, HomeWorkspace::Refused});
}

/// The commands of one session: one policy, frozen and compiled once.
class Session
{
public:
    Session(const Fixture &fixture, FileSystemMode mode, const QStringList &extraDirs = {})
        : m_launcher(std::make_shared<const Launcher>(Launcher{
            CompiledPolicy::create(freeze(fixture, mode, extraDirs).value(), probeHost(INT_MAX)).value(),
            ProgramImage::load(spettroPath().toStdString()).value()}))
    {}

    /// Runs a script with arguments and returns its exit code; -1 where it did not run to its end.
    int run(const QString &script, const QStringList &arguments = {}) const
    {
        CommandSpec spec;
        for (const QString &part : shell(script, arguments)) {
            spec.arguments.push_back(part.toStdString());
        }
        spec.environment = {"PATH=/usr/bin:/bin"};
        SandboxedProcess process(m_launcher);
        process.launch(spec);
        const bool ended = process.waitForFinished();
        const RunReport report = process.report();
        return ended && report.kind == RunReport::Kind::Exited ? report.value : -1;
    }

    /// Whether a command can make this file.
    bool canMake(const QString &path) const
    {
        return run("{ echo made > \"$1\"; } 2>/dev/null", {path}) == 0 && exists(path);
    }

private:
    std::shared_ptr<const Launcher> m_launcher;
};

void rename(const QString &from, const QString &to)
{
    if (!QFile::rename(from, to)) {
        qFatal("cannot rename %s", qPrintable(from));
    }
}

} // namespace

class tst_Frozen : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void commandsOfASessionShareOnePolicy();
    void extraRootIsSwappedForALinkByTheHost();
    void extraRootIsSwappedForALinkByACommand();
    void extraRootIsDeletedAndMadeAgain();
    void workspaceIsRenamed();
    void workspaceIsSwappedForALink();
    void workspaceIsDeletedAndMadeAgain();
    void manifestAppearsLater();
    void missingStageRunsNothing();
};

void tst_Frozen::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Frozen::commandsOfASessionShareOnePolicy()
{
    Fixture fixture;
    const Session session(fixture, FileSystemMode::WorkspaceWrite);
    for (int i = 0; i < 5; ++i) {
        QVERIFY(session.canMake(fixture.workspace(QString::number(i))));
        QVERIFY(!session.canMake(fixture.outside(QString::number(i))));
        QCOMPARE(session.run("exit 7"), 7);
    }
    // The control of all tests below: what a session cannot make can be made without one.
    QCOMPARE(fixture.control(shell("echo made > \"$1\"", {fixture.outside("0")})).exitCode, 0);
    QVERIFY(exists(fixture.outside("0")));
}

void tst_Frozen::extraRootIsSwappedForALinkByTheHost()
{
    Fixture fixture;
    const QString extra = fixture.workspace("extra");
    QVERIFY(QDir().mkdir(extra));
    const Session session(fixture, FileSystemMode::ReadOnly, {extra});
    QVERIFY(session.canMake(extra + "/before"));
    QVERIFY(!session.canMake(fixture.workspace("before")));

    rename(extra, fixture.workspace("old"));
    QVERIFY(QFile::link(fixture.outside(), extra));
    QVERIFY(!session.canMake(extra + "/after"));
    QVERIFY(!exists(fixture.outside("after")));
    QVERIFY2(session.canMake(fixture.workspace("old/after")), "the root is the folder, not its name");

    // A policy that were made anew for each command would follow the link.
    const Session second(fixture, FileSystemMode::ReadOnly, {extra});
    QVERIFY(second.canMake(extra + "/second"));
    QVERIFY(exists(fixture.outside("second")));
}

void tst_Frozen::extraRootIsSwappedForALinkByACommand()
{
    Fixture fixture;
    const QString extra = fixture.workspace("extra");
    QVERIFY(QDir().mkdir(extra));
    const Session session(fixture, FileSystemMode::WorkspaceWrite, {extra});
    QCOMPARE(session.run("mv extra old && ln -s \"$1\" extra", {fixture.outside()}), 0);
    QVERIFY(!session.canMake(extra + "/after"));
    QVERIFY(!exists(fixture.outside("after")));

    const Result<FrozenPolicy> second = freeze(fixture, FileSystemMode::WorkspaceWrite, {extra});
    QVERIFY2(!second && second.error().kind == ErrorKind::Usage,
             "a link that a command may have laid is no root");
}

void tst_Frozen::extraRootIsDeletedAndMadeAgain()
{
    Fixture fixture;
    QVERIFY(QDir().mkdir(fixture.outside("extra")));
    const Session session(fixture, FileSystemMode::WorkspaceWrite, {fixture.outside("extra")});
    QVERIFY(session.canMake(fixture.outside("extra/before")));
    QVERIFY(QDir(fixture.outside("extra")).removeRecursively());
    QVERIFY(session.canMake(fixture.workspace("while-gone")));
    QVERIFY(QDir().mkdir(fixture.outside("extra")));
    QVERIFY(!session.canMake(fixture.outside("extra/after")));
}

void tst_Frozen::workspaceIsRenamed()
{
    Fixture fixture;
    const Session session(fixture, FileSystemMode::WorkspaceWrite);
    const QString moved = fixture.folder() + "/moved";
    rename(fixture.workspace(), moved);
    QVERIFY(QDir().mkdir(fixture.workspace()));

    QVERIFY2(session.canMake(moved + "/after"), "the workspace is the folder, not its name");
    QVERIFY(!session.canMake(fixture.workspace("after")));
    QCOMPARE(session.run("echo made > relative"), 0);
    QVERIFY2(exists(moved + "/relative"), "commands start in the folder that was frozen");
}

void tst_Frozen::workspaceIsSwappedForALink()
{
    Fixture fixture;
    const Session session(fixture, FileSystemMode::WorkspaceWrite);
    rename(fixture.workspace(), fixture.folder() + "/moved");
    QVERIFY(QFile::link(fixture.outside(), fixture.workspace()));
    QVERIFY(!session.canMake(fixture.workspace("after")));
    QVERIFY(session.run("cat canary 2>/dev/null") != 0);
    QVERIFY(session.run("cat \"$1\" 2>/dev/null", {fixture.workspace("canary")}) != 0);
    QVERIFY(!exists(fixture.outside("after")));
    QVERIFY(QFile::remove(fixture.workspace())); // the fixture removes what is below, not what is behind
}

void tst_Frozen::workspaceIsDeletedAndMadeAgain()
{
    Fixture fixture;
    const Session session(fixture, FileSystemMode::WorkspaceWrite);
    QVERIFY(QDir(fixture.workspace()).removeRecursively());
    QVERIFY(session.run("{ echo made > file; } 2>/dev/null") != 0);
    QVERIFY(QDir().mkdir(fixture.workspace()));
    QVERIFY(!session.canMake(fixture.workspace("after")));
}

void tst_Frozen::manifestAppearsLater()
{
    Fixture fixture; // case 30: a command writes itself a wider policy
    const Session session(fixture, FileSystemMode::WorkspaceWrite);
    QCOMPARE(
        session.run("printf '[runtime]\\nsandbox_mode = \"off\"\\nsandbox_allow_dirs = [\"%s\"]\\n' \"$1\""
                    " > spettro.agents.toml",
                    {fixture.outside()}),
        0);
    QVERIFY(!session.canMake(fixture.outside("after")));
}

void tst_Frozen::missingStageRunsNothing()
{
    Fixture fixture; // case 25
    for (const QString &program : {fixture.outside("missing"), fixture.outside()}) {
        const Result<ProgramImage> image = ProgramImage::load(program.toStdString());
        QVERIFY(!image && image.error().kind == ErrorKind::Unenforceable);
        QVERIFY2(image.error().message.find(program.toStdString()) != std::string::npos,
                 image.error().message.c_str());
    }
}

QTEST_GUILESS_MAIN(tst_Frozen)

#include "tst_frozen.moc"
