#include "tools/shell/describeEnd.h"

#include "sandbox/child/ExitCode.h"

#include <cstring>

namespace spettro {

using namespace sandbox;

namespace {

QByteArray signalName(int signal)
{
    const char *name = ::sigabbrev_np(signal);
    return name != nullptr ? QByteArray("SIG") + name : "signal " + QByteArray::number(signal);
}

/// The error text; empty for a command that succeeded.
QByteArray errorFor(const Job &job, const RunReport &report)
{
    if (job.run().wasCancelled()) {
        return "cancelled";
    }
    switch (report.kind) {
    case RunReport::Kind::Refused:
        return "the command could not be started";
    case RunReport::Kind::NotStarted:
        return QByteArray("the command could not be started: ") + ::strerror(report.value);
    case RunReport::Kind::Exited:
        return report.value == 0 ? QByteArray() : "exit code " + QByteArray::number(report.value);
    case RunReport::Kind::Signaled:
        return "ended by " + signalName(report.value);
    case RunReport::Kind::TimedOut:
        return "timed out after "
               + QByteArray::number(
                   qint64(std::chrono::ceil<std::chrono::seconds>(job.run().timeout()).count()))
               + " s";
    }
    return {};
}

void addEnd(ToolResult &result, const Job &job, const RunReport &report)
{
    switch (report.kind) {
    case RunReport::Kind::Refused:
        result.refusal = QByteArray::fromStdString(report.message);
        return;
    case RunReport::Kind::NotStarted:
        return;
    case RunReport::Kind::Exited:
        result.facts["exit_code"] = report.value;
        break;
    case RunReport::Kind::Signaled:
        result.facts["exit_code"] = ExitSignalBase + report.value;
        result.facts["signal"] = signalName(report.value).toStdString();
        break;
    case RunReport::Kind::TimedOut:
        result.facts["exit_code"] = ExitTimeout;
        result.facts["timed_out"] = true;
        break;
    }
    if (job.run().wasCancelled()) {
        result.facts["cancelled"] = true;
    }
}

} // namespace

ToolResult describeEnd(const Job &job, const RunReport &report)
{
    ToolResult result;
    result.output = job.output().digest();
    result.error = errorFor(job, report);
    result.ok = result.error.isEmpty();
    addEnd(result, job, report);
    if (job.output().isTruncated()) {
        result.facts["truncated"] = true;
        result.facts["output_bytes"] = job.output().size();
        result.facts["output_lines"] = job.output().lines();
        result.facts["job_id"] = job.id().toStdString();
    }
    return result;
}

} // namespace spettro
