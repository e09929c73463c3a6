#include "tools/builtin/GrepSearch.h"

#include "tools/GuardedFile.h"
#include "tools/ToolSession.h"
#include "tools/builtin/rulesAbove.h"
#include "tools/search/RipgrepOutput.h"
#include "tools/search/TreeWalk.h"

#include <unistd.h>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qsizetype LargestRipgrepOutput = qsizetype{64} * 1024 * 1024; // bytes

/// Keeps an output as it is, up to a limit.
class RawOutput : public OutputSink
{
public:
    bool append(QByteArrayView bytes) override
    {
        m_bytes.append(bytes.data(), std::min(bytes.size(), LargestRipgrepOutput - m_bytes.size()));
        return m_bytes.size() < LargestRipgrepOutput;
    }

    void finish() override {}

    const QByteArray &bytes() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

/// By absolute path and never by PATH, which may name folders that commands can write.
const char *ripgrepProgram()
{
    for (const char *path : {"/usr/bin/rg", "/usr/local/bin/rg"}) {
        if (::access(path, X_OK) == 0) {
            return path;
        }
    }
    return nullptr;
}

/// Takes what is found in one content.
void searchContent(const GrepRequest &request, const LineSearch &search, const QByteArray &path,
                   const QByteArray &content, const std::function<bool()> &isCancelled,
                   GrepFindings &findings)
{
    const SearchReport report = search.search(
        content,
        [&](const LineMatch &match) {
            if (findings.lines.size() < request.limit) {
                findings.lines.append(
                    {path, match.lineNumber, match.column, match.length, match.line.toByteArray()});
            } else {
                ++findings.leftOut;
            }
            return true;
        },
        isCancelled);
    if (report.isBinary && report.matchingLines > 0) {
        findings.binaryFiles.append(path);
    }
    if (report.end == SearchReport::End::TooCostly) {
        findings.tooCostly.append(path);
    }
    findings.isCancelled = report.end == SearchReport::End::Cancelled;
}

} // namespace

GrepFindings searchHere(const GrepRequest &request, const LineSearch &search, RunContext &context)
{
    GrepFindings findings;
    const auto isCancelled = [&context] { return context.stop.stop_requested(); };
    if (S_ISREG(context.handle->existing->st_mode)) {
        if (const ToolOutcome<QByteArray> content = readAll(*context.handle)) {
            searchContent(request, search, context.handle->shownPath, *content, isCancelled, findings);
        }
        return findings;
    }
    WalkOptions options;
    options.parents =
        rulesAbove(context.session.guard(), context.handle->realPath).value_or(std::vector<ParentIgnore>());
    options.isCancelled = isCancelled;
    const WalkSummary summary = walkTree(*context.handle->descriptor, options, [&](const WalkEntry &entry) {
        if (entry.kind != WalkEntry::Kind::File || (request.glob && !request.glob->matches(entry.path))) {
            return WalkAction::Continue;
        }
        if (const auto content =
                readWalkedFile(entry.parentDescriptor, entry.name.toByteArray(), LargestFile)) {
            searchContent(request, search, entry.path.toByteArray(), *content, isCancelled, findings);
        }
        return findings.isCancelled ? WalkAction::Stop : WalkAction::Continue;
    });
    findings.isCancelled = findings.isCancelled || summary.end == WalkSummary::End::Cancelled;
    return findings;
}

std::optional<GrepFindings> searchByRipgrep(const GrepRequest &request, RunContext &context)
{
    const char *program = ripgrepProgram();
    if (program == nullptr) {
        return std::nullopt;
    }
    RipgrepRequest ripgrep;
    ripgrep.pattern = request.pattern;
    ripgrep.syntax = request.syntax;
    ripgrep.letterCase = request.letterCase;
    ripgrep.parentRules = rulesAbove(context.session.guard(), context.handle->realPath)
                              ? ParentRules::Honour
                              : ParentRules::Disregard;
    CommandSpec spec;
    spec.arguments = {program};
    for (const QByteArray &argument : ripgrepArguments(ripgrep)) {
        spec.arguments.push_back(argument.toStdString());
    }
    spec.environment = context.session.environment();
    spec.workingDirectory = *context.handle->descriptor;

    RawOutput output;
    const std::optional<RunReport> report =
        context.session.jobs().runAside(std::move(spec), output, context.stop);
    if (!report) {
        GrepFindings findings;
        findings.isCancelled = true;
        return findings;
    }
    const bool wasCut = output.bytes().size() >= LargestRipgrepOutput;
    constexpr int NothingFound = 1;
    if (!wasCut && (report->kind != RunReport::Kind::Exited || report->value > NothingFound)) {
        return std::nullopt;
    }
    const auto parsed = parseRipgrepOutput(output.bytes(), request.glob, request.limit);
    const auto *result = std::get_if<RipgrepResult>(&parsed);
    if (result == nullptr) {
        return std::nullopt;
    }
    return GrepFindings{result->lines, result->binaryFiles, result->leftOutLines, {}, result->isComplete,
                        false};
}

} // namespace spettro
