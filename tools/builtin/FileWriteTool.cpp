#include "tools/builtin/FileWriteTool.h"

#include "tools/builtin/FileChange.h"
#include "tools/builtin/schemas.h"

namespace spettro {

namespace {

enum class WriteMode { Replace, Append };

class FileWriteTask : public ToolTask
{
public:
    FileWriteTask(QByteArray path, QByteArray content, WriteMode mode)
        : m_path(std::move(path)), m_content(std::move(content)), m_mode(mode)
    {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_path, Access::Write}; }

    ToolResult run(RunContext &context) override
    {
        const ToolOutcome<std::optional<QByteArray>> before = readUnchanged(context.session, *context.handle);
        if (!before) {
            return ToolResult::failure(before.error());
        }
        const QByteArray after =
            m_mode == WriteMode::Append ? before->value_or(QByteArray()) + m_content : m_content;
        return writeChange(context.session, *context.handle, *before, after);
    }

private:
    QByteArray m_path;
    QByteArray m_content;
    WriteMode m_mode;
};

} // namespace

QByteArray FileWriteTool::description() const
{
    return "Writes a file with exactly this content: creates it, with the folders on the way, or replaces "
           "all of it. The "
           "output is a unified diff.";
}

Json FileWriteTool::schema() const
{
    return objectSchema({{"path", property("string", "the file; relative paths start in the project folder")},
                         {"content", property("string", "the whole content")},
                         {"append", property("boolean", "put the content behind what is there")}},
                        {"path", "content"});
}

ToolOutcome<std::unique_ptr<ToolTask>> FileWriteTool::read(const Json &input) const
{
    return std::unique_ptr<ToolTask>(std::make_unique<FileWriteTask>(
        textOf(input, "path"), textOf(input, "content"),
        input.value("append", false) ? WriteMode::Append : WriteMode::Replace));
}

} // namespace spettro
