// What spettro.agents.toml decides of a session, as the model's server and the host see it.

#include "tests/support/ChatServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"

#include <QDir>
#include <QTest>

using namespace spettro::test;

class tst_Goal_Manifest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void theDefaultManifest();
    void agentsAndTools();
    void promptFiles();
    void modelAndProvider();
    void permissions_data();
    void permissions();
    void approval();
    void timeLimits();
    void callsNotLogged();
    void warnings();

private:
    RunResult goal(const QStringList &flags) const;
    void manifest(const QByteArray &text) const { writeFile(m_home->workspace("spettro.agents.toml"), text); }
    static ChatServer completing()
    {
        return ChatServer({ChatServer::calls("z", "goal-complete", {{"summary", "fine"}})});
    }
    static QStringList toolsIn(const Json &body)
    {
        QStringList names;
        for (const Json &tool : body["tools"]) {
            names.append(QString::fromStdString(tool["function"]["name"]));
        }
        return names;
    }

    std::unique_ptr<OperatorHome> m_home;
};

void tst_Goal_Manifest::init()
{
    m_home = std::make_unique<OperatorHome>();
}

RunResult tst_Goal_Manifest::goal(const QStringList &flags) const
{
    QProcess process;
    QProcessEnvironment environment = m_home->environment();
    environment.insert("OPENAI_API_KEY", "sk-TESTKEY123");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_home->workspace());
    process.start(spettroPath(), QStringList{"--goal", "x"} + WorkspaceOnly + flags);
    RunResult result;
    result.timedOut = !QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000);
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

/// A copy of it changes nothing but the prompt: it widens nothing, warns of nothing, and a goal run works with it.
void tst_Goal_Manifest::theDefaultManifest()
{
    manifest(contentOf(":/spettro.agents.toml"));
    ChatServer server({ChatServer::calls("a", "bash", {{"command", "echo x >made"}}),
                       ChatServer::calls("b", "goal-complete", {{"summary", "fine"}})});
    const RunResult result = goal(server.flags());
    QVERIFY2(result.exitCode == 0 && result.errors.isEmpty(), describe(result));
    QVERIFY(exists(m_home->workspace("made")));
    QVERIFY2(server.messages(0).contains("run the project's tests"), server.messages(0));
}

void tst_Goal_Manifest::agentsAndTools()
{
    manifest("default_agent = 'one'\n[[agents]]\nid = 'one'\nprompt = 'You are TOKEN-ONE.'\n"
             "[[agents]]\nid = 'two'\nprompt = 'You are TOKEN-TWO.'\nallowed_tools = ['ls', 'grep', 'bash']\n"
             "[[tools]]\nid = 'bash'\nenabled = false\n");
    ChatServer first({ChatServer::calls("a", "bash", {{"command", "touch PWN"}}),
                      ChatServer::calls("b", "goal-complete", {{"summary", "fine"}})});
    const RunResult one = goal(first.flags());
    QVERIFY2(one.exitCode == 0, describe(one));
    QVERIFY2(first.messages(0).contains("TOKEN-ONE"), first.messages(0));
    QVERIFY(!toolsIn(first.bodies().first()).contains("bash"));
    QVERIFY(toolsIn(first.bodies().first()).contains("file-write"));
    QVERIFY(!exists(m_home->workspace("PWN"))); // also if the model calls it all the same
    ChatServer second = completing();
    const RunResult two = goal(second.flags() + QStringList{"--agent", "two"});
    QVERIFY2(two.exitCode == 0, describe(two));
    QVERIFY2(second.messages(0).contains("TOKEN-TWO"), second.messages(0));
    QCOMPARE(toolsIn(second.bodies().first()), (QStringList{"ls", "grep", "goal-complete"}));
    const RunResult none = goal(second.flags() + QStringList{"--agent", "three"});
    QVERIFY2(none.exitCode == 2 && none.errors.contains("--agent"), describe(none));
}

void tst_Goal_Manifest::promptFiles()
{
    manifest("default_agent = 'one'\n[[agents]]\nid = 'one'\nprompt_file = 'prompts/one.md'\n");
    ChatServer missing = completing();
    const RunResult refused = goal(missing.flags());
    QVERIFY2(refused.exitCode == 2 && refused.errors.contains("prompts/one.md"), describe(refused));
    QCOMPARE(missing.bodies().size(), 0);
    QDir().mkpath(m_home->workspace("prompts"));
    writeFile(m_home->workspace("prompts/one.md"), "You are TOKEN-FILE.\n");
    ChatServer server = completing();
    const RunResult used = goal(server.flags());
    QVERIFY2(used.exitCode == 0, describe(used));
    QVERIFY2(server.messages(0).contains("TOKEN-FILE"), server.messages(0));
    QFile::remove(m_home->workspace("prompts/one.md"));
    QVERIFY(QFile::link(m_home->fixture().outside("canary"), m_home->workspace("prompts/one.md")));
    ChatServer leadsOut = completing();
    const RunResult link = goal(leadsOut.flags());
    QVERIFY2(link.exitCode == 2, describe(link));
    QCOMPARE(leadsOut.bodies().size(), 0);
}

