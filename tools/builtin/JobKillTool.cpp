#include "tools/builtin/JobKillTool.h"

#include "tools/ToolSession.h"
#include "tools/builtin/schemas.h"
#include "tools/shell/describeEnd.h"
#include "tools/text/SafeText.h"

namespace spettro {

namespace {

class JobKillTask : public ToolTask
{
public:
    explicit JobKillTask(QByteArray id) : m_id(std::move(id)) {}

    ToolResult run(RunContext &context) override
    {
        const std::shared_ptr<Job> job = context.session.jobs().find(m_id);
        if (!job) {
            return ToolResult::failure({"there is no job '" + visibleText(m_id)
                                        + "' in this session, or its output is no longer kept"});
        }
        if (!job->run().report()) {
            job->run().cancel();
        }
        const sandbox::RunReport report = *job->run().wait({});
        ToolResult result = describeEnd(*job, report);
        result.ok = true;
        result.error.clear();
        return result;
    }

private:
    QByteArray m_id;
};

} // namespace

QByteArray JobKillTool::description() const
{
    return "Ends a command that runs in the background, with everything that it has started, and shows its "
           "output.";
}

Json JobKillTool::schema() const
{
    return objectSchema({{"job_id", property("string", "as the call that started the command gave it")}},
                        {"job_id"});
}

ToolOutcome<std::unique_ptr<ToolTask>> JobKillTool::read(const Json &input) const
{
    return std::unique_ptr<ToolTask>(std::make_unique<JobKillTask>(textOf(input, "job_id")));
}

} // namespace spettro
