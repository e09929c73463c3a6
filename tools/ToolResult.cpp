#include "tools/ToolResult.h"

#include "tools/text/SafeText.h"

#include <cstring>

namespace spettro {

ToolError pathError(const char *act, QByteArrayView path, int number)
{
    return {QByteArray(act) + ' ' + visibleText(path) + ": " + ::strerror(number), number};
}

ToolResult ToolResult::success(QByteArray output)
{
    ToolResult result;
    result.ok = true;
    result.output = std::move(output);
    return result;
}

ToolResult ToolResult::failure(const ToolError &error)
{
    ToolResult result;
    result.error = error.message;
    return result;
}

ToolResult ToolResult::refused(const ToolError &error)
{
    ToolResult result = failure(error);
    result.wasRefused = true;
    return result;
}

Json ToolResult::json() const
{
    Json json = {{"ok", ok}, {"output", output.toStdString()}};
    if (!ok) {
        json["error"] = error.toStdString();
    }
    json.update(facts);
    return json;
}

} // namespace spettro
