// What a session keeps: it is shown, gone on with after any end, deleted; what it changed is undone.

#include "tests/support/ChatServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"
#include "tests/support/TerminalSession.h"
#include "tests/support/TinyDisk.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QTest>

#include <sys/stat.h>

#include <csignal>
#include <random>

using namespace spettro::test;

namespace {

const QByteArray Complete =
    "[[turn]]\ncalls = [{ tool = 'goal-complete', input = { summary = 'all done' } }]\n";

QByteArray writes(const QByteArray &path, const QByteArray &content)
{
    return "[[turn]]\ncalls = [{ tool = 'file-write', input = { path = '" + path + "', content = '" + content
           + "' } }]\n";
}

QByteArray talks(const QByteArray &text)
{
    return "[[turn]]\nsay = '" + text + "'\n";
}

mode_t modeOf(const QString &path)
{
    struct stat status = {};
    ::lstat(QFile::encodeName(path).constData(), &status);
    return status.st_mode & 07777;
}

} // namespace

class tst_Sessions : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void isShown();
    void isPrivate();
    void damagedOnesAreListed();
    void isDeleted();
    void goesOnWithTheGoal();
    void goesOnWithTheConversation();
    void limitsCountOn();
    void hasNoOpenGoal();
    void belongsToItsFolder();
    void belongsToOneProcess();
    void otherProvidersAndVersions();
    void killedAtAnyMoment();
    void cutAtAnyByte();
    void diskIsFull();
    void keysAreNotKept();
    void undo();
    void undoKeepsWhatOthersDid();
    void undoGoesBackTurnByTurn();
    void undoWithoutCheckpoints();
    void projectInstructions();
    void instructionsThatLeadOut();
    void repositoryState();
    void steeringByLines();
    void steeringOnATerminal();

private:
    RunResult spettro(const QStringList &arguments, const QString &folder = {}) const;
    /// A goal run with a script.
    RunResult play(const QByteArray &script, const QStringList &flags = {}) const;
    /// A goal run with a server, which needs the event loop.
    RunResult ask(const ChatServer &server, const QStringList &flags) const;
    void start(QProcess &process, const QStringList &arguments) const;
    QString scriptFile(const QByteArray &script) const;
    QString sessionsFolder() const { return m_home->folder() + "/.spettro/sessions"; }
    QStringList ids() const { return QDir(sessionsFolder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot); }
    QString logPath(const QString &id) const { return sessionsFolder() + '/' + id + "/log.jsonl"; }
    QList<Json> records(const QString &id) const;

    std::unique_ptr<OperatorHome> m_home;
};

void tst_Sessions::init()
{
    m_home = std::make_unique<OperatorHome>();
}

RunResult tst_Sessions::spettro(const QStringList &arguments, const QString &folder) const
{
    RunOptions options;
    options.environment = m_home->environment();
    options.folder = folder.isEmpty() ? m_home->workspace() : folder;
    options.timeLimit = 120'000;
    return run(QStringList{spettroPath()} + arguments, options);
}

RunResult tst_Sessions::play(const QByteArray &script, const QStringList &flags) const
{
    return spettro(QStringList{"--goal", "the goal", "--provider", "scripted", "--model", scriptFile(script)}
                   + WorkspaceOnly + flags);
}

RunResult tst_Sessions::ask(const ChatServer &server, const QStringList &flags) const
{
    QProcess process;
    start(process, server.flags() + WorkspaceOnly + flags);
    RunResult result;
    result.timedOut = !QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000);
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

void tst_Sessions::start(QProcess &process, const QStringList &arguments) const
{
    QProcessEnvironment environment = m_home->environment();
    environment.insert("OPENAI_API_KEY", "sk-TESTKEY123");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_home->workspace());
    process.start(spettroPath(), arguments);
    QVERIFY(process.waitForStarted());
}

QString tst_Sessions::scriptFile(const QByteArray &script) const
{
    const QString path = m_home->fixture().folder() + "/script.toml";
    writeFile(path, script);
    return path;
}

QList<Json> tst_Sessions::records(const QString &id) const
{
    QList<Json> records;
    for (const QByteArray &line : contentOf(logPath(id)).trimmed().split('\n')) {
        records.append(Json::parse(line.toStdString(), nullptr, false));
    }
    return records;
}

