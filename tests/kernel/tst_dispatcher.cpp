// The one way from a call to the machine: what is asked, what is refused, what runs at the same time, what ends.

#include "tests/support/DispatcherSession.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

using namespace spettro;
using namespace spettro::sandbox;
using namespace spettro::test;

namespace {

Json write(const char *path, const char *content)
{
    return {{"path", path}, {"content", content}};
}

} // namespace

class tst_Dispatcher : public QObject
{
    Q_OBJECT

private slots:
    void asksByMode_data();
    void asksByMode();
    void refusesWithoutAnswer_data();
    void refusesWithoutAnswer();
    void tellsRefusalsFromFailures();
    void tellsOfAnswers();
    void remembersAlways();
    void denyHoldsInYolo();
    void judgesEveryPartOfACommand();
    void approvedPlaceIsTheOneWritten();
    void changesOfOneFileAreOrdered();
    void callsRunAtTheSameTime();
    void cancelEndsACommand();
    void cancelEndsAQuestion();
    void outputComesAsItIsWritten();
    void jobsEndWithTheSession();
    void readsInputStrictly();
};

void tst_Dispatcher::asksByMode_data()
{
    QTest::addColumn<PermissionMode>("mode");
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("input");
    QTest::addColumn<int>("questions");
    const auto row = [](PermissionMode mode, const char *tool, const char *input, int questions) {
        QTest::addRow("%s %s %s", toText(mode).constData(), tool, input)
            << mode << tool << input << questions;
    };
    const char *writing = R"({"path":"a","content":"x"})";
    const char *reading = R"({"path":"file"})";
    row(PermissionMode::AskFirst, "file-write", writing, 1);
    row(PermissionMode::AskFirst, "file-read", reading, 0);
    row(PermissionMode::AskFirst, "bash", R"({"command":"ls"})", 1);
    row(PermissionMode::AskFirst, "ls", "{}", 0);
    row(PermissionMode::Restricted, "file-write", writing, 0);
    row(PermissionMode::Restricted, "file-read", reading, 0);
    row(PermissionMode::Restricted, "bash", R"({"command":"ls | head -1"})", 0);
    row(PermissionMode::Restricted, "bash", R"({"command":"touch b"})", 1);
    row(PermissionMode::Restricted, "shell-exec", R"({"command":"ls; touch b"})", 1);
    row(PermissionMode::Restricted, "file-write", R"({"path":"/tmp/../tmp/spettro-test-x/y","content":"x"})",
        1);
    row(PermissionMode::Yolo, "file-write", writing, 0);
    row(PermissionMode::Yolo, "bash", R"({"command":"rm -rf none"})", 0);
}

void tst_Dispatcher::asksByMode()
{
    QFETCH(PermissionMode, mode);
    QFETCH(QString, tool);
    QFETCH(QString, input);
    QFETCH(int, questions);
    const Fixture fixture;
    writeFile(fixture.workspace("file"), "content");
    DispatcherSession session(fixture, mode);
    session.approver.answer = [] { return ApprovalAnswer{ApprovalAnswer::Deny, {}}; };
    const ToolResult result = session.call(tool.toLatin1().constData(), Json::parse(input.toStdString()));
    QCOMPARE(session.approver.questions.size(), questions);
    QVERIFY2(result.ok == (questions == 0), result.error.constData());
    QVERIFY(!exists(fixture.workspace("b")));
}

void tst_Dispatcher::refusesWithoutAnswer_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("error");
    QTest::newRow("deny") << int(ApprovalAnswer::Deny) << QByteArray("the user did not allow this");
    QTest::newRow("instruction") << int(ApprovalAnswer::DenyWithInstruction)
                                 << QByteArray("the user did not allow this, and says: use b instead");
}

void tst_Dispatcher::refusesWithoutAnswer()
{
    QFETCH(int, kind);
    QFETCH(QByteArray, error);
    const Fixture fixture;
    DispatcherSession session(fixture, PermissionMode::AskFirst);
    session.approver.answer = [kind] {
        return ApprovalAnswer{static_cast<ApprovalAnswer::Kind>(kind), "use b instead"};
    };
    QCOMPARE(session.call("file-write", write("a", "x")).error, error);
    QVERIFY(!exists(fixture.workspace("a")));
}

