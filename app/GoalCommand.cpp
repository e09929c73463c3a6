#include "app/GoalCommand.h"

#include "app/Composition.h"
#include "app/GoalReport.h"
#include "app/SteeringInput.h"
#include "app/TerminationSignals.h"
#include "app/agent/GoalCompleteTool.h"
#include "app/agent/SessionRecorder.h"
#include "app/agent/systemPrompt.h"
#include "app/config/PolicyLoader.h"
#include "app/createModel.h"
#include "sandbox/child/ExitCode.h"

#include <QCoreApplication>

#include <unistd.h>

#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

enum ExitCode { Complete = 0, NotComplete = 1 };

GoalLimits limitsOf(const GoalFlags &flags)
{
    return {flags.maxIterations,
            std::chrono::milliseconds(static_cast<std::int64_t>(flags.maxMinutes * 60'000)), flags.maxTokens};
}

std::unique_ptr<GoalReport> reportFor(const GoalFlags &flags)
{
    return flags.json ? jsonGoalReport() : textGoalReport(flags.quiet ? Detail::EndOnly : Detail::All);
}

void connectReport(GoalReport &report, AgentLoop &loop, GoalRun &run)
{
    const auto connect = [&run](auto *sender, auto signal, auto slot) {
        QObject::connect(sender, signal, &run, slot);
    };
    connect(&run, &GoalRun::iterationStarted, [&](int number) { report.iterationStarted(number); });
    connect(&loop, &AgentLoop::requestStarted, [&] { report.requestStarted(); });
    connect(&loop, &AgentLoop::messageAdded, [&](const Message &message) { report.messageAdded(message); });
    connect(&loop, &AgentLoop::retrying,
            [&](const QByteArray &why, std::chrono::milliseconds after) { report.retrying(why, after); });
    connect(&loop, &AgentLoop::compactionStarted,
            [&](qint64 tokens, qint64 window) { report.compactionStarted(tokens, window); });
    connect(&loop, &AgentLoop::usageArrived, [&](const Usage &usage) { report.usageArrived(usage); });
    connect(&loop, &AgentLoop::callStarted, [&](const CallPart &call) { report.callStarted(call); });
    connect(&loop, &AgentLoop::callFinished,
            [&](const CallPart &call, const ToolResult &result) { report.callFinished(call, result); });
}

ToolOutcome<std::unique_ptr<AgentSession>> openSession(const CommandLine &line,
                                                       const Composition &composition)
{
    const ToolOutcome<SessionStore> store = SessionStore::open(composition.stateFolder());
    if (!store) {
        return store.error();
    }
    const QByteArray workspace = QByteArray::fromStdString(composition.policy().workspace());
    if (!line.resume.id) {
        return AgentSession::begin(*store, workspace);
    }
    return AgentSession::resume(*store, QByteArray::fromStdString(*line.resume.id), workspace,
                                line.resume.isAllowedElsewhere ? AgentSession::Elsewhere::Allowed
                                                               : AgentSession::Elsewhere::Refused);
}

/// The goal that the session was working on, where this run goes on with it.
std::optional<GoalProgress> progressOf(const SessionHistory &history, const std::string &objective)
{
    const bool isSame = history.goal() && !history.goal()->isComplete
                        && (objective.empty() || history.goal()->goal == objective.c_str());
    return isSame ? history.goal() : std::nullopt;
}

/// Without the agent's prompt nothing is begun: it may be what holds the agent.
Result<ProjectFacts> projectFacts(Composition &composition)
{
    ProjectFacts facts;
    const SessionSettings &settings = composition.settings();
    const std::optional<Error> refused = composition.runConfined([&](ToolSession &session) {
        facts = readProjectFacts(session, QByteArray::fromStdString(settings.promptFile), {});
    });
    if (refused) {
        return *refused;
    }
    if (!facts.problem.isEmpty()) {
        return Error{ErrorKind::Usage,
                     "prompt_file of the agent " + settings.agentId + ": " + facts.problem.toStdString(), 0};
    }
    for (const QByteArray &warning : facts.warnings) {
        std::fprintf(stderr, "spettro: warning: %s\n", warning.constData());
    }
    return facts;
}

int fail(const QByteArray &why)
{
    std::fprintf(stderr, "spettro: %s\n", why.constData());
    return NotComplete;
}

int exitCodeFor(const GoalEnd &end)
{
    switch (end.reason) {
    case GoalEnd::Reason::Complete:
        return Complete;
    case GoalEnd::Reason::Refused:
        std::fprintf(stderr, "spettro: nothing was run: %s\n", end.message.constData());
        return ExitUnenforceable;
    default:
        return NotComplete;
    }
}

/// Nobody is there who could be asked: so something has to be said that bounds the run.
std::optional<Error> checkBounds(const CommandLine &line, const SessionSettings &settings,
                                 const FrozenPolicy &policy)
{
    if (line.permission.empty() && policy.tag().empty()) {
        return Error{
            ErrorKind::Usage,
            "--goal: nobody is asked, so say what bounds it: --sandbox workspace-write --sandbox-net none,"
            " or --permission yolo for no bounds at all",
            0};
    }
    if (line.permission.empty() && settings.permission == "ask-first") {
        return Error{ErrorKind::Usage,
                     "--goal: nobody is asked, but " + settings.permissionPlace
                         + " says ask-first; say --permission restricted, or yolo to leave it to the sandbox",
                     0};
    }
    return std::nullopt;
}

} // namespace

int goalCommand(const CommandLine &line)
{
    Composition::Tools more;
    more.push_back(std::make_unique<GoalCompleteTool>());
    const auto composition = Composition::create(line, std::move(more), nullptr);
    if (!composition) {
        return reportError(composition.error());
    }
    const FrozenPolicy &policy = (*composition)->policy();
    const SessionSettings &settings = (*composition)->settings();
    if (const std::optional<Error> error = checkBounds(line, settings, policy)) {
        return reportError(*error);
    }
    Result<std::unique_ptr<Model>> model = createModel(settings.model);
    if (!model) {
        return reportError(model.error());
    }
    const Result<ProjectFacts> facts = projectFacts(**composition);
    if (!facts) {
        return reportError(facts.error());
    }
    const auto opened = openSession(line, **composition);
    if (!opened) {
        return fail(opened.error().message);
    }
    AgentSession &session = **opened;
    const std::optional<GoalProgress> progress = progressOf(session.history(), line.goal.objective);
    if (!progress && line.goal.objective.empty()) {
        return fail("session " + session.log().id() + " has no goal that is open; say which with --goal");
    }
    const QByteArray goal = progress ? progress->goal : QByteArray::fromStdString(line.goal.objective);
    const QByteArray workspace = QByteArray::fromStdString(policy.workspace());
    AgentLoop loop(
        **model, (*composition)->registry(), (*composition)->dispatcher(),
        {QByteArray::fromStdString(settings.model.model),
         systemPrompt(workspace, *facts, QByteArray::fromStdString(settings.prompt) + facts->prompt),
         std::nullopt, knownContextTokens(settings.model)});
    loop.restore(session.history().conversation());
    GoalRun run(loop, goal, limitsOf(line.goal), policy.workspaceDescriptor());
    if (progress) {
        run.continueFrom(*progress);
    }
    (*composition)->session().setChangeWitness(&session.checkpoints());
    SessionRecorder recorder(session, loop, (*composition)->gate());
    recorder.follow(run);
    if (settings.logToolCalls) {
        recorder.followCalls(loop);
    }
    QObject::connect(&recorder, &SessionRecorder::failed, &run, [&run](const QByteArray &why) {
        run.stop(GoalEnd::Reason::Failed, "the session could not be written down: " + why);
    });
    const std::unique_ptr<GoalReport> report = reportFor(line.goal);
    connectReport(*report, loop, run);
    const TerminationSignals termination([&run] { run.interrupt(); });
    std::optional<SteeringInput> steering;
    if (line.goal.steer || ::isatty(STDIN_FILENO) == 1) {
        steering.emplace([&loop](const QByteArray &text) { loop.steer(text); });
    }
    int exitCode = NotComplete;
    QObject::connect(&run, &GoalRun::ended, &run, [&](const GoalEnd &end) {
        report->ended(end);
        exitCode = exitCodeFor(end);
        QCoreApplication::exit();
    });
    report->started(
        {goal, workspace, (*model)->title(), QByteArray::fromStdString(policy.tag()), session.log().id()});
    recorder.begin({(*model)->title(), QByteArray::fromStdString(policy.tag()),
                    QByteArray::fromStdString(settings.permission)});
    if (!progress) {
        recorder.beginGoal(goal);
    }
    run.start();
    QCoreApplication::exec();
    return exitCode;
}

} // namespace spettro