/// A repository does not choose where its text is sent, before the operator has accepted it.
void tst_Goal_Manifest::modelAndProvider()
{
    ChatServer server = completing();
    const QByteArray url = server.flags().last().toUtf8();
    manifest("[runtime]\nprovider = 'openai'\nbase_url = '" + url + "'\nmodel = 'from-the-manifest'\n");
    const RunResult refused = goal({});
    QVERIFY2(refused.exitCode == 2 && refused.errors.contains("provider")
                 && refused.errors.contains("base_url"),
             describe(refused));
    QCOMPARE(server.bodies().size(), 0);
    const RunResult trusted = goal({"--trust-manifest"});
    QVERIFY2(trusted.exitCode == 0, describe(trusted));
    QCOMPARE(server.bodies().first()["model"].get<std::string>(), std::string("from-the-manifest"));

    ChatServer other = completing();
    const RunResult byFlags = goal(other.flags() + QStringList{"--trust-manifest"});
    QVERIFY2(byFlags.exitCode == 0, describe(byFlags));
    QCOMPARE(other.bodies().first()["model"].get<std::string>(), std::string("m"));
}

void tst_Goal_Manifest::permissions_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<bool>("isRun");
    const QByteArray asks = "[runtime]\ndefault_permission = 'ask-first'\n";
    const QByteArray restricted = "[runtime]\ndefault_permission = 'restricted'\n";
    QTest::newRow("nothing said") << QByteArray() << QStringList{} << 0 << true;
    QTest::newRow("nobody to ask") << asks << QStringList{} << 2 << false;
    QTest::newRow("the flag goes first") << asks << QStringList{"--permission", "yolo"} << 0 << true;
    QTest::newRow("not accepted") << restricted << QStringList{} << 2 << false;
    QTest::newRow("restricted") << restricted << QStringList{"--trust-manifest"} << 0 << false;
    QTest::newRow("the agent goes before the default") << QByteArray(
        "default_agent = 'a'\n[runtime]\ndefault_permission = 'restricted'\n[[agents]]\nid = 'a'\n"
        "permission = 'yolo'\n") << QStringList{"--trust-manifest"}
                                                       << 0 << true;
}

void tst_Goal_Manifest::permissions()
{
    QFETCH(QByteArray, text);
    QFETCH(QStringList, flags);
    QFETCH(int, exitCode);
    QFETCH(bool, isRun);
    manifest(text);
    ChatServer server({ChatServer::calls("a", "bash", {{"command", "touch made"}}),
                       ChatServer::calls("b", "goal-complete", {{"summary", "fine"}})});
    const RunResult result = goal(server.flags() + flags);
    QVERIFY2(result.exitCode == exitCode, describe(result));
    QCOMPARE(exists(m_home->workspace("made")), isRun);
}

/// What has to be approved each time is refused where nobody is there, in every permission.
void tst_Goal_Manifest::approval()
{
    manifest("[[tools]]\nid = 'file-write'\nrequires_approval = true\n");
    ChatServer server({ChatServer::calls("a", "file-write", {{"path", "PWN"}, {"content", "x"}}),
                       ChatServer::calls("b", "bash", {{"command", "touch made"}}),
                       ChatServer::calls("c", "goal-complete", {{"summary", "fine"}})});
    const RunResult result = goal(server.flags() + QStringList{"--permission", "yolo"});
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY(!exists(m_home->workspace("PWN")) && exists(m_home->workspace("made")));
    QVERIFY2(result.output.contains("calls that were refused:\n  file-write PWN"), describe(result));
}

void tst_Goal_Manifest::timeLimits()
{
    const QByteArray duration = uniqueDuration();
    manifest("[runtime]\ndefault_timeout_sec = 1\n[[tools]]\nid = 'shell-exec'\ntimeout_sec = 1\n");
    const std::string sleep = "sleep " + duration.toStdString();
    ChatServer server(
        {ChatServer::calls("a", "bash", {{"command", sleep}}),
         ChatServer::calls("b", "shell-exec", {{"command", sleep}, {"timeout_sec", 600}}),
         ChatServer::calls("c", "bash", {{"command", "sleep 1.5; touch made"}, {"timeout_sec", 600}}),
         ChatServer::calls("d", "goal-complete", {{"summary", "fine"}})});
    const RunResult result = goal(server.flags());
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY(processesWith(duration).isEmpty());
    QVERIFY(exists(m_home->workspace("made"))); // the call's own word goes before the default
}

void tst_Goal_Manifest::callsNotLogged()
{
    const auto types = [this](const QByteArray &text) {
        manifest(text);
        ChatServer server({ChatServer::calls("a", "bash", {{"command", "true"}}),
                           ChatServer::calls("b", "goal-complete", {{"summary", "fine"}})});
        goal(server.flags());
        const QDir sessions(m_home->folder() + "/.spettro/sessions");
        return contentOf(sessions.filePath(sessions.entryList(QDir::Dirs | QDir::NoDotAndDotDot).last())
                         + "/log.jsonl");
    };
    const QByteArray without = types("[runtime]\nlog_tool_calls = false\n");
    QVERIFY2(without.contains(R"("type":"message")") && !without.contains(R"("type":"call")"), without);
    QVERIFY(types("").contains(R"("type":"call")"));
}

/// A manifest of the original Spettro.
void tst_Goal_Manifest::warnings()
{
    manifest("version = 3\ndefault_agent = 'a'\n[runtime]\nmax_parallel_workers = 4\n[[agents]]\nid = 'a'\n"
             "description = 'x'\nhandoffs = ['b']\n");
    ChatServer server = completing();
    const RunResult result = goal(server.flags());
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY2(result.errors.contains("spettro: warning: spettro.agents.toml:4:"), describe(result));
}

QTEST_GUILESS_MAIN(tst_Goal_Manifest)

#include "tst_goal_manifest.moc"
