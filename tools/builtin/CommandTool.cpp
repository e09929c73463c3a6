#include "tools/builtin/CommandTool.h"

#include "tools/ToolSession.h"
#include "tools/builtin/schemas.h"
#include "tools/shell/CommandEnvironment.h"
#include "tools/shell/ShellProgram.h"
#include "tools/shell/describeEnd.h"

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::chrono::milliseconds BackgroundGlance{300}; // what fails at once is told at once

struct CommandRequest
{
    QByteArray program;
    QByteArray command;
    QByteArray folder;
    std::chrono::milliseconds timeout{0};
    bool inBackground = false;
};

class CommandTask : public ToolTask
{
public:
    explicit CommandTask(CommandRequest request) : m_request(std::move(request)) {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_request.folder, Access::List}; }
    QByteArray command() const override { return m_request.command; }

    ToolResult run(RunContext &context) override
    {
        CommandSpec spec;
        spec.arguments = {m_request.program.toStdString(), "-c", m_request.command.toStdString()};
        spec.environment =
            withVariable(context.session.environment(), "PWD", context.handle->realPath.toStdString());
        spec.workingDirectory = *context.handle->descriptor;
        spec.timeout = m_request.timeout;
        const std::shared_ptr<Job> job = context.session.jobs().start(std::move(spec), context.outputArrived);
        return m_request.inBackground ? leaveRunning(*job, context) : awaitEnd(*job, context);
    }

private:
    static ToolResult awaitEnd(Job &job, RunContext &context)
    {
        std::optional<RunReport> report = job.run().wait(context.stop);
        if (!report) {
            job.run().cancel();
            report = job.run().wait({});
        }
        ToolResult result = describeEnd(job, *report);
        if (!job.output().isTruncated()) {
            context.session.jobs().forget(job.id());
        }
        return result;
    }

    static ToolResult leaveRunning(Job &job, RunContext &context)
    {
        if (const std::optional<RunReport> report = job.run().wait(context.stop, BackgroundGlance)) {
            return describeEnd(job, *report);
        }
        ToolResult result = ToolResult::success(job.output().digest());
        result.facts["job_id"] = job.id().toStdString();
        result.facts["running"] = true;
        return result;
    }

    CommandRequest m_request;
};

} // namespace

QByteArray CommandTool::name() const
{
    return m_shell == Shell::Sh ? "shell-exec" : "bash";
}

QByteArray CommandTool::description() const
{
    return (m_shell == Shell::Sh ? QByteArray("Runs a command line by the system's shell")
                                 : QByteArray("Runs a command line by bash -c"))
           + ", without a terminal and with empty standard input. The output is what it writes to standard "
             "output and "
             "standard error, in order; of a long output beginning and end, the whole by job-output. What it "
             "leaves "
             "running in the background ends with it; for a server or a watcher set 'run_in_background'.";
}

Json CommandTool::schema() const
{
    return objectSchema(
        {{"command", property("string", "the command line")},
         {"cwd", property("string", "the folder that it starts in, the project folder if absent")},
         {"timeout_sec",
          integerProperty(1, "seconds after which it is ended: " + std::to_string(m_timeout.count())
                                 + " if absent, none in the background")},
         {"run_in_background",
          property("boolean", "return at once; job-output and job-kill take the job_id")}},
        {"command"});
}

ToolOutcome<std::unique_ptr<ToolTask>> CommandTool::read(const Json &input) const
{
    CommandRequest request;
    request.command = textOf(input, "command");
    request.folder = input.contains("cwd") ? textOf(input, "cwd") : ".";
    request.inBackground = input.value("run_in_background", false);
    const auto fallback = request.inBackground ? std::chrono::seconds(0) : m_timeout;
    constexpr std::int64_t LongestTimeout = 366LL * 24 * 3600;
    const std::int64_t seconds = input.value("timeout_sec", std::int64_t{fallback.count()});
    request.timeout = std::chrono::seconds(std::min(seconds, LongestTimeout));
    if (request.command.trimmed().isEmpty()) {
        return ToolError{"'command' is empty"};
    }
    const std::optional<QByteArray> program = m_shell == Shell::Sh ? shProgram() : bashProgram();
    if (!program) {
        return ToolError{"there is no " + name() + " on this machine"};
    }
    request.program = *program;
    return std::unique_ptr<ToolTask>(std::make_unique<CommandTask>(std::move(request)));
}

} // namespace spettro