/// For the operator's summary: what was not let begin, and what began and failed.
void tst_Dispatcher::tellsRefusalsFromFailures()
{
    const Fixture fixture;
    DispatcherSession session(fixture, PermissionMode::Yolo, {{"bash", "touch *", RuleAction::Deny}});
    const auto check = [&](const char *tool, const Json &input, bool ok, bool wasRefused) {
        const ToolResult result = session.call(tool, input);
        QVERIFY2(result.ok == ok && result.wasRefused == wasRefused, QByteArray::fromStdString(input.dump()));
    };
    check("bash", {{"command", "touch a"}}, false, true);
    check("file-read", {{"path", "../outside/canary"}}, false, true);
    check("file-write", write("../outside/new", "x"), false, true);
    check("file-read", {{"path", "none"}}, false, false);
    check("bash", {{"command", "cat ../outside/canary"}}, false, false);
    check("bash", {{"command", "true"}}, true, false);
    check("no-such-tool", Json::object(), false, false);
}

void tst_Dispatcher::tellsOfAnswers()
{
    const Fixture fixture;
    DispatcherSession session(fixture, PermissionMode::AskFirst);
    QStringList told;
    QObject::connect(&session.gate(), &PermissionGate::answered, &session.gate(),
                     [&told](const ApprovalQuestion &question, const ApprovalAnswer &answer) {
                         told.append(question.tool + ' ' + QString::number(answer.kind) + ' '
                                     + question.what);
                     });
    session.call("file-write", write("a", "x"));
    session.approver.answer = [] { return ApprovalAnswer{ApprovalAnswer::Deny, {}}; };
    session.call("file-write", write("b", "x"));
    session.call("file-read", {{"path", "a"}}); // nobody is asked
    const QString folder = QFileInfo(fixture.workspace()).canonicalFilePath();
    QCOMPARE(told, (QStringList{"file-write 0 " + folder + "/a", "file-write 2 " + folder + "/b"}));
}

void tst_Dispatcher::remembersAlways()
{
    const Fixture fixture; // A73
    {
        DispatcherSession session(fixture, PermissionMode::AskFirst);
        session.approver.answer = [] { return ApprovalAnswer{ApprovalAnswer::AllowAlways, {}}; };
        QVERIFY(session.call("bash", {{"command", "git log -3"}}).error != "the user did not allow this");
        QCOMPARE(session.approver.questions.size(), 1);
        session.call("bash", {{"command", "git log -5"}});
        QCOMPARE(session.approver.questions.size(), 1);
        session.call("bash", {{"command", "git push"}});
        QCOMPARE(session.approver.questions.size(), 2);
    }
    DispatcherSession next(fixture, PermissionMode::AskFirst); // stored outside the workspace
    next.approver.answer = [] { return ApprovalAnswer{ApprovalAnswer::Deny, {}}; };
    next.call("bash", {{"command", "git log"}});
    QCOMPARE(next.approver.questions.size(), 0);
    next.call("bash", {{"command", "rm a"}});
    QCOMPARE(next.approver.questions.size(), 1);
}

void tst_Dispatcher::denyHoldsInYolo()
{
    const Fixture fixture;
    writeFile(fixture.workspace("secret.txt"), "s");
    const QList<PermissionRule> rules{{"*", "*", RuleAction::Allow},
                                      {"read", "secret*", RuleAction::Deny},
                                      {"shell", "rm *", RuleAction::Deny}};
    DispatcherSession session(fixture, PermissionMode::Yolo, rules);
    QVERIFY(!session.call("file-read", {{"path", "secret.txt"}}).ok);
    QVERIFY(!session.call("file-read", {{"path", "./x/../secret.txt"}}).ok);
    QVERIFY(::symlink("secret.txt", QFile::encodeName(fixture.workspace("link")).constData()) == 0);
    QVERIFY(!session.call("file-read", {{"path", "link"}}).ok); // judged by where it leads
    for (const char *command : {"rm secret.txt", "true && rm secret.txt", "bash -c 'rm secret.txt'",
                                "echo $(rm secret.txt)", "r\"\"m secret.txt", "env rm secret.txt"}) {
        const ToolResult result = session.call("bash", {{"command", command}});
        QVERIFY2(!result.ok && exists(fixture.workspace("secret.txt")), command);
    }
    QVERIFY(session.call("bash", {{"command", "mv secret.txt other"}}).ok); // the control
}

