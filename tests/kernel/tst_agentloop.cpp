// The loop and goal runs with a model whose answers are prepared, and the real tools.

#include "app/agent/GoalCompleteTool.h"
#include "app/agent/GoalRun.h"
#include "tests/support/DispatcherSession.h"
#include "tests/support/FakeModel.h"
#include "tests/support/Processes.h"

#include <QSignalSpy>

using namespace spettro;
using namespace spettro::sandbox;
using namespace spettro::test;

namespace {

ToolRegistry goalTools()
{
    ToolRegistry registry = builtinTools();
    registry.add(std::make_unique<GoalCompleteTool>());
    return registry;
}

/// A loop in a fixture.
struct Bench
{
    explicit Bench(const AgentSettings &settings = {})
        : session(fixture, PermissionMode::Yolo, {}, FileSystemMode::WorkspaceWrite, goalTools()),
          loop(model, session.registry(), session.dispatcher(), settings)
    {
        QObject::connect(&loop, &AgentLoop::ended, &loop, [this](const TurnEnd &end) { ends.append(end); });
    }

    /// Runs a turn to its end.
    TurnEnd run(const QByteArray &text)
    {
        const qsizetype before = ends.size();
        loop.run(text);
        return QTest::qWaitFor([&] { return ends.size() > before; }, 30'000) ? ends.last() : TurnEnd{};
    }

    /// The results that the model was told in a request, by call.
    static QMap<QByteArray, ResultPart> results(const ModelRequest &request)
    {
        QMap<QByteArray, ResultPart> found;
        for (const Message &message : request.messages) {
            for (const Part &part : message.parts) {
                if (const auto *result = std::get_if<ResultPart>(&part)) {
                    found.insert(result->callId, *result);
                }
            }
        }
        return found;
    }

    static QByteArray texts(const ModelRequest &request)
    {
        QByteArray all;
        for (const Message &message : request.messages) {
            for (const Part &part : message.parts) {
                const auto *text = std::get_if<TextPart>(&part);
                all += text ? text->text + '\n' : QByteArray();
            }
        }
        return all;
    }

    Fixture fixture;
    FakeModel model;
    DispatcherSession session;
    AgentLoop loop;
    QList<TurnEnd> ends;
};

/// A goal run on a bench. Returns its end.
GoalEnd runGoal(Bench &bench, GoalLimits limits = {}, const std::function<void(GoalRun &)> &meanwhile = {})
{
    GoalRun run(bench.loop, "the goal", limits, bench.session.policy().workspaceDescriptor());
    std::optional<GoalEnd> end;
    int ends = 0;
    QObject::connect(&run, &GoalRun::ended, &run, [&](const GoalEnd &how) {
        end = how;
        ++ends;
    });
    run.start();
    if (meanwhile) {
        meanwhile(run);
    }
    const bool hasEnded = QTest::qWaitFor([&] { return end.has_value(); }, 60'000);
    QTest::qWait(50);
    return hasEnded && ends == 1 ? *end : GoalEnd{};
}

Usage tokens(qint64 input, qint64 output)
{
    return {input, 0, output, true};
}

Json command(const char *text)
{
    return {{"command", text}};
}

} // namespace

class tst_AgentLoop : public QObject
{
    Q_OBJECT

private slots:
    void answers();
    void resultsKeepTheOrderOfCalls();
    void callsThatMustNotRun();
    void unknownTool();
    void steering();
    void interruptBeforeTheAnswer();
    void interruptACommand();
    void interruptFromWithinTheTurn();
    void modelFails();
    void repeatedFailure();
    void endAfterStep();
    void requestBudget();
    void writtenCalls();
    void usageIsSummedAndEstimated();
    void compactsWhenTight();
    void compactsWhenTheServerRefuses();
    void compactionFails();
    void compactionForEver_data();
    void compactionForEver();
    void interruptACompaction();

