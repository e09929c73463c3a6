#include "tools/builtin/FileEditTool.h"

#include "tools/builtin/FileChange.h"
#include "tools/builtin/schemas.h"
#include "tools/text/EditPlan.h"
#include "tools/text/SafeText.h"

namespace spettro {

namespace {

/// What is said about a match that was not exact, so that the model knows.
const char *noteOn(MatchKind kind)
{
    switch (kind) {
    case MatchKind::Exact:
        return nullptr;
    case MatchKind::LineEndings:
        return "matched with other line endings than given; the file keeps its own";
    case MatchKind::Whitespace:
        return "there was no exact match: matched with other blanks at the beginning or end of lines";
    }
    return nullptr;
}

class FileEditTask : public ToolTask
{
public:
    FileEditTask(QByteArray path, QList<TextEdit> edits) : m_path(std::move(path)), m_edits(std::move(edits))
    {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_path, Access::Write}; }

    ToolResult run(RunContext &context) override
    {
        const ToolOutcome<std::optional<QByteArray>> before = readUnchanged(context.session, *context.handle);
        if (!before) {
            return ToolResult::failure(before.error());
        }
        if (!before->has_value()) {
            return ToolResult::failure(pathError("open", m_path, ENOENT));
        }
        const EditResult edited = applyEdits(**before, m_edits);
        if (!edited.outcome) {
            return ToolResult::failure({visibleText(m_path) + ": " + edited.error.toUtf8()});
        }
        ToolResult result = writeChange(context.session, *context.handle, *before, edited.outcome->content);
        if (result.ok) {
            result.facts["replacements"] = edited.outcome->replacements;
            if (const char *note = noteOn(edited.outcome->weakestMatch)) {
                result.facts["match"] = note;
            }
        }
        return result;
    }

private:
    QByteArray m_path;
    QList<TextEdit> m_edits;
};

Json editProperties()
{
    return {
        {"old_string", property("string", "the text to replace, exactly as it stands in the file")},
        {"new_string", property("string", "the text to put in its place")},
        {"replace_all", property("boolean", "replace every occurrence; otherwise there has to be just one")},
        {"expected_replacements",
         integerProperty(1, "replace every occurrence, of which there have to be so many")}};
}

TextEdit editOf(const Json &input)
{
    TextEdit edit{
        textOf(input, "old_string"), textOf(input, "new_string"), input.value("replace_all", false), {}};
    if (input.contains("expected_replacements")) {
        edit.expectedReplacements = input.at("expected_replacements").get<int>();
    }
    return edit;
}

} // namespace

QByteArray FileEditTool::description() const
{
    return "Replaces text in a file and leaves every other byte as it is. Either 'old_string' and "
           "'new_string', or 'edits', a "
           "list of such pairs that are applied in order, all of them or none. The output is a unified diff.";
}

Json FileEditTool::schema() const
{
    Json properties = {{"path", property("string", "the file; relative paths start in the project folder")}};
    properties.update(editProperties());
    properties["edits"] = {{"type", "array"},
                           {"description", "several replacements in place of old_string and new_string"},
                           {"items", objectSchema(editProperties(), {"old_string", "new_string"})}};
    return objectSchema(std::move(properties), {"path"});
}

ToolOutcome<std::unique_ptr<ToolTask>> FileEditTool::read(const Json &input) const
{
    const bool isSingle = input.contains("old_string") && input.contains("new_string");
    const bool isList = input.contains("edits");
    if (isList ? input.size() != 2 : !isSingle) {
        return ToolError{isList ? "give either 'edits' or the fields of one edit, not both"
                                : QByteArray("the field '")
                                      + (input.contains("old_string") ? "new_string" : "old_string")
                                      + "' is missing"};
    }
    QList<TextEdit> edits;
    for (const Json &edit : isList ? input.at("edits") : Json::array({input})) {
        edits.append(editOf(edit));
    }
    if (edits.isEmpty()) {
        return ToolError{"'edits' is empty"};
    }
    return std::unique_ptr<ToolTask>(std::make_unique<FileEditTask>(textOf(input, "path"), std::move(edits)));
}

} // namespace spettro