void tst_Sessions::isShown()
{
    const RunResult nothing = spettro({"sessions"});
    QVERIFY2(nothing.exitCode == 0 && nothing.output.isEmpty(), describe(nothing));

    const RunResult ran =
        play("[[turn]]\nsay = \"Look: ```\\u001b[2J\"\ncalls = [{ tool = 'bash', input = { "
             "command = \"printf '````\\\\n# No heading'\" } }, { tool = 'file-read', input = { "
             "path = '../outside/canary' } }]\n"
             + Complete);
    QVERIFY2(ran.exitCode == 0, describe(ran));
    QCOMPARE(ids().size(), 1);
    const QString id = ids().first();
    QVERIFY2(ran.output.contains("spettro sessions show " + id.toUtf8()), describe(ran));

    const RunResult list = spettro({"sessions"});
    QVERIFY2(list.output.contains(id.toUtf8()) && list.output.contains(" the goal\n"), describe(list));
    const RunResult json = spettro({"sessions", "--json"});
    const Json all = Json::parse(json.output.toStdString(), nullptr, false);
    QVERIFY2(all.is_array() && all.size() == 1 && all[0]["goal"] == "the goal", describe(json));

    const RunResult shown = spettro({"sessions", "show", id});
    QVERIFY2(shown.exitCode == 0, describe(shown));
    QVERIFY2(shown.output.startsWith("# Session in " + m_home->workspace().toUtf8()), describe(shown));
    QVERIFY2(shown.output.contains("> the goal\n"), describe(shown));
    QVERIFY2(shown.output.contains("**bash**\n"), describe(shown));
    QVERIFY2(shown.output.contains("\n`````\nok: true\noutput: \n````\n# No heading\n"), describe(shown));
    QVERIFY2(shown.output.contains("Failed:\n"), describe(shown));
    QVERIFY2(shown.output.contains("## complete\n\n> all done\n"), describe(shown));
    QVERIFY2(!shown.output.contains('\x1b'), describe(shown));

    QStringList types;
    for (const Json &record : records(id)) {
        types.append(QString::fromStdString(record["type"]));
    }
    QCOMPARE(types, (QStringList{"session", "run", "goal", "iteration", "message", "usage", "message", "call",
                                 "result", "call", "result", "message", "usage", "message", "call", "result",
                                 "message", "turn", "end"}));
    const RunResult none = spettro({"sessions", "show", "20200101-000000-000000-aaaaaa"});
    QVERIFY2(none.exitCode == 1 && !none.errors.isEmpty(), describe(none));
    const RunResult path = spettro({"sessions", "show", "../../x"});
    QVERIFY2(path.exitCode == 1 && path.errors.contains("there is no session called"), describe(path));
}

/// Whatever the umask.
void tst_Sessions::isPrivate()
{
    RunOptions options;
    options.environment = m_home->environment();
    options.folder = m_home->workspace();
    options.timeLimit = 60'000;
    const RunResult ran =
        run(shell("umask 0; exec \"$@\"", QStringList{spettroPath(), "--goal", "x", "--provider", "scripted",
                                                      "--model", scriptFile(writes("a", "b") + Complete)}
                                              + WorkspaceOnly),
            options);
    QVERIFY2(ran.exitCode == 0, describe(ran));
    QCOMPARE(modeOf(m_home->folder() + "/.spettro"), mode_t{0700});
    QCOMPARE(modeOf(sessionsFolder()), mode_t{0700});
    QDirIterator all(sessionsFolder(), QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                     QDirIterator::Subdirectories);
    int files = 0;
    while (all.hasNext()) {
        const QString path = all.next();
        files += all.fileInfo().isFile();
        QVERIFY2(modeOf(path) == (all.fileInfo().isDir() ? 0700 : 0600), qPrintable(path));
    }
    QVERIFY(files >= 3); // the log, records and contents of checkpoints
}

void tst_Sessions::damagedOnesAreListed()
{
    play(Complete);
    const QString good = ids().first();
    QDir().mkpath(sessionsFolder() + "/20200101-000000-000000-aaaaaa");
    ::chmod(QFile::encodeName(sessionsFolder() + "/20200101-000000-000000-aaaaaa").constData(), 0700);
    const RunResult list = spettro({"sessions"});
    QVERIFY2(list.exitCode == 0 && list.output.contains("20200101-000000-000000-aaaaaa")
                 && list.output.contains("cannot be read") && list.output.contains(good.toUtf8()),
             describe(list));
    QFile log(logPath(good));
    QVERIFY(log.open(QIODevice::Append));
    log.write("broken\n{\"type\":\"future\"}\n");
    log.close();
    const RunResult shown = spettro({"sessions", "show", good});
    QVERIFY2(shown.exitCode == 0 && shown.errors.contains("1 lines"), describe(shown));
}