    void goalComplete();
    void goalStalls();
    void goalOnlyWaits();
    void goalLimits_data();
    void goalLimits();
    void goalTokensStopBeforeTheNextRequest();
    void goalTime();
    void goalInterruptedAtOnce();
    void goalFails();
    void goalStoppedByOthers();
    void goalGoesOn();
    void goalSurvivesACompaction();
};

void tst_AgentLoop::answers()
{
    Bench bench({"m", "the system prompt", 77});
    bench.model.answers = {FakeModel::says("hello")};
    const TurnEnd end = bench.run("hi");
    QVERIFY(end.reason == TurnEnd::Reason::Answered);
    QVERIFY(!bench.loop.isRunning());
    const ModelRequest request = bench.model.requests.first();
    QCOMPARE(request.model, QByteArray("m"));
    QCOMPARE(request.system, QByteArray("the system prompt"));
    QCOMPARE(request.maxOutputTokens, std::optional(77));
    QCOMPARE(request.tools.size(), static_cast<qsizetype>(bench.session.registry().tools().size()));
    QCOMPARE(request.messages, (Conversation{{Message::Role::User, {TextPart{"hi"}}}}));
    bench.model.answers = {FakeModel::says("again")};
    bench.run("and?");
    QCOMPARE(bench.model.requests.last().messages.first(2),
             bench.loop.conversation().first(2)); // only added to
    QCOMPARE(bench.loop.conversation().size(), 4);
}

/// Reading calls run beside each other, changing ones alone and in their place; results stand in the order of the calls.
void tst_AgentLoop::resultsKeepTheOrderOfCalls()
{
    Bench bench;
    bench.model.answers = {
        FakeModel::answer({FakeModel::call("1", "bash", command("sleep 0.3; echo one >>order")),
                           FakeModel::call("2", "file-write", {{"path", "f"}, {"content", "new"}}),
                           FakeModel::call("3", "file-read", {{"path", "f"}}),
                           FakeModel::call("4", "ls", Json::object()),
                           FakeModel::call("5", "bash", command("cat f; echo five >>order"))}),
        FakeModel::says("done")};
    QList<QByteArray> started;
    QObject::connect(&bench.loop, &AgentLoop::callStarted, &bench.loop,
                     [&](const CallPart &call) { started.append(call.id); });
    bench.run("go");
    QCOMPARE(started, (QList<QByteArray>{"1", "2", "3", "4", "5"}));
    QCOMPARE(contentOf(bench.fixture.workspace("order")), QByteArray("one\nfive\n"));
    const Message answers = bench.loop.conversation().at(2);
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(std::get<ResultPart>(answers.parts.at(i)).callId, QByteArray::number(i + 1));
    }
    QVERIFY(std::get<ResultPart>(answers.parts.at(2)).text.contains("new"));
    QVERIFY(std::get<ResultPart>(answers.parts.at(4)).text.contains("new"));
}

void tst_AgentLoop::callsThatMustNotRun()
{
    Bench bench;
    bench.model.answers = {FakeModel::answer({CallPart{"1", "bash", "{}", "the arguments were cut"},
                                              FakeModel::call("2", "bash", command("touch ran"))}),
                           FakeModel::says("done")};
    bench.run("go");
    const auto results = Bench::results(bench.model.requests.last());
    QVERIFY(results["1"].isError && results["1"].text.contains("the arguments were cut"));
    QVERIFY(!results["2"].isError);
    QVERIFY(exists(bench.fixture.workspace("ran")));
}

/// Case A27: nothing is guessed; the model learns the names.
void tst_AgentLoop::unknownTool()
{
    Bench bench;
    bench.model.answers = {FakeModel::calls("1", "file_write", {{"path", "PWN"}, {"content", "x"}}),
                           FakeModel::calls("2", "ask-user", {{"question", "may I?"}}),
                           FakeModel::says("done")};
    bench.run("go");
    const auto results = Bench::results(bench.model.requests.last());
    QVERIFY2(results["1"].isError && results["1"].text.contains("file-write"), results["1"].text);
    QVERIFY2(results["2"].isError, results["2"].text);
    QVERIFY(!exists(bench.fixture.workspace("PWN")));
}

void tst_AgentLoop::steering()
{
    Bench bench;
    bench.model.answers = {FakeModel::calls("1", "bash", command("touch begun; sleep 0.5")),
                           [&](const ModelRequest &) {
                               bench.loop.steer("and this");
                               return ModelReply{{Message::Role::Assistant, {TextPart{"done"}}}, {}, {}};
                           },
                           FakeModel::says("really")};
    QObject::connect(&bench.loop, &AgentLoop::callStarted, &bench.loop,
                     [&] { bench.loop.steer("look there"); });
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::Answered);
    QCOMPARE(bench.model.requests.size(), 3); // what was said late is answered, too
    QVERIFY(Bench::texts(bench.model.requests.at(1)).contains("look there"));
    QVERIFY(!Bench::texts(bench.model.requests.at(1)).contains("and this"));
    QVERIFY(Bench::texts(bench.model.requests.at(2)).contains("and this"));
}

