#include "tools/builtin/JobOutputTool.h"

#include "tools/ToolSession.h"
#include "tools/builtin/schemas.h"
#include "tools/shell/describeEnd.h"
#include "tools/text/SafeText.h"

namespace spettro {

namespace {

constexpr qint64 DefaultLimit = qint64{32} * 1024; // bytes
constexpr qint64 LargestLimit = qint64{256} * 1024;

class JobOutputTask : public ToolTask
{
public:
    JobOutputTask(QByteArray id, qint64 offset, qint64 limit, std::chrono::seconds patience)
        : m_id(std::move(id)), m_offset(offset), m_limit(limit), m_patience(patience)
    {}

    ToolResult run(RunContext &context) override
    {
        const std::shared_ptr<Job> job = context.session.jobs().find(m_id);
        if (!job) {
            return ToolResult::failure({"there is no job '" + visibleText(m_id)
                                        + "' in this session, or its output is no longer kept"});
        }
        const auto report = job->run().wait(context.stop, m_patience);
        const OutputLog::Page page = job->output().page(m_offset, m_limit);
        ToolResult result = ToolResult::success(page.text);
        if (report) {
            result.facts = describeEnd(*job, *report).facts;
            for (const char *superfluous : {"truncated", "output_lines", "job_id"}) {
                result.facts.erase(superfluous);
            }
        }
        result.facts["running"] = !report;
        result.facts["next_offset"] = page.next;
        result.facts["output_bytes"] = page.size;
        if (page.kept < page.size && page.next == page.kept) {
            result.facts["note"] = "only the first " + std::to_string(page.kept) + " bytes are kept";
        }
        return result;
    }

private:
    QByteArray m_id;
    qint64 m_offset;
    qint64 m_limit;
    std::chrono::seconds m_patience;
};

} // namespace

QByteArray JobOutputTool::description() const
{
    return "Shows the output of a command that runs in the background or whose output was too long, a piece "
           "at a time, and "
           "tells whether it still runs.";
}

Json JobOutputTool::schema() const
{
    return objectSchema(
        {{"job_id", property("string", "as the call that started the command gave it")},
         {"offset", integerProperty(0, "first byte, 0 if absent; next_offset of the last call goes on")},
         {"limit", integerProperty(1, "how many bytes, 32768 if absent")},
         {"wait_sec", integerProperty(0, "wait so long for the command to end, 0 if absent")}},
        {"job_id"});
}

ToolOutcome<std::unique_ptr<ToolTask>> JobOutputTool::read(const Json &input) const
{
    constexpr qint64 LongestWait = 3600;
    return std::unique_ptr<ToolTask>(std::make_unique<JobOutputTask>(
        textOf(input, "job_id"), input.value("offset", qint64{0}),
        std::min(input.value("limit", DefaultLimit), LargestLimit),
        std::chrono::seconds(std::min(input.value("wait_sec", qint64{0}), LongestWait))));
}

} // namespace spettro