void tst_Sessions::isDeleted()
{
    play(Complete);
    play(Complete);
    const QStringList both = ids();
    QCOMPARE(both.size(), 2);
    const RunResult gone = spettro({"sessions", "delete", both.first()});
    QVERIFY2(gone.exitCode == 0, describe(gone));
    QCOMPARE(ids(), QStringList{both.last()});
    const RunResult again = spettro({"sessions", "delete", both.first()});
    QVERIFY2(again.exitCode == 1, describe(again));
}

/// A run that came to a limit goes on where it was: nobody has to say the goal again.
void tst_Sessions::goesOnWithTheGoal()
{
    const RunResult first = play(writes("a", "1") + talks("more is to be done"), {"--max-iterations", "1"});
    QVERIFY2(first.exitCode == 1, describe(first));
    const RunResult second =
        spettro(QStringList{"--resume", "--provider", "scripted", "--model", scriptFile(Complete), "--json"}
                + WorkspaceOnly);
    QVERIFY2(second.exitCode == 0, describe(second));
    const Json start = Json::parse(second.output.split('\n').first().toStdString());
    QVERIFY2(start["goal"] == "the goal" && start["session"] == ids().first().toStdString(),
             describe(second));
    QCOMPARE(ids().size(), 1);
    const Json end = Json::parse(second.output.trimmed().split('\n').last().toStdString());
    QCOMPARE(end["iterations"].get<int>(), 2);
}

