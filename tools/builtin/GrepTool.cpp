#include "tools/builtin/GrepTool.h"

#include "tools/builtin/GrepSearch.h"
#include "tools/builtin/schemas.h"
#include "tools/search/LineExcerpt.h"
#include "tools/text/SafeText.h"

namespace spettro {

namespace {

constexpr qsizetype DefaultLimit = 200;                   // lines
constexpr qsizetype LongestLine = 400;                    // bytes
constexpr qsizetype LargestOutput = qsizetype{64} * 1024; // bytes

QByteArray describeLine(const FoundLine &found)
{
    const LineExcerpt piece = excerpt(found.line, found.column - 1, LongestLine);
    return visibleText(found.path) + ':' + QByteArray::number(found.lineNumber) + ':'
           + (piece.leftOutBefore > 0 ? "[...]" : "") + safeText(piece.text).replace('\n', ' ')
           + (piece.leftOutAfter > 0 ? "[...]" : "") + '\n';
}

ToolResult describe(const GrepFindings &findings)
{
    if (findings.isCancelled) {
        return ToolResult::failure({"cancelled"});
    }
    QByteArray output;
    qsizetype shown = 0;
    while (shown < findings.lines.size() && output.size() < LargestOutput) {
        output += describeLine(findings.lines.at(shown++));
    }
    for (const QByteArray &path : findings.binaryFiles) {
        output += visibleText(path) + ": a binary file that matches\n";
    }
    for (const QByteArray &path : findings.tooCostly) {
        output += visibleText(path) + ": the pattern takes too long here\n";
    }
    ToolResult result = ToolResult::success(output);
    const qsizetype leftOut = findings.leftOut + findings.lines.size() - shown;
    result.facts["matching_lines"] = shown + leftOut;
    if (leftOut > 0 || !findings.isComplete) {
        result.facts["truncated"] = true;
    }
    return result;
}

class GrepTask : public ToolTask
{
public:
    GrepTask(GrepRequest request, LineSearch search, QByteArray path)
        : m_request(std::move(request)), m_search(std::move(search)), m_path(std::move(path))
    {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_path, Access::Search}; }

    ToolResult run(RunContext &context) override
    {
        const bool isFolder = S_ISDIR(context.handle->existing->st_mode);
        if (isFolder && !m_search.needsOwnEngine()) {
            if (const std::optional<GrepFindings> findings = searchByRipgrep(m_request, context)) {
                return describe(*findings);
            }
        }
        return describe(searchHere(m_request, m_search, context));
    }

private:
    GrepRequest m_request;
    LineSearch m_search;
    QByteArray m_path;
};

} // namespace

QByteArray GrepTool::description() const
{
    return "Finds the lines that match a regular expression, in one file or in all files of a folder; what "
           ".gitignore names is "
           "left out. The output is PATH:LINE:TEXT.";
}

Json GrepTool::schema() const
{
    return objectSchema(
        {{"pattern", property("string", "the regular expression")},
         {"path", property("string", "the file or folder, the project folder if absent")},
         {"glob", property("string", "only files whose path fits, such as *.cpp or src/**")},
         {"ignore_case", property("boolean", "do not distinguish upper and lower case")},
         {"fixed_string", property("boolean", "take the pattern as it is, not as an expression")},
         {"limit", integerProperty(1, "how many lines, 200 if absent")}},
        {"pattern"});
}

ToolOutcome<std::unique_ptr<ToolTask>> GrepTool::read(const Json &input) const
{
    GrepRequest request;
    request.pattern = textOf(input, "pattern");
    request.syntax = input.value("fixed_string", false) ? PatternSyntax::FixedString : PatternSyntax::Regex;
    request.letterCase = input.value("ignore_case", false) ? LetterCase::Ignore : LetterCase::Distinguish;
    request.limit = input.value("limit", qint64{DefaultLimit});
    if (input.contains("glob")) {
        const auto glob = GlobPattern::parse(textOf(input, "glob"));
        if (const auto *error = std::get_if<QString>(&glob)) {
            return ToolError{"'glob': " + error->toUtf8()};
        }
        request.glob = std::get<GlobPattern>(glob);
    }
    const auto search = LineSearch::create(request.pattern, request.syntax, request.letterCase);
    if (const auto *error = std::get_if<QString>(&search)) {
        return ToolError{"'pattern': " + error->toUtf8()};
    }
    return std::unique_ptr<ToolTask>(
        std::make_unique<GrepTask>(std::move(request), std::get<LineSearch>(search),
                                   input.contains("path") ? textOf(input, "path") : QByteArray(".")));
}

} // namespace spettro
