#include "app/agent/writtenCall.h"

#include "tools/Json.h"

#include <algorithm>
#include <array>

namespace spettro {

namespace {

constexpr std::array Marks{"<tool_call>",  "<function=",   "<function_call>",
                           "[TOOL_CALLS]", "<|tool_call|", "<\uff5ctool\u2581calls",
                           "<invoke name="};

/// The inside of a Markdown block that is all of a text; else the text.
QByteArray withoutFence(const QByteArray &text)
{
    if (!text.startsWith("```") || !text.endsWith("```") || text.size() < 6) {
        return text;
    }
    const qsizetype line = text.indexOf('\n');
    return line < 0 ? text : text.mid(line + 1, text.size() - line - 4).trimmed();
}

bool namesTool(const Json &json, const QList<QByteArray> &tools)
{
    if (!json.is_object()
        || !(json.contains("arguments") || json.contains("parameters") || json.contains("input"))) {
        return false;
    }
    for (const char *field : {"name", "tool", "function"}) {
        const auto member = json.find(field);
        if (member != json.end() && member->is_string()
            && tools.contains(QByteArray::fromStdString(member->get<std::string>()))) {
            return true;
        }
    }
    return false;
}

} // namespace

bool isWrittenCall(const QByteArray &text, const QList<QByteArray> &tools)
{
    const QByteArray trimmed = text.trimmed();
    const auto beginsLine = [lines = '\n' + trimmed](const char *mark) {
        return lines.contains('\n' + QByteArray(mark));
    };
    if (std::any_of(Marks.begin(), Marks.end(), beginsLine)) {
        return true;
    }
    constexpr qsizetype Largest = qsizetype{64} * 1024; // bytes
    const QByteArray inside = withoutFence(trimmed);
    return inside.startsWith('{') && inside.size() <= Largest
           && namesTool(Json::parse(inside.constData(), nullptr, false), tools);
}

} // namespace spettro