/// Case A46: calls that nobody answered get an answer, and what is run already is not run again.
void tst_Sessions::goesOnWithTheConversation()
{
    const QByteArray duration = uniqueDuration();
    ChatServer server({
        ChatServer::calls("a1", "bash", {{"command", "echo x >>count; echo FIRST"}}),
        ChatServer::calls("a2", "bash", {{"command", "echo x >>count; sleep " + duration.toStdString()}}),
        ChatServer::calls("a3", "goal-complete", {{"summary", "fine"}}),
    });
    QProcess process;
    start(process, server.flags() + WorkspaceOnly + QStringList{"--goal", "look around"});
    QVERIFY(QTest::qWaitFor(
        [&] { return !processesWith("sleep" + QByteArray(1, '\0') + duration).isEmpty(); }, 30'000));
    process.kill();
    QVERIFY(process.waitForFinished());
    QTRY_VERIFY_WITH_TIMEOUT(processesWith(duration).isEmpty(), 5'000);

    const RunResult resumed = ask(server, {"--resume", ids().first()});
    QVERIFY2(resumed.exitCode == 0, describe(resumed));
    QCOMPARE(server.bodies().size(), 3);
    const Json messages = server.bodies().last()["messages"];
    QStringList story;
    for (const Json &message : messages) {
        const std::string role = message["role"];
        story.append(QString::fromStdString(
            message.contains("tool_calls") ? "call " + message["tool_calls"][0]["id"].get<std::string>()
            : role == "tool"               ? "result " + message["tool_call_id"].get<std::string>()
                                           : role));
    }
    QCOMPARE(story.mid(1), (QStringList{"user", "call a1", "result a1", "call a2", "result a2"}));
    const QByteArray text = server.messages(2);
    QVERIFY2(text.contains("FIRST") && text.contains("may have had effects"), text);
    QVERIFY2(text.contains("was interrupted and goes on now") && text.contains("look around"), text);
    QCOMPARE(contentOf(m_home->workspace("count")), QByteArray("x\nx\n"));
}

/// Case A61: what was used before counts; a higher limit is the operator's to give.
void tst_Sessions::limitsCountOn()
{
    ChatServer server({ChatServer::calls("a1", "file-write", {{"path", "a"}, {"content", "1"}}),
                       ChatServer::calls("a2", "goal-complete", {{"summary", "fine"}})});
    const QStringList cap{"--goal", "look around", "--max-tokens", "100"};
    const RunResult first = ask(server, cap);
    QVERIFY2(first.exitCode == 1 && first.output.contains("the limit of 100 tokens"), describe(first));
    QCOMPARE(server.bodies().size(), 1);
    const RunResult again = ask(server, cap + QStringList{"--resume"});
    QVERIFY2(again.exitCode == 1 && again.output.contains("the limit of 100 tokens"), describe(again));
    QCOMPARE(server.bodies().size(), 1); // nothing more was asked
    const RunResult higher = ask(server, {"--resume", "--max-tokens", "1000"});
    QVERIFY2(higher.exitCode == 0, describe(higher));
    QVERIFY2(higher.output.contains("200 tokens in"), describe(higher));
}

void tst_Sessions::hasNoOpenGoal()
{
    const RunResult none = spettro(QStringList{"--resume", "--provider", "scripted"} + WorkspaceOnly);
    QVERIFY2(none.exitCode == 1 && none.errors.contains("there is no session of"), describe(none));
    play(Complete);
    const RunResult complete = spettro(QStringList{"--resume", "--provider", "scripted"} + WorkspaceOnly);
    QVERIFY2(complete.exitCode == 1 && complete.errors.contains("--goal"), describe(complete));
    const RunResult another = play(writes("b", "2") + Complete, {"--resume", "--goal"});
    QVERIFY2(another.exitCode == 2, describe(another)); // --goal twice, once without a text
    const RunResult next = play(writes("b", "2") + Complete, {"--resume"});
    QVERIFY2(next.exitCode == 0, describe(next));
    QCOMPARE(ids().size(), 1);
}

/// Case A51.
void tst_Sessions::belongsToItsFolder()
{
    play(writes("a", "1") + talks("more"), {"--max-iterations", "1"});
    const QString id = ids().first();
    const QString other = m_home->folder() + "/other";
    QDir().mkpath(other);
    const QStringList resume = QStringList{"--resume", id,        "--provider",
                                           "scripted", "--model", scriptFile(writes("b", "2") + Complete)}
                               + WorkspaceOnly;
    const RunResult refused = spettro(resume, other);
    QVERIFY2(refused.exitCode == 1 && refused.errors.contains("--resume-here")
                 && refused.errors.contains(m_home->workspace().toUtf8()),
             describe(refused));
    QVERIFY(QDir(other).isEmpty());
    const RunResult newer = spettro(QStringList{"--goal", "x", "--provider", "scripted", "--model",
                                                scriptFile(writes("c", "3") + Complete)}
                                        + WorkspaceOnly,
                                    other);
    QVERIFY2(newer.exitCode == 0, describe(newer));
    const RunResult undone = spettro({"sessions", "undo"}); // of the last session of this folder, not of all
    QVERIFY2(undone.exitCode == 0 && !exists(m_home->workspace("a")) && exists(other + "/c"),
             describe(undone));
    scriptFile(writes("b", "2") + Complete);

    QVERIFY(QFile::link(m_home->workspace(), m_home->folder() + "/link"));
    const RunResult byLink = spettro(resume, m_home->folder() + "/link");
    QVERIFY2(byLink.exitCode == 0, describe(byLink));
    QCOMPARE(contentOf(m_home->workspace("b")), QByteArray("2"));

    const QString moved = m_home->folder() + "/moved";
    QVERIFY(QDir().rename(m_home->workspace(), moved));
    const RunResult here = spettro(QStringList{"--resume-here", "--goal", "another"} + resume, moved);
    QVERIFY2(here.exitCode == 0, describe(here));
    QDir().mkpath(m_home->workspace()); // for the fixture
}

/// Case A50.
void tst_Sessions::belongsToOneProcess()
{
    const QByteArray duration = uniqueDuration();
    QProcess holder;
    start(holder, QStringList{"--goal", "x", "--provider", "scripted", "--model",
                              scriptFile("[[turn]]\ncalls = [{ tool = 'bash', input = { command = 'sleep "
                                         + duration + "' } }]\n")}
                      + WorkspaceOnly);
    QTRY_VERIFY_WITH_TIMEOUT(!processesWith("sleep" + QByteArray(1, '\0') + duration).isEmpty(), 30'000);
    const QStringList resume =
        QStringList{"--resume", ids().first(), "--provider", "scripted", "--model", scriptFile(Complete)}
        + WorkspaceOnly;
    const RunResult second = spettro(resume);
    QVERIFY2(second.exitCode == 1, describe(second));
    const RunResult gone = spettro({"sessions", "delete", ids().first()});
    QVERIFY2(gone.exitCode == 1, describe(gone));
    const RunResult undone = spettro({"sessions", "undo"});
    QVERIFY2(undone.exitCode == 1, describe(undone));
    const RunResult shown = spettro({"sessions", "show", ids().first()});
    QVERIFY2(shown.exitCode == 0, describe(shown));
    const RunResult beside = play(Complete); // one of its own, in the same folder
    QVERIFY2(beside.exitCode == 0, describe(beside));
    holder.kill();
    QVERIFY(holder.waitForFinished());
    const RunResult third = spettro(resume);
    QVERIFY2(third.exitCode == 0, describe(third));
}

/// Case A52: thoughts and ids of one provider, records of a later version and such that lack something.
void tst_Sessions::otherProvidersAndVersions()
{
    play(talks("hello"), {"--max-iterations", "1"});
    const QString id = ids().first();
    QFile log(logPath(id));
    QVERIFY(log.open(QIODevice::Append));
    const QByteArray longId(64, 'i');
    log.write(
        R"({"type":"future","time":"x","data":[1,2]})"
        "\n"
        R"({"type":"message"})"
        "\n"
        R"({"type":"message","role":"user","parts":[{"kind":"text","text":"and now?"},{"kind":"image"}]})"
        "\n"
        R"({"type":"message","role":"assistant","parts":[{"kind":"reasoning","text":"th","opaque":"S1","as":"thinking","protocol":"messages"},{"kind":"call","id":")"
        + longId
        + R"(","tool":"bash","arguments":"{\"command\":\"true\"}"}]})"
          "\n"
          R"({"type":"message","role":"user","parts":[{"kind":"result","id":")"
        + longId + R"(","text":"\ud83d done","is_error":false}]})" + "\n");
    log.close();
    ChatServer server({ChatServer::calls("c1", "goal-complete", {{"summary", "fine"}})});
    const RunResult resumed = ask(server, {"--resume", id});
    QVERIFY2(resumed.exitCode == 0, describe(resumed));
    const QByteArray text = server.messages(0);
    QVERIFY2(text.contains("and now?") && !text.contains("S1"), text);
}

