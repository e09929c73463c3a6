#include "tools/builtin/FileReadTool.h"

#include "tools/GuardedFile.h"
#include "tools/ToolSession.h"
#include "tools/builtin/schemas.h"
#include "tools/text/SafeText.h"
#include "tools/text/TextFormat.h"

#include <QMimeDatabase>

#include <algorithm>

namespace spettro {

namespace {

constexpr qint64 DefaultLimit = 2000;                     // lines
constexpr qsizetype LongestLine = 2000;                   // bytes; what is behind is left out
constexpr qsizetype LargestOutput = qsizetype{64} * 1024; // bytes
constexpr qsizetype NumberWidth = 6;

QByteArray describeBinary(const QByteArray &content)
{
    const QByteArray type = QMimeDatabase().mimeTypeForData(content.left(16384)).name().toUtf8();
    return (type.startsWith("image/") ? "an image (" : "a binary file (") + type + ", "
           + QByteArray::number(content.size()) + " bytes)";
}

/// Cuts before a character, not inside one.
QByteArray cutLine(const QByteArray &line)
{
    qsizetype end = LongestLine;
    while (end > 0 && (static_cast<unsigned char>(line.at(end)) & 0xc0U) == 0x80U) {
        --end;
    }
    return line.left(end) + " [" + QByteArray::number(line.size() - end) + " more bytes in this line]";
}

class FileReadTask : public ToolTask
{
public:
    FileReadTask(QByteArray path, qint64 offset, qint64 limit)
        : m_path(std::move(path)), m_offset(offset), m_limit(limit)
    {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_path, Access::Read}; }

    ToolResult run(RunContext &context) override
    {
        const ToolOutcome<QByteArray> content = readAll(*context.handle);
        if (!content) {
            return ToolResult::failure(content.error());
        }
        const TextFormat format = detectTextFormat(*content);
        if (format.encoding == TextFormat::Encoding::Binary) {
            return ToolResult::failure({visibleText(m_path) + " is " + describeBinary(*content)});
        }
        context.session.seen().remember(context.handle->realPath, *content);
        return numbered(safeText(toUtf8(*content, format)));
    }

private:
    ToolResult numbered(const QByteArray &text) const
    {
        QByteArray output;
        qint64 number = 0;
        qint64 shown = 0;
        for (qsizetype begin = 0; begin < text.size();) {
            const qsizetype newLine = text.indexOf('\n', begin);
            const qsizetype end = newLine < 0 ? text.size() : newLine;
            ++number;
            if (number >= m_offset && shown < m_limit && output.size() < LargestOutput) {
                const QByteArray line = text.mid(begin, end - begin);
                output += QByteArray::number(number).rightJustified(NumberWidth) + '\t'
                          + (line.size() > LongestLine ? cutLine(line) : line) + '\n';
                ++shown;
            }
            begin = end + 1;
        }
        if (m_offset > std::max<qint64>(number, 1)) {
            return ToolResult::failure({"'offset' is behind the end: the file has "
                                        + QByteArray::number(number) + (number == 1 ? " line" : " lines")});
        }
        ToolResult result = ToolResult::success(output);
        result.facts["lines"] = number;
        if (const qint64 next = m_offset + shown; next <= number) {
            result.facts["truncated"] = true;
            result.facts["next_offset"] = next;
        }
        return result;
    }

    QByteArray m_path;
    qint64 m_offset;
    qint64 m_limit;
};

} // namespace

QByteArray FileReadTool::description() const
{
    return "Reads a text file. The output has each line with its number in front. Long files come in pieces: "
           "'offset' is "
           "the first line, 'limit' how many.";
}

Json FileReadTool::schema() const
{
    return objectSchema({{"path", property("string", "the file; relative paths start in the project folder")},
                         {"offset", integerProperty(1, "number of the first line, 1 if absent")},
                         {"limit", integerProperty(1, "how many lines, 2000 if absent")}},
                        {"path"});
}

ToolOutcome<std::unique_ptr<ToolTask>> FileReadTool::read(const Json &input) const
{
    return std::unique_ptr<ToolTask>(std::make_unique<FileReadTask>(
        textOf(input, "path"), input.value("offset", qint64{1}), input.value("limit", DefaultLimit)));
}

} // namespace spettro
