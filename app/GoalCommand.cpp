#include "app/GoalCommand.h"

#include "app/Composition.h"
#include "app/GoalReport.h"
#include "app/TerminationSignals.h"
#include "app/agent/GoalCompleteTool.h"
#include "app/agent/systemPrompt.h"
#include "app/config/PolicyLoader.h"
#include "app/createModel.h"
#include "sandbox/child/ExitCode.h"
#include "tools/builtin/builtinTools.h"

#include <QCoreApplication>

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
    QObject::connect(&run, &GoalRun::iterationStarted, &run,
                     [&](int number) { report.iterationStarted(number); });
    QObject::connect(&loop, &AgentLoop::messageAdded, &run,
                     [&](const Message &message) { report.messageAdded(message); });
    QObject::connect(
        &loop, &AgentLoop::retrying, &run,
        [&](const QByteArray &why, std::chrono::milliseconds after) { report.retrying(why, after); });
    QObject::connect(
        &loop, &AgentLoop::callFinished, &run,
        [&](const CallPart &call, const ToolResult &result) { report.callFinished(call, result); });
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

} // namespace

int goalCommand(const CommandLine &given)
{
    CommandLine line = given;
    const bool isUnasked = line.permission.empty();
    if (isUnasked) {
        line.permission = "yolo";
    }
    ToolRegistry registry = builtinTools();
    registry.add(std::make_unique<GoalCompleteTool>());
    const auto composition = Composition::create(line, std::move(registry), nullptr);
    if (!composition) {
        return reportError(composition.error());
    }
    const FrozenPolicy &policy = (*composition)->policy();
    if (isUnasked && policy.tag().empty()) {
        return reportError(
            {ErrorKind::Usage,
             "--goal: nobody is asked, so say what bounds it: --sandbox workspace-write --sandbox-net none,"
             " or --permission yolo for no bounds at all",
             0});
    }
    Result<std::unique_ptr<Model>> model = createModel(line.model);
    if (!model) {
        return reportError(model.error());
    }
    AgentLoop loop(**model, (*composition)->registry(), (*composition)->dispatcher(),
                   {QByteArray::fromStdString(line.model.model),
                    systemPrompt(QByteArray::fromStdString(policy.workspace())), std::nullopt});
    GoalRun run(loop, QByteArray::fromStdString(line.goal.objective), limitsOf(line.goal),
                policy.workspaceDescriptor());
    const std::unique_ptr<GoalReport> report = reportFor(line.goal);
    connectReport(*report, loop, run);
    const TerminationSignals termination([&run] { run.interrupt(); });
    int exitCode = NotComplete;
    QObject::connect(&run, &GoalRun::ended, &run, [&](const GoalEnd &end) {
        report->ended(end);
        exitCode = exitCodeFor(end);
        QCoreApplication::exit();
    });
    report->started({QByteArray::fromStdString(line.goal.objective),
                     QByteArray::fromStdString(policy.workspace()), (*model)->title(),
                     QByteArray::fromStdString(policy.tag())});
    run.start();
    QCoreApplication::exec();
    return exitCode;
}

} // namespace spettro