/// Kills a run at fifty moments. What had been reported as done is in the log, which can be gone on with; no process is left.
void tst_Sessions::killedAtAnyMoment()
{
    constexpr const char *Iteration = R"("event":"iteration")";
    std::mt19937 random(20261201);
    QByteArray script;
    for (int number = 1; number <= 8; ++number) {
        const QByteArray text = QByteArray::number(number);
        script += "[[turn]]\ncalls = [{ tool = 'file-write', input = { path = 'f" + text + "', content = '"
                  + text + "' } }, { tool = 'bash', input = { command = 'sleep 0.0" + text + "' } }]\n"
                  + talks("turn " + text);
    }
    const QString scriptPath = scriptFile(script + Complete);
    int cutShort = 0;
    for (int round = 0; round < 50; ++round) {
        for (int number = 1; number <= 8; ++number) { // or nothing changes, and the run is stalled
            QFile::remove(m_home->workspace('f' + QString::number(number)));
        }
        QProcess process;
        start(process, QStringList{"--goal", "x", "--provider", "scripted", "--model", scriptPath, "--json"}
                           + WorkspaceOnly);
        const pid_t agent = static_cast<pid_t>(process.processId());
        QByteArray seen;
        const auto iterations = random() % 9; // none: while it starts
        while (static_cast<std::size_t>(seen.count(Iteration)) < iterations
               && process.waitForReadyRead(10'000)) {
            seen += process.readAllStandardOutput();
        }
        QTest::qSleep(static_cast<int>(random() % 60));
        process.kill();
        QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished());
        QTRY_COMPARE_WITH_TIMEOUT(childOf(agent), 0, 5'000);
        seen += process.readAllStandardOutput();
        const qsizetype begun = seen.count(Iteration);
        cutShort += begun > 0 && !seen.contains(R"("event":"end")");
        if (ids().isEmpty()) {
            continue; // before anything began
        }
        const QString id = ids().last();
        if (begun > 0) {
            // The iterations before the last one that began are over: each is in the log, with its end.
            qsizetype turns = 0;
            for (const Json &record : records(id)) {
                turns += record.is_object() && record.value("type", "") == "turn";
            }
            QVERIFY2(turns >= begun - 1, seen);
        }
        const RunResult resumed = spettro(QStringList{"--resume", id, "--goal", "x", "--provider", "scripted",
                                                      "--model", scriptFile(Complete)}
                                          + WorkspaceOnly);
        scriptFile(script + Complete);
        QVERIFY2(resumed.exitCode == 0, describe(resumed));
        QDir(sessionsFolder() + '/' + id).removeRecursively();
    }
    QVERIFY2(cutShort >= 20, QByteArray::number(cutShort)); // or the moments say nothing
}

/// Case A47 with the product: a log that ends anywhere within its last records.
void tst_Sessions::cutAtAnyByte()
{
    play(writes("a", "1") + talks("more"), {"--max-iterations", "1"});
    const QString id = ids().first();
    const QByteArray whole = contentOf(logPath(id));
    const qsizetype last = whole.lastIndexOf('\n', whole.size() - 2);
    for (qsizetype size = last - 20; size <= whole.size(); size += 13) {
        writeFile(logPath(id), whole.left(size));
        const RunResult resumed = spettro(QStringList{"--resume", id, "--goal", "x", "--provider", "scripted",
                                                      "--model", scriptFile(Complete)}
                                          + WorkspaceOnly);
        QVERIFY2(resumed.exitCode == 0, describe(resumed));
        const QByteArray kept = whole.left(whole.left(size).lastIndexOf('\n') + 1);
        QVERIFY(contentOf(logPath(id)).startsWith(kept));
        for (const Json &record : records(id)) {
            QVERIFY(record.is_object());
        }
    }
}

/// Case A49: nothing more is asked once nothing can be written down; what was there stays.
void tst_Sessions::diskIsFull()
{
    if (!isRoot()) {
        QSKIP("only root can make a file system to fill up; the test of root does");
    }
    const TinyDisk disk(qint64{4} * 1024 * 1024);
    QVERIFY2(disk.isValid(), disk.reason());
    QVERIFY(QFile::link(disk.path(), m_home->folder() + "/.spettro"));
    ChatServer first({ChatServer::calls("a1", "file-write", {{"path", "a"}, {"content", "1"}}),
                      ChatServer::calls("a2", "bash", {{"command", "true"}}), ChatServer::says("more")});
    QVERIFY2(ask(first, {"--goal", "g", "--max-iterations", "1"}).exitCode == 1, "the first run");
    const QString id = ids().first();
    const QByteArray before = contentOf(logPath(id));
    disk.fill();
    ChatServer server({ChatServer::calls("b1", "file-write",
                                         {{"path", "a"}, {"content", QString(9000, 'x').toStdString()}}),
                       ChatServer::says("more"), ChatServer::says("more")});
    const RunResult full = ask(server, {"--resume", id});
    QVERIFY2(full.exitCode == 1, describe(full));
    QVERIFY2((full.output + full.errors).contains("No space left"), describe(full));
    QVERIFY2(server.bodies().size() <= 1, QByteArray::number(server.bodies().size()));
    QVERIFY(contentOf(logPath(id)).startsWith(before));
    QCOMPARE(contentOf(m_home->workspace("a")), QByteArray("1"));
    disk.free();
    ChatServer third({ChatServer::calls("c1", "goal-complete", {{"summary", "fine"}})});
    const RunResult again = ask(third, {"--resume", id});
    QVERIFY2(again.exitCode == 0, describe(again));
}

/// Case A42 for what is kept.
void tst_Sessions::keysAreNotKept()
{
    ChatServer server(
        {ChatServer::calls("a1", "bash", {{"command", "env; cat /proc/*/environ 2>/dev/null; true"}}),
         ChatServer::calls("a2", "goal-complete", {{"summary", "fine"}})});
    const RunResult ran = ask(server, {"--goal", "x"});
    QVERIFY2(ran.exitCode == 0, describe(ran));
    QDirIterator all(m_home->folder() + "/.spettro", QDir::Files | QDir::Hidden,
                     QDirIterator::Subdirectories);
    int files = 0;
    while (all.hasNext()) {
        const QString path = all.next();
        ++files;
        QVERIFY2(!contentOf(path).contains("TESTKEY123"), qPrintable(path));
    }
    QVERIFY(files > 0);
}

/// Case A80.
void tst_Sessions::undo()
{
    writeFile(m_home->workspace("a.c"), "old\n");
    writeFile(m_home->workspace("u.txt"), "the user's\n");
    const QByteArray before = Fixture::snapshot(m_home->workspace("u.txt"));
    const RunResult ran = play(writes("a.c", "new") + writes("sub/n.c", "made") + Complete);
    QVERIFY2(ran.exitCode == 0, describe(ran));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("new"));
    writeFile(m_home->workspace("later.txt"), "made afterwards\n");

    const RunResult shown = spettro({"sessions", "undo", "--dry-run"});
    QVERIFY2(shown.exitCode == 0 && shown.output.contains("would be"), describe(shown));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("new"));

    const RunResult undone = spettro({"sessions", "undo"});
    QVERIFY2(undone.exitCode == 0, describe(undone));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("old\n"));
    QVERIFY(!exists(m_home->workspace("sub")));
    QCOMPARE(contentOf(m_home->workspace("later.txt")), QByteArray("made afterwards\n"));
    QCOMPARE(Fixture::snapshot(m_home->workspace("u.txt")), before);

    const RunResult forward = spettro({"sessions", "undo"});
    QVERIFY2(forward.exitCode == 0, describe(forward));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("new"));
    QCOMPARE(contentOf(m_home->workspace("sub/n.c")), QByteArray("made"));
}