void tst_AgentLoop::interruptBeforeTheAnswer()
{
    Bench bench;
    bench.model.answers = {FakeModel::hangs};
    QTimer::singleShot(50, &bench.loop, [&] { bench.loop.interrupt(); });
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Interrupted);
    bench.model.answers = {FakeModel::says("fine")};
    QVERIFY(bench.run("on").reason == TurnEnd::Reason::Answered);
    QCOMPARE(bench.ends.size(), 2);
}

void tst_AgentLoop::interruptACommand()
{
    Bench bench;
    const QByteArray duration = uniqueDuration();
    bench.model.answers = {
        FakeModel::answer({FakeModel::call("1", "bash", command("touch begun; sleep " + duration)),
                           FakeModel::call("2", "bash", command("touch PWN"))}),
        FakeModel::says("never asked")};
    QObject::connect(&bench.loop, &AgentLoop::callStarted, &bench.loop,
                     [&] { QTimer::singleShot(300, &bench.loop, [&] { bench.loop.interrupt(); }); });
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Interrupted);
    QTRY_VERIFY(processesWith(duration).isEmpty());
    QVERIFY(!exists(bench.fixture.workspace("PWN")));
    QCOMPARE(bench.model.requests.size(), 1);
    const Message results = bench.loop.conversation().last();
    QCOMPARE(results.parts.size(), 2); // both answered: the next request is a proper one
    QVERIFY(std::get<ResultPart>(results.parts.at(0)).text.contains("may have had effects"));
    QVERIFY(std::get<ResultPart>(results.parts.at(1)).text.contains("before it began"));
}

/// Whoever hears of a message (the session's record) may stop the turn before it is paid for.
void tst_AgentLoop::interruptFromWithinTheTurn()
{
    Bench bench;
    bench.model.answers = {FakeModel::says("not asked for")};
    QObject::connect(&bench.loop, &AgentLoop::messageAdded, &bench.loop, [&] { bench.loop.interrupt(); });
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Interrupted);
    QCOMPARE(bench.model.requests.size(), 0);
}

void tst_AgentLoop::modelFails()
{
    Bench bench;
    bench.model.answers = {FakeModel::fails(ModelError::Kind::Authentication, "wrong key")};
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::ModelFailed);
    QCOMPARE(end.message, QByteArray("wrong key"));
}

void tst_AgentLoop::repeatedFailure()
{
    Bench bench;
    bench.model.otherwise = FakeModel::calls("1", "file-read", {{"path", "none"}});
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::Repeated);
    QVERIFY2(bench.model.requests.size() <= 12, QByteArray::number(bench.model.requests.size()));
    QVERIFY(Bench::texts(bench.model.requests.last()).contains("Repeating it will not help"));
}

void tst_AgentLoop::endAfterStep()
{
    Bench bench;
    bench.model.answers = {FakeModel::calls("1", "bash", command("true")), FakeModel::says("not asked for")};
    QObject::connect(&bench.loop, &AgentLoop::callFinished, &bench.loop, [&] { bench.loop.endAfterStep(); });
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Answered);
    QCOMPARE(bench.model.requests.size(), 1);
}

