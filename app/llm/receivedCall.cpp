#include "app/llm/receivedCall.h"
#include "app/llm/JsonProgress.h"
#include "app/llm/JsonText.h"

namespace spettro {

namespace {

constexpr const char *Cut =
    "This call was not run: your output was cut off before its arguments were complete. Do it in "
    "smaller parts.";
constexpr const char *NoObject = "This call was not run: its arguments have to be one JSON object.";
constexpr const char *NoJson = "This call was not run: its arguments are not valid JSON.";
constexpr const char *NoName = "This call was not run: it names no tool.";

QByteArray problemOf(const QByteArray &arguments, ArgumentsEnd end)
{
    JsonProgress progress;
    progress.add(arguments);
    if (end == ArgumentsEnd::Missing || progress.isOpen()) {
        return Cut;
    }
    const std::optional<Json> value = parseJson(arguments);
    if (!value) {
        return NoJson;
    }
    return value->is_object() ? QByteArray() : QByteArray(NoObject);
}

} // namespace

CallPart receivedCall(const QByteArray &id, const QByteArray &name, const QByteArray &arguments,
                      ArgumentsEnd end)
{
    CallPart call{id, name, arguments.trimmed(), {}};
    if (call.arguments.isEmpty() && end == ArgumentsEnd::Present) {
        call.arguments = "{}";
    }
    call.problem = name.isEmpty() ? QByteArray(NoName) : problemOf(call.arguments, end);
    if (!call.problem.isEmpty()) {
        call.arguments = "{}";
    }
    return call;
}

} // namespace spettro