void tst_Sessions::undoKeepsWhatOthersDid()
{
    writeFile(m_home->workspace("a.c"), "old\n");
    play(writes("a.c", "new") + Complete);
    writeFile(m_home->workspace("a.c"), "the user's own\n");
    const RunResult kept = spettro({"sessions", "undo"});
    QVERIFY2(kept.exitCode == 1 && kept.output.contains("KEPT"), describe(kept));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("the user's own\n"));
    const RunResult forced = spettro({"sessions", "undo", "--force", "--turn", "1"});
    QVERIFY2(forced.exitCode == 0 || forced.output.contains("restored"), describe(forced));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("old\n"));
    spettro({"sessions", "undo"});
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("the user's own\n"));
}

/// Case A82: the state before that turn, not an older one, whatever the user has done in between.
void tst_Sessions::undoGoesBackTurnByTurn()
{
    writeFile(m_home->workspace("a.c"), "0\n");
    play(writes("a.c", "1") + talks("more") + writes("a.c", "2") + Complete);
    const RunResult one = spettro({"sessions", "undo"});
    QVERIFY2(one.exitCode == 0, describe(one));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("1"));
    spettro({"sessions", "undo"}); // forward
    const RunResult all = spettro({"sessions", "undo", "--turn", "1"});
    QVERIFY2(all.exitCode == 0, describe(all));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("0\n"));
    const RunResult none = spettro({"sessions", "undo", "--turn", "77"});
    QVERIFY2(none.exitCode == 1, describe(none));

    writeFile(m_home->workspace("a.c"), "months of work\n");
    play(writes("b.c", "1") + Complete); // another session
    const RunResult last = spettro({"sessions", "undo"});
    QVERIFY2(last.exitCode == 0, describe(last));
    QVERIFY(!exists(m_home->workspace("b.c")));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("months of work\n"));
}

