#include "tools/builtin/GlobTool.h"

#include "tools/ToolSession.h"
#include "tools/builtin/rulesAbove.h"
#include "tools/builtin/schemas.h"
#include "tools/search/GlobPattern.h"
#include "tools/text/SafeText.h"

namespace spettro {

namespace {

constexpr qint64 MostPaths = 1000;

class GlobTask : public ToolTask
{
public:
    GlobTask(GlobPattern pattern, QByteArray path, IgnoreFiles ignoreFiles)
        : m_pattern(std::move(pattern)), m_path(std::move(path)), m_ignoreFiles(ignoreFiles)
    {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_path, Access::List}; }

    ToolResult run(RunContext &context) override
    {
        WalkOptions options;
        options.ignoreFiles = m_ignoreFiles;
        options.parents = rulesAbove(context.session.guard(), context.handle->realPath)
                              .value_or(std::vector<ParentIgnore>());
        options.isCancelled = [&context] { return context.stop.stop_requested(); };
        QByteArray output;
        qint64 found = 0;
        const WalkSummary summary =
            walkTree(*context.handle->descriptor, options, [&](const WalkEntry &entry) {
                if (entry.kind != WalkEntry::Kind::Folder && m_pattern.matches(entry.path)
                    && ++found <= MostPaths) {
                    output += visibleText(entry.path) + '\n';
                }
                return WalkAction::Continue;
            });
        if (summary.end == WalkSummary::End::Cancelled) {
            return ToolResult::failure({"cancelled"});
        }
        ToolResult result = ToolResult::success(output);
        result.facts["found"] = found;
        if (found > MostPaths) {
            result.facts["truncated"] = true;
        }
        if (summary.unreadableFolders > 0) {
            result.facts["unreadable_folders"] = summary.unreadableFolders;
        }
        return result;
    }

private:
    GlobPattern m_pattern;
    QByteArray m_path;
    IgnoreFiles m_ignoreFiles;
};

} // namespace

QByteArray GlobTool::description() const
{
    return "Finds files whose path fits a pattern such as **/*.cpp or src/{a,b}/*.h; a pattern without / is "
           "compared with the "
           "name alone. What .gitignore names is left out.";
}

Json GlobTool::schema() const
{
    return objectSchema({{"pattern", property("string", "the pattern, from the folder on")},
                         {"path", property("string", "the folder, the project folder if absent")},
                         {"include_ignored", property("boolean", "find also what .gitignore names")}},
                        {"pattern"});
}

ToolOutcome<std::unique_ptr<ToolTask>> GlobTool::read(const Json &input) const
{
    const auto pattern = GlobPattern::parse(textOf(input, "pattern"));
    if (const auto *error = std::get_if<QString>(&pattern)) {
        return ToolError{"'pattern': " + error->toUtf8()};
    }
    return std::unique_ptr<ToolTask>(std::make_unique<GlobTask>(
        std::get<GlobPattern>(pattern), input.contains("path") ? textOf(input, "path") : QByteArray("."),
        input.value("include_ignored", false) ? IgnoreFiles::Disregard : IgnoreFiles::Honour));
}

} // namespace spettro