void tst_Dispatcher::judgesEveryPartOfACommand()
{
    const Fixture fixture; // A67
    const QList<PermissionRule> rules{{"shell", "git status", RuleAction::Allow},
                                      {"shell", "ls *", RuleAction::Allow},
                                      {"shell", "echo *", RuleAction::Allow}};
    DispatcherSession session(fixture, PermissionMode::AskFirst, rules);
    session.approver.answer = [] { return ApprovalAnswer{ApprovalAnswer::Deny, {}}; };
    QVERIFY(session.call("bash", {{"command", "echo x"}}).ok);
    for (const char *command :
         {"echo x && touch PWN", "echo x; touch PWN", "ls | tee PWN", "ls & touch PWN", "echo $(touch PWN)",
          "echo `touch PWN`", "ls || touch PWN", "(touch PWN)", "{ touch PWN; }", "ls <(touch PWN)",
          "echo x > PWN", "if true; then touch PWN; fi", "touch PWN # git status", "echo x\ntouch PWN"}) {
        QVERIFY2(!session.call("bash", {{"command", command}}).ok, command);
        QVERIFY2(!exists(fixture.workspace("PWN")), command);
    }
}

/// The folder is swapped for a link to another one while the person reads the question.
void tst_Dispatcher::approvedPlaceIsTheOneWritten()
{
    const Fixture fixture; // A86
    QDir(fixture.workspace()).mkpath("shown");
    QDir(fixture.workspace()).mkpath("other");
    DispatcherSession session(fixture, PermissionMode::AskFirst);
    session.approver.answer = [&fixture] {
        QFile::rename(fixture.workspace("shown"), fixture.workspace("away"));
        if (::symlink("other", QFile::encodeName(fixture.workspace("shown")).constData()) != 0) {
            qFatal("symlink");
        }
        return ApprovalAnswer{ApprovalAnswer::AllowOnce, {}};
    };
    QVERIFY(!session.call("file-write", write("shown/file", "x")).ok);
    QVERIFY(!exists(fixture.workspace("other/file")) && !exists(fixture.workspace("away/file")));
    session.approver.answer = [] { return ApprovalAnswer{ApprovalAnswer::AllowOnce, {}}; };
    QVERIFY(session.call("file-write", write("shown/file", "x")).ok);
    QVERIFY2(session.approver.questions.last().what.contains("/other/file"), // the place itself, not the link
             qPrintable(session.approver.questions.last().what));
}

void tst_Dispatcher::changesOfOneFileAreOrdered()
{
    const Fixture fixture; // A85
    writeFile(fixture.workspace("file"), "0");
    DispatcherSession session(fixture);
    QList<int> numbers;
    for (int step = 0; step < 50; ++step) {
        const std::string from = std::to_string(step);
        const std::string to = std::to_string(step + 1);
        numbers.append(session.submit(
            "file-edit",
            {{"path", step % 2 == 0 ? "file" : "./file"}, {"old_string", from}, {"new_string", to}}));
    }
    for (const int number : numbers) {
        QVERIFY(session.await(number).ok);
    }
    QCOMPARE(contentOf(fixture.workspace("file")), QByteArray("50"));
}

void tst_Dispatcher::callsRunAtTheSameTime()
{
    const Fixture fixture;
    QVERIFY(::mkfifo(QFile::encodeName(fixture.workspace("fifo")).constData(), 0600) == 0);
    DispatcherSession session(fixture);
    // Each end of the fifo waits for the other: one after the other they would never end.
    const int reader = session.submit("bash", {{"command", "cat fifo"}, {"timeout_sec", 20}});
    const int writer = session.submit("shell-exec", {{"command", "echo met > fifo"}, {"timeout_sec", 20}});
    QCOMPARE(session.await(reader).output, QByteArray("met\n"));
    QVERIFY(session.await(writer).ok);
}