void tst_Sessions::undoWithoutCheckpoints()
{
    play(writes("a.c", "1") + Complete);
    QVERIFY(QDir(sessionsFolder() + '/' + ids().first() + "/checkpoints").removeRecursively());
    const RunResult result = spettro({"sessions", "undo"});
    QVERIFY2(result.exitCode == 1 && result.errors.contains("nothing to undo"), describe(result));
    QCOMPARE(contentOf(m_home->workspace("a.c")), QByteArray("1"));
}

void tst_Sessions::projectInstructions()
{
    writeFile(m_home->workspace("AGENTS.md"), "Indent with TOKEN-7Q.\x1b[2J\n");
    writeFile(m_home->workspace("SPETTRO.md"), "Also TOKEN-8R.\n");
    ChatServer server({ChatServer::calls("a1", "goal-complete", {{"summary", "fine"}})});
    const RunResult ran = ask(server, {"--goal", "x"});
    QVERIFY2(ran.exitCode == 0 && ran.errors.isEmpty(), describe(ran));
    const QByteArray system = QByteArray::fromStdString(server.bodies().first()["messages"][0].dump());
    QVERIFY2(system.contains("TOKEN-7Q") && system.contains("AGENTS.md") && system.contains("TOKEN-8R"),
             system);
    QVERIFY2(!system.contains("\\u001b"), system);
}

