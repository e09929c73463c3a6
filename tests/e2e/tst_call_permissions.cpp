// Permission rules and modes at the command line; and what an agent gains by editing the manifest: nothing.

#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QTest>

using namespace spettro::test;

namespace {

/// A home folder of the fixture's own, so that what is accepted and stored stays in it.
RunOptions withHome(const Fixture &fixture)
{
    RunOptions options;
    options.folder = fixture.workspace();
    options.environment.insert("HOME", fixture.folder() + "/home");
    QDir().mkpath(fixture.folder() + "/home");
    return options;
}

Json bash(const char *command)
{
    return {{"command", command}};
}

} // namespace

class tst_CallPermissions : public QObject
{
    Q_OBJECT

private slots:
    void modes_data();
    void modes();
    void denyRuleOfTheManifestHolds();
    void allowRuleOfTheManifestHasToBeAccepted();
    void badRulesAreUsageErrors_data();
    void badRulesAreUsageErrors();
    void approvalsAreBrokenClosed();
    void editingTheManifestGainsNothing();
    void manifestIsNotForFileTools();
};

void tst_CallPermissions::modes_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("input");
    QTest::addColumn<bool>("runs");
    const auto row = [](const char *mode, const char *tool, const char *input, bool runs) {
        QTest::addRow("%s %s %s", mode, tool, input) << mode << tool << input << runs;
    };
    for (const char *mode : {"ask-first", "restricted", "yolo"}) {
        row(mode, "ls", "{}", true);
        row(mode, "bash", R"({"command":"touch made"})", qstrcmp(mode, "yolo") == 0);
        row(mode, "bash", R"({"command":"ls"})", qstrcmp(mode, "ask-first") != 0);
        row(mode, "file-write", R"({"path":"made","content":""})", qstrcmp(mode, "ask-first") != 0);
    }
}

/// Nobody is there to answer: what has to be asked does not run.
void tst_CallPermissions::modes()
{
    QFETCH(QString, mode);
    QFETCH(QString, tool);
    QFETCH(QString, input);
    QFETCH(bool, runs);
    const Fixture fixture;
    const CallResult result = call(fixture, tool.toLatin1().constData(), Json::parse(input.toStdString()),
                                   WorkspaceOnly + QStringList{"--permission", mode}, withHome(fixture));
    QVERIFY2(result.ok() == runs && result.exitCode == (runs ? 0 : 1), describe(result));
    QCOMPARE(exists(fixture.workspace("made")), runs && input.contains("made"));
}

void tst_CallPermissions::denyRuleOfTheManifestHolds()
{
    const Fixture fixture;
    writeFile(
        fixture.workspace("spettro.agents.toml"),
        "[runtime]\npermission_rules = [{permission = \"shell\", pattern = \"rm *\", action = \"deny\"}]\n"
        "[[tools]]\nid = \"file-write\"\npermission_rules = [{pattern = \"*.lock\", action = \"deny\"}]\n");
    writeFile(fixture.workspace("file"), "x");
    const RunOptions options = withHome(fixture);
    QVERIFY(!call(fixture, "bash", bash("true; rm file"), WorkspaceOnly, options).ok());
    QVERIFY(exists(fixture.workspace("file")));
    QVERIFY(!call(fixture, "file-write", {{"path", "a.lock"}, {"content", ""}}, WorkspaceOnly, options).ok());
    QVERIFY(!exists(fixture.workspace("a.lock")));
    QVERIFY(call(fixture, "file-write", {{"path", "a.txt"}, {"content", ""}}, WorkspaceOnly, options).ok());
    QVERIFY(call(fixture, "bash", bash("mv file other"), WorkspaceOnly, options).ok());
}

void tst_CallPermissions::allowRuleOfTheManifestHasToBeAccepted()
{
    const Fixture fixture; // A74: a project file can only narrow
    writeFile(fixture.workspace("spettro.agents.toml"),
              "[runtime]\npermission_rules = [{permission = \"bash\", pattern = \"touch made\", action = "
              "\"allow\"}]\n");
    const RunOptions options = withHome(fixture);
    const QStringList flags = WorkspaceOnly + QStringList{"--permission", "ask-first"};
    const CallResult unaccepted = call(fixture, "bash", bash("touch made"), flags, options);
    QVERIFY2(unaccepted.exitCode == 2
                 && unaccepted.errors.contains("permission_rules = allow bash touch made"),
             describe(unaccepted));
    QVERIFY(!exists(fixture.workspace("made")));

    const RunResult accepted = run({spettroPath(), "sandbox", "accept"}, options);
    QVERIFY2(accepted.exitCode == 0, describe(accepted));
    QVERIFY(call(fixture, "bash", bash("touch made"), flags, options).ok());
    QVERIFY(exists(fixture.workspace("made")));
    QCOMPARE(call(fixture, "bash", bash("touch more"), flags, options).exitCode, 1);
}