void tst_Dispatcher::cancelEndsACommand()
{
    const Fixture fixture;
    DispatcherSession session(fixture);
    const int number = session.submit(
        "bash", {{"command", "trap '' TERM; (trap '' TERM; setsid sleep 77 & echo $! > pid; wait) & wait"}});
    QTRY_VERIFY_WITH_TIMEOUT(contentOf(fixture.workspace("pid")).endsWith('\n'), 10'000);
    const pid_t sleeper = contentOf(fixture.workspace("pid")).trimmed().toInt();
    QCOMPARE(::kill(sleeper, 0), 0);
    session.dispatcher().cancel(number);
    const ToolResult result = session.await(number);
    QCOMPARE(result.error, QByteArray("cancelled"));
    QCOMPARE(::kill(sleeper, 0), -1);
}

void tst_Dispatcher::cancelEndsAQuestion()
{
    class SilentApprover : public Approver
    {
    public:
        void ask(const ApprovalQuestion &, std::function<void(ApprovalAnswer)>) override { isAsked = true; }
        bool isAsked = false;
    };
    const Fixture fixture;
    SilentApprover approver;
    const auto launcher = launcherFor(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite));
    LaunchThread launchThread;
    const ToolRegistry registry = builtinTools();
    ToolSession tools(launchThread, launcher, ScopeGuard::create(launcher->policy.policy()).value(), {},
                      QFile::encodeName(fixture.folder()));
    PermissionGate gate({PermissionMode::AskFirst, {}, {}, QFile::encodeName(fixture.workspace()), {}},
                        &approver);
    ConfinedThreads threads(launchThread, launcher->policy.ruleset());
    ToolDispatcher dispatcher(registry, tools, gate, threads);
    QSignalSpy finished(&dispatcher, &ToolDispatcher::finished);
    const int number = dispatcher.submit({"file-write", R"({"path":"a","content":"x"})"});
    QTRY_VERIFY(approver.isAsked);
    QCOMPARE(finished.count(), 0);
    dispatcher.cancel(number);
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(!exists(fixture.workspace("a")));
}

void tst_Dispatcher::outputComesAsItIsWritten()
{
    const Fixture fixture;
    DispatcherSession session(fixture);
    QByteArray seen;
    QObject::connect(&session.dispatcher(), &ToolDispatcher::outputArrived, &session.dispatcher(),
                     [&seen](int, const QByteArray &text) { seen += text; });
    const int number = session.submit(
        "bash", {{"command", "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second >&2"}});
    QTRY_COMPARE(seen, QByteArray("first\n"));
    writeFile(fixture.workspace("go"), "");
    QCOMPARE(session.await(number).output, QByteArray("first\nsecond\n"));
    QTRY_COMPARE(seen, QByteArray("first\nsecond\n"));
}

void tst_Dispatcher::jobsEndWithTheSession()
{
    const Fixture fixture;
    pid_t sleeper = 0;
    {
        DispatcherSession session(fixture);
        const ToolResult result =
            session.call("bash", {{"command", "echo $$ > pid; exec sleep 77"}, {"run_in_background", true}});
        QVERIFY(result.ok && result.facts.value("job_id", "") == "job-1");
        sleeper = contentOf(fixture.workspace("pid")).trimmed().toInt();
        QCOMPARE(::kill(sleeper, 0), 0);
    }
    QCOMPARE(::kill(sleeper, 0), -1);
}

void tst_Dispatcher::readsInputStrictly()
{
    const Fixture fixture;
    DispatcherSession session(fixture);
    QVERIFY(session.call("file_write", write("a", "x"))
                .error.startsWith("there is no tool 'file_write'; there are: file-read, file-write, "));
    QCOMPARE(session.call("file-write", {{"path", "a"}}).error, QByteArray("the field 'content' is missing"));
    QCOMPARE(session.call("file-write", {{"path", "a"}, {"content", "x"}, {"mode", 1}}).error,
             QByteArray("there is no field 'mode'"));
    QVERIFY(!exists(fixture.workspace("a")));
}

QTEST_GUILESS_MAIN(tst_Dispatcher)

#include "tst_dispatcher.moc"