/// A link in a repository would hand any file of the operator to the model's server.
void tst_Sessions::instructionsThatLeadOut()
{
    for (const QStringList &flags :
         {QStringList{}, QStringList{"--sandbox", "off", "--permission", "yolo"}}) {
        QFile::remove(m_home->workspace("AGENTS.md"));
        QVERIFY(QFile::link(m_home->fixture().outside("canary"), m_home->workspace("AGENTS.md")));
        ChatServer server({ChatServer::calls("a1", "goal-complete", {{"summary", "fine"}})});
        QProcess process;
        start(process,
              server.flags() + (flags.isEmpty() ? WorkspaceOnly : flags) + QStringList{"--goal", "x"});
        QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
        QCOMPARE(process.exitCode(), 0);
        QVERIFY2(process.readAllStandardError().contains("AGENTS.md is not used"), "the warning");
        const QByteArray system = QByteArray::fromStdString(server.bodies().first().dump());
        QVERIFY2(!system.contains(contentOf(m_home->fixture().outside("canary")).trimmed()), system);
    }
}

/// Told where commands are bounded; without bounds git is not asked: a repository may name programs that it would start.
void tst_Sessions::repositoryState()
{
    QVERIFY2(missingPackages({"git"}).isEmpty(), "install: git");
    RunOptions here;
    here.folder = m_home->workspace();
    here.environment = m_home->environment();
    writeFile(m_home->workspace("evil"), "#!/bin/sh\ntouch PWN ../outside/PWN\ncat\n");
    const RunResult made =
        run(shell("git init -q && echo x >file && git add file && git commit -qm 'a first commit'"
                  " && chmod +x evil && echo 'file filter=evil' >.gitattributes"
                  " && git config filter.evil.clean ./evil && git config core.fsmonitor ./evil"
                  " && touch file"),
            here);
    QVERIFY2(made.exitCode == 0, describe(made));
    QFile::remove(m_home->workspace("PWN"));
    ChatServer bounded({ChatServer::calls("a1", "goal-complete", {{"summary", "fine"}})});
    const RunResult ran = ask(bounded, {"--goal", "x"});
    QVERIFY2(ran.exitCode == 0, describe(ran));
    const QByteArray system = QByteArray::fromStdString(bounded.bodies().first()["messages"][0].dump());
    QVERIFY2(system.contains("## main") && system.contains("a first commit"), system);
    QVERIFY(!exists(m_home->fixture().outside("PWN")));

    QFile::remove(m_home->workspace("PWN"));
    ChatServer unbounded({ChatServer::calls("a1", "goal-complete", {{"summary", "fine"}})});
    QProcess process;
    start(process,
          unbounded.flags() + QStringList{"--sandbox", "off", "--permission", "yolo", "--goal", "x"});
    QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(!exists(m_home->workspace("PWN")) && !exists(m_home->fixture().outside("PWN")));
}

void tst_Sessions::steeringByLines()
{
    ChatServer server({ChatServer::calls("a1", "bash", {{"command", "touch begun; sleep 1.5"}}),
                       ChatServer::calls("a2", "goal-complete", {{"summary", "fine"}})});
    QProcess process;
    start(process, server.flags() + WorkspaceOnly + QStringList{"--goal", "x", "--steer"});
    QVERIFY(QTest::qWaitFor([&] { return exists(m_home->workspace("begun")); }, 30'000));
    process.write("look at TOKEN-7Q, too\n");
    QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
    QCOMPARE(process.exitCode(), 0);
    QVERIFY2(server.messages(1).contains("look at TOKEN-7Q, too"), server.messages(1));
}

void tst_Sessions::steeringOnATerminal()
{
    ChatServer server({ChatServer::calls("a1", "bash", {{"command", "touch begun; sleep 1.5"}}),
                       ChatServer::calls("a2", "goal-complete", {{"summary", "fine"}})});
    RunOptions options;
    options.environment = m_home->environment();
    options.environment.insert("OPENAI_API_KEY", "sk-TESTKEY123");
    options.folder = m_home->workspace();
    TerminalSession terminal(
        QStringList{spettroPath()} + server.flags() + WorkspaceOnly + QStringList{"--goal", "x"}, options);
    QVERIFY(QTest::qWaitFor([&] { return exists(m_home->workspace("begun")); }, 30'000));
    terminal.type("look at TOKEN-7Q, too\n");
    QVERIFY(QTest::qWaitFor([&] { return server.bodies().size() == 2; }, 30'000));
    QCOMPARE(terminal.waitForEnd(), 0);
    QVERIFY2(server.messages(1).contains("look at TOKEN-7Q, too"), server.messages(1));
}

QTEST_GUILESS_MAIN(tst_Sessions)

#include "tst_sessions.moc"