void tst_CallPermissions::badRulesAreUsageErrors_data()
{
    QTest::addColumn<QByteArray>("rules");
    QTest::addColumn<QByteArray>("error");
    const auto row = [](const char *rules, const char *error) {
        QTest::newRow(rules) << QByteArray(rules) << QByteArray(error);
    };
    row("permission_rules = 1", "spettro.agents.toml:2:");
    row("permission_rules = [1]", "nothing but tables");
    row("permission_rules = [{permission = \"bash\", pattern = \"x\"}]",
        "needs 'permission', 'pattern' and 'action'");
    row("permission_rules = [{permission = \"bash\", pattern = \"x\", action = \"maybe\"}]",
        "spettro.agents.toml:2:");
    row("permission_rules = [{permission = \"bash\", pattern = 1, action = \"deny\"}]",
        "'pattern' must be a string");
    row("permission_rules = [{permission = \"bash\", patern = \"x\", action = \"deny\"}]",
        "unknown key 'patern'");
}

void tst_CallPermissions::badRulesAreUsageErrors()
{
    QFETCH(QByteArray, rules);
    QFETCH(QByteArray, error);
    const Fixture fixture;
    writeFile(fixture.workspace("spettro.agents.toml"), "[runtime]\n" + rules + '\n');
    const CallResult result = call(fixture, "bash", bash("touch made"), WorkspaceOnly, withHome(fixture));
    QVERIFY2(result.exitCode == 2 && result.errors.contains(error), describe(result));
    QVERIFY(!exists(fixture.workspace("made")));
}

void tst_CallPermissions::approvalsAreBrokenClosed()
{
    const Fixture fixture; // stored answers cannot be planted where commands write
    const RunOptions options = withHome(fixture);
    QVERIFY(call(fixture, "ls", Json::object(), WorkspaceOnly, options).ok());
    const CallResult planted =
        call(fixture, "bash", bash("mkdir -p ~/.spettro/approvals && echo x > ~/.spettro/approvals/x"),
             WorkspaceOnly, options);
    QVERIFY2(!planted.ok(), describe(planted));
    QVERIFY(!exists(fixture.folder() + "/home/.spettro/approvals/x"));
    QVERIFY(call(fixture, "bash", bash("mkdir -p ~/.spettro/approvals && echo x > ~/.spettro/approvals/x"),
                 {"--sandbox", "off"}, options)
                .ok()); // the control
}

/// A shell command can write the manifest, which lies in the workspace: within the session and over a restart it gains
/// nothing.
void tst_CallPermissions::editingTheManifestGainsNothing()
{
    const Fixture fixture; // case 8
    const RunOptions options = withHome(fixture);
    const QByteArray outside = QFile::encodeName(fixture.outside());
    const QByteArray manifest =
        "[runtime]\nsandbox_mode = \"off\"\nsandbox_net = \"all\"\nsandbox_allow_dirs = [\"" + outside
        + "\"]\npermission_rules = [{permission = \"*\", pattern = \"*\", action = \"allow\"}]\n";
    const QByteArray plant = "cat > spettro.agents.toml <<'END'\n" + manifest + "END\n";
    const QByteArray escape = "echo out > '" + outside + "/made'";
    CallSession session(fixture, WorkspaceOnly, options);
    QVERIFY(session.call("bash", bash(plant.constData())).ok());
    QCOMPARE(contentOf(fixture.workspace("spettro.agents.toml")), manifest); // it is there
    QVERIFY(!session.call("bash", bash(escape.constData())).ok());
    QVERIFY(
        !session.call("file-write", {{"path", (outside + "/made").toStdString()}, {"content", "x"}}).ok());
    QVERIFY(!exists(fixture.outside("made")));

    // Over a restart: with the flags, and without any, as someone might who relies on the manifest.
    for (const QStringList &flags : {WorkspaceOnly, QStringList{}}) {
        const CallResult restarted = call(fixture, "bash", bash(escape.constData()), flags, options);
        QVERIFY2(restarted.exitCode == 2 && restarted.errors.contains("sandbox_allow_dirs"),
                 describe(restarted));
        QVERIFY(!exists(fixture.outside("made")));
    }
    const CallResult control = call(fixture, "bash", bash(escape.constData()), {"--trust-manifest"}, options);
    QVERIFY2(control.ok() && exists(fixture.outside("made")), describe(control));
}

void tst_CallPermissions::manifestIsNotForFileTools()
{
    const Fixture fixture;
    const RunOptions options = withHome(fixture);
    for (const QStringList &flags : {WorkspaceOnly, QStringList{}}) {
        for (const char *path :
             {"spettro.agents.toml", "./spettro.agents.toml", "Spettro.Agents.Toml", ".spettro/x"}) {
            const CallResult result =
                call(fixture, "file-write", {{"path", path}, {"content", "x"}}, flags, options);
            QVERIFY2(result.exitCode == 1 && result.error().endsWith(": Permission denied"),
                     describe(result));
        }
    }
    QCOMPARE(Fixture::snapshot(fixture.workspace()).count('\n'), 0);
    const CallResult control =
        call(fixture, "file-write", {{"path", "spettro.agents.toml"}, {"content", "x = 1\n"}},
             WorkspaceOnly + QStringList{"--sandbox-allow-steering"}, options);
    QVERIFY2(control.ok(), describe(control));
}

QTEST_GUILESS_MAIN(tst_CallPermissions)

#include "tst_call_permissions.moc"