void tst_AgentLoop::requestBudget()
{
    Bench bench({.maxRequests = 7});
    int count = 0;
    bench.model.otherwise = [&](const ModelRequest &request) {
        return FakeModel::calls("1", "file-write",
                                {{"path", "f"}, {"content", std::to_string(++count)}})(request);
    };
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::Exhausted);
    QVERIFY2(end.message.contains("7 requests"), end.message);
    QCOMPARE(bench.model.requests.size(), 7);
    bench.run("again"); // of each turn
    QCOMPARE(bench.model.requests.size(), 14);
}

/// Case A26.
void tst_AgentLoop::writtenCalls()
{
    Bench bench;
    bench.model.otherwise =
        FakeModel::says("<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"touch PWN\"}}");
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::Answered);
    QCOMPARE(bench.model.requests.size(), 3);
    QCOMPARE(Bench::texts(bench.model.requests.last()).count("is not run"), 2);
    QVERIFY(!exists(bench.fixture.workspace("PWN")));
}

void tst_AgentLoop::usageIsSummedAndEstimated()
{
    Bench bench;
    bench.model.answers = {FakeModel::calls("1", "bash", command("true"), {1000, 400, 20, true}),
                           FakeModel::says("done", {1100, 900, 5, true})};
    bench.run("go");
    QCOMPARE(bench.loop.usage(), (Usage{2100, 1300, 25, true}));
    Bench silent;
    silent.model.answers = {FakeModel::says("done")};
    silent.run("go");
    QVERIFY(!silent.loop.usage().isKnown);
    QVERIFY(silent.loop.usage().input > 500
            && silent.loop.usage().output > 0); // the tools alone are that much
}

/// A conversation of many steps that had a window of 20,000 tokens.
static QList<FakeModel::Answer> manySteps(int count)
{
    QList<FakeModel::Answer> answers;
    for (int i = 0; i < count; ++i) {
        const std::string text = "echo " + std::to_string(i) + "; head -c 1500 /dev/zero | tr '\\0' x";
        answers.append(FakeModel::calls("c" + QByteArray::number(i), "bash", {{"command", text}}));
    }
    return answers;
}

void tst_AgentLoop::compactsWhenTight()
{
    Bench bench({.system = "RULES TOKEN-7Q", .contextTokens = 20'000});
    bench.loop.pin("the whole goal");
    bench.model.answers = manySteps(60);
    int summaries = 0;
    const auto steps = bench.model.answers;
    bench.model.answers.clear();
    qsizetype next = 0;
    bench.model.otherwise = [&](const ModelRequest &request) -> std::optional<ModelOutcome> {
        if (request.tools.isEmpty()) {
            ++summaries;
            return FakeModel::says("SUMMARY " + QByteArray::number(summaries))(request);
        }
        return next < steps.size() ? steps.at(next++)(request) : FakeModel::says("done")(request);
    };
    QList<QByteArray> told;
    int started = 0;
    QObject::connect(&bench.loop, &AgentLoop::compactionStarted, &bench.loop, [&] { ++started; });
    QObject::connect(&bench.loop, &AgentLoop::compacted, &bench.loop,
                     [&](const Conversation &, const QByteArray &summary) { told.append(summary); });
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Answered);
    QVERIFY2(summaries >= 1 && summaries <= 6, QByteArray::number(summaries));
    QCOMPARE(started, summaries);
    QCOMPARE(told.size(), summaries);
    for (const ModelRequest &request : bench.model.requests) {
        QVERIFY(estimatedTokens(request.messages) < 20'000);
        QVERIFY(request.tools.isEmpty() || request.system == "RULES TOKEN-7Q");
    }
    const QByteArray last = Bench::texts(bench.model.requests.last());
    QVERIFY2(last.contains("the whole goal") && last.contains("SUMMARY"), last);
    QCOMPARE(contentOf(bench.fixture.workspace("none")), QByteArray());
    QVERIFY(!bench.loop.conversation().isEmpty());
}

/// The window is not known; the server tells.
void tst_AgentLoop::compactsWhenTheServerRefuses()
{
    Bench bench;
    bench.loop.pin("the whole goal");
    const auto steps = manySteps(40);
    qsizetype next = 0;
    int refused = 0;
    bench.model.otherwise = [&](const ModelRequest &request) -> std::optional<ModelOutcome> {
        if (estimatedTokens(request.messages) > 10'000) {
            ++refused;
            return FakeModel::failure(ModelError::Kind::ContextTooLong, "prompt is too long");
        }
        if (request.tools.isEmpty()) {
            return FakeModel::says("SUMMARY")(request);
        }
        return next < steps.size() ? steps.at(next++)(request) : FakeModel::says("done")(request);
    };
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Answered);
    QVERIFY2(refused >= 1 && refused <= 8, QByteArray::number(refused));
    QCOMPARE(next, steps.size());
}

void tst_AgentLoop::compactionFails()
{
    Bench bench({.contextTokens = 8'000});
    const auto steps = manySteps(30);
    qsizetype next = 0;
    bench.model.otherwise = [&](const ModelRequest &request) -> std::optional<ModelOutcome> {
        return request.tools.isEmpty() ? FakeModel::failure(ModelError::Kind::Server, "500 no")
                                       : steps.at(next++)(request);
    };
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::ModelFailed);
    QVERIFY2(end.message.contains("8000 tokens") && end.message.contains("500 no"), end.message);
    QCOMPARE(bench.loop.conversation().size(), 1 + 2 * next); // as it was
}

void tst_AgentLoop::compactionForEver_data()
{
    QTest::addColumn<bool>("isUsageStuck");
    QTest::newRow("the server always counts too much") << true;
    QTest::newRow("each step fills the window") << false;
}

/// Case A54.
void tst_AgentLoop::compactionForEver()
{
    QFETCH(bool, isUsageStuck);
    Bench bench({.contextTokens = 8'000});
    int summaries = 0;
    int count = 0;
    bench.model.otherwise = [&](const ModelRequest &request) -> std::optional<ModelOutcome> {
        const Usage usage = isUsageStuck ? tokens(9'000, 10) : Usage{};
        if (request.tools.isEmpty()) {
            ++summaries;
            return FakeModel::says("SUMMARY", usage)(request);
        }
        const std::string text = "echo " + std::to_string(++count)
                                 + (isUsageStuck ? "" : "; head -c 23000 /dev/zero | tr '\\0' x");
        return FakeModel::calls("c" + QByteArray::number(count), "bash", {{"command", text}}, usage)(request);
    };
    const TurnEnd end = bench.run("go");
    QVERIFY(end.reason == TurnEnd::Reason::ModelFailed);
    QVERIFY2(end.message.contains("8000"), end.message);
    QVERIFY2(summaries <= 2, QByteArray::number(summaries));
    QVERIFY2(count <= 6, QByteArray::number(count));
}

void tst_AgentLoop::interruptACompaction()
{
    Bench bench({.contextTokens = 8'000});
    const auto steps = manySteps(30);
    qsizetype next = 0;
    bench.model.otherwise = [&](const ModelRequest &request) -> std::optional<ModelOutcome> {
        if (!request.tools.isEmpty()) {
            return steps.at(next++)(request);
        }
        QTimer::singleShot(50, &bench.loop, [&] { bench.loop.interrupt(); });
        return std::nullopt;
    };
    QVERIFY(bench.run("go").reason == TurnEnd::Reason::Interrupted);
    QCOMPARE(bench.loop.conversation().size(), 1 + 2 * next);
    bench.model.otherwise = [](const ModelRequest &request) { // and on it goes
        return FakeModel::says(request.tools.isEmpty() ? "SUMMARY" : "done")(request);
    };
    QVERIFY(bench.run("on").reason == TurnEnd::Reason::Answered);
}

void tst_AgentLoop::goalComplete()
{
    Bench bench;
    bench.model.answers = {
        FakeModel::calls("1", "file-write", {{"path", "f"}, {"content", "x"}}, tokens(10, 1)),
        FakeModel::says("one thing is left", tokens(20, 2)),
        FakeModel::calls("2", "goal-complete", {{"summary", "all done"}}, tokens(30, 3))};
    const GoalEnd end = runGoal(bench);
    QVERIFY(end.reason == GoalEnd::Reason::Complete);
    QCOMPARE(end.message, QByteArray("all done"));
    QCOMPARE(end.iterations, 2);
    QCOMPARE(end.usage, tokens(60, 6));
    QCOMPARE(end.changedFiles, QList<QByteArray>{"f"});
    QVERIFY(Bench::texts(bench.model.requests.first()).startsWith("the goal\n"));
}

void tst_AgentLoop::goalStalls()
{
    Bench bench;
    int count = 0;
    bench.model.otherwise = [&](const ModelRequest &request) {
        ++count;
        return count % 2 == 1
                   ? FakeModel::calls("1", "bash", {{"command", "echo " + std::to_string(count)}})(request)
                   : FakeModel::says("more")(request);
    };
    const GoalEnd end = runGoal(bench);
    QVERIFY(end.reason == GoalEnd::Reason::Stalled);
    QCOMPARE(end.iterations, 3);
}

/// Case A61.
void tst_AgentLoop::goalOnlyWaits()
{
    Bench bench;
    bench.model.otherwise = FakeModel::says("Waiting for the build.", tokens(10'000, 10));
    const GoalEnd end = runGoal(bench);
    QVERIFY(end.reason == GoalEnd::Reason::Stalled);
    QVERIFY(bench.model.requests.size() <= 5);
}

void tst_AgentLoop::goalLimits_data()
{
    QTest::addColumn<int>("iterations");
    QTest::newRow("1") << 1;
    QTest::newRow("4") << 4;
}

void tst_AgentLoop::goalLimits()
{
    QFETCH(int, iterations);
    Bench bench;
    int count = 0;
    bench.model.otherwise = [&](const ModelRequest &request) {
        ++count;
        return count % 2 == 1 ? FakeModel::calls("1", "file-write",
                                                 {{"path", "f"}, {"content", std::to_string(count)}})(request)
                              : FakeModel::says("more")(request);
    };
    const GoalEnd end = runGoal(bench, {.iterations = iterations});
    QVERIFY(end.reason == GoalEnd::Reason::LimitReached);
    QCOMPARE(end.iterations, iterations);
    QCOMPARE(count, 2 * iterations);
}

void tst_AgentLoop::goalTokensStopBeforeTheNextRequest()
{
    Bench bench;
    int count = 0;
    bench.model.otherwise = [&](const ModelRequest &request) {
        return FakeModel::calls("1", "file-write", {{"path", "f"}, {"content", std::to_string(++count)}},
                                tokens(10'000, 0))(request);
    };
    const GoalEnd end = runGoal(bench, {.tokens = 25'000});
    QVERIFY(end.reason == GoalEnd::Reason::LimitReached);
    QVERIFY2(end.message.contains("25000 tokens"), end.message);
    QCOMPARE(bench.model.requests.size(), 3);
    // Servers that do not count: estimated, not zero.
    Bench silent;
    silent.model.otherwise = [&](const ModelRequest &request) {
        return FakeModel::calls("1", "file-write",
                                {{"path", "f"}, {"content", std::to_string(++count)}})(request);
    };
    QVERIFY(runGoal(silent, {.tokens = 25'000}).reason == GoalEnd::Reason::LimitReached);
    QVERIFY(silent.model.requests.size() < 100);
}

void tst_AgentLoop::goalTime()
{
    Bench bench;
    const QByteArray duration = uniqueDuration();
    bench.model.answers = {FakeModel::calls("1", "bash", command("sleep " + duration))};
    const GoalEnd end = runGoal(bench, {.time = std::chrono::milliseconds(700)});
    QVERIFY(end.reason == GoalEnd::Reason::LimitReached);
    QVERIFY2(end.message.contains("minutes"), end.message);
    QVERIFY(processesWith(duration).isEmpty());
}

void tst_AgentLoop::goalInterruptedAtOnce()
{
    Bench bench;
    const GoalEnd end = runGoal(bench, {}, [](GoalRun &run) {
        run.interrupt();
        run.interrupt();
    });
    QVERIFY(end.reason == GoalEnd::Reason::Interrupted);
    QCOMPARE(bench.model.requests.size(), 0);
}

void tst_AgentLoop::goalFails()
{
    Bench bench;
    bench.model.answers = {FakeModel::fails(ModelError::Kind::Quota, "nothing is left to pay with")};
    const GoalEnd end = runGoal(bench);
    QVERIFY(end.reason == GoalEnd::Reason::Failed);
    QCOMPARE(end.message, QByteArray("nothing is left to pay with"));
}

void tst_AgentLoop::goalStoppedByOthers()
{
    Bench bench;
    bench.model.answers = {FakeModel::hangs};
    const GoalEnd end = runGoal(bench, {}, [&](GoalRun &run) {
        QTimer::singleShot(100, &run, [&run] { run.stop(GoalEnd::Reason::Failed, "the disk is full"); });
    });
    QVERIFY(end.reason == GoalEnd::Reason::Failed);
    QCOMPARE(end.message, QByteArray("the disk is full"));
}

void tst_AgentLoop::goalGoesOn()
{
    Bench bench;
    bench.loop.restore(
        {{Message::Role::User, {TextPart{"the goal"}}}, {Message::Role::Assistant, {TextPart{"hm"}}}});
    bench.model.answers = {FakeModel::calls("1", "goal-complete", {{"summary", "done"}}, tokens(5, 1))};
    GoalRun run(bench.loop, "the goal", {}, bench.session.policy().workspaceDescriptor());
    run.continueFrom({"the goal", 7, std::chrono::minutes(1), tokens(100, 10), false});
    std::optional<GoalEnd> end;
    QObject::connect(&run, &GoalRun::ended, &run, [&](const GoalEnd &how) { end = how; });
    run.start();
    QVERIFY(QTest::qWaitFor([&] { return end.has_value(); }, 30'000));
    QCOMPARE(end->iterations, 8);
    QCOMPARE(end->usage, tokens(105, 11));
    QVERIFY(end->time >= std::chrono::minutes(1));
    QCOMPARE(bench.model.requests.first().messages.size(), 3);
    QVERIFY(Bench::texts(bench.model.requests.first()).contains("goes on now"));
}

/// Case A57: the goal and the limits are not part of what is summed up.
void tst_AgentLoop::goalSurvivesACompaction()
{
    Bench bench({.contextTokens = 8'000});
    int count = 0;
    int summaries = 0;
    bench.model.otherwise = [&](const ModelRequest &request) -> std::optional<ModelOutcome> {
        if (request.tools.isEmpty()) {
            ++summaries;
            return FakeModel::says("SUMMARY")(request);
        }
        ++count;
        const std::string text = "echo " + std::to_string(count) + " >f; head -c 1200 /dev/zero | tr '\\0' x";
        return count % 8 == 0
                   ? FakeModel::says("more")(request)
                   : FakeModel::calls("c" + QByteArray::number(count), "bash", {{"command", text}})(request);
    };
    const GoalEnd end = runGoal(bench, {.iterations = 5});
    QVERIFY2(end.reason == GoalEnd::Reason::LimitReached, end.message);
    QCOMPARE(end.iterations, 5);
    QVERIFY(summaries > 0);
    QVERIFY(Bench::texts(bench.model.requests.last()).startsWith("the goal\n"));
}

QTEST_GUILESS_MAIN(tst_AgentLoop)

#include "tst_agentloop.moc"
