#include "app/llm/ResponsesReader.h"
#include "app/llm/JsonText.h"
#include "app/llm/ServerError.h"

#include <algorithm>

namespace spettro {

namespace {

/// The texts of all elements of `list` that have this type.
QByteArray joinedTexts(const Json &list, const char *type, const char *field)
{
    QByteArray joined;
    if (list.is_array()) {
        for (const Json &entry : list) {
            if (textOf(member(entry, "type")) == type) {
                joined += textOf(member(entry, field));
            }
        }
    }
    return joined;
}

QByteArray argumentsOf(const Json &arguments)
{
    if (arguments.is_null()) {
        return {};
    }
    return arguments.is_string() ? textOf(arguments) : toText(arguments);
}

} // namespace

void ResponsesReader::takeEvent(const Json &event)
{
    const QByteArray type = textOf(member(event, "type"));
    if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
        takeEnd(type, member(event, "response"));
    } else if (type == "error") {
        takeError(event); // OpenAI's has its words at the top.
    } else if (type == "response.output_item.added") {
        Output &output = outputOf(event);
        output.item = member(event, "item");
        if (textOf(member(output.item, "type")) == "function_call") {
            tellCall(textOf(member(output.item, "name")));
        }
    } else if (type == "response.output_item.done") {
        Output &output = outputOf(event);
        output.item = member(event, "item");
        output.isEnded = true;
    } else {
        takePiece(type, event);
    }
}

void ResponsesReader::takePiece(const QByteArray &type, const Json &event)
{
    const QByteArray delta = textOf(member(event, "delta"));
    if (type == "response.output_text.delta") {
        outputOf(event).text += delta;
        tellText(delta);
    } else if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta") {
        outputOf(event).reasoning += delta;
        tellReasoning(delta);
    } else if (type == "response.function_call_arguments.delta") {
        outputOf(event).arguments += delta;
    } else if (type == "response.function_call_arguments.done") {
        if (const Json &arguments = member(event, "arguments"); !arguments.is_null()) {
            outputOf(event).arguments = argumentsOf(arguments);
        }
    } else if (type == "response.refusal.delta") {
        outputOf(event).refusal += delta;
    }
}

void ResponsesReader::takeWhole(const Json &reply)
{
    const QByteArray status = textOf(member(reply, "status"));
    if (member(reply, "output").is_array()) {
        takeEnd("response." + (status.isEmpty() ? "completed" : status), reply);
    }
}

/// The item that an event is about: by its place, else by its id, else the last one.
ResponsesReader::Output &ResponsesReader::outputOf(const Json &event)
{
    if (const std::optional<qint64> index = integerOf(member(event, "output_index"))) {
        return m_outputs[*index];
    }
    QByteArray id = textOf(member(event, "item_id"));
    if (id.isEmpty()) {
        id = textOf(member(member(event, "item"), "id"));
    }
    const auto found = std::find_if(m_outputs.begin(), m_outputs.end(), [&](const auto &entry) {
        return !id.isEmpty() && textOf(member(entry.second.item, "id")) == id;
    });
    if (found != m_outputs.end()) {
        return found->second;
    }
    const bool isBeginning = textOf(member(event, "type")) == "response.output_item.added";
    if (m_outputs.empty() || isBeginning) {
        return m_outputs[m_outputs.empty() ? 0 : m_outputs.rbegin()->first + 1];
    }
    return m_outputs.rbegin()->second;
}

void ResponsesReader::takeEnd(const QByteArray &type, const Json &response)
{
    takeUsage(member(response, "usage"));
    completeOutputs(member(response, "output"), type);
    if (type == "response.failed") {
        takeFailure(response);
    } else if (type == "response.incomplete") {
        const QByteArray reason = textOf(member(member(response, "incomplete_details"), "reason"));
        finish(reason == "content_filter" ? Finish::Refused : Finish::OutputLimit);
    } else if (type == "response.completed") {
        finish(Finish::Normal);
    }
    setComplete();
}

/// The last event repeats all items: those that did not end by themselves are taken from there.
void ResponsesReader::completeOutputs(const Json &items, const QByteArray &type)
{
    if (!items.is_array() || items.size() < m_outputs.size()) {
        return;
    }
    qint64 index = 0;
    for (const Json &item : items) {
        Output &output = m_outputs[index++];
        if (!output.isEnded) {
            output.item = item;
            output.isEnded = type == "response.completed" || textOf(member(item, "status")) == "completed";
        }
    }
}

void ResponsesReader::takeFailure(const Json &response)
{
    const Json &error = member(response, "error");
    if (error.is_null()) {
        fail(modelError(ModelError::Kind::Server, "The server failed and does not say why.", redactor()));
    } else {
        takeError(error);
    }
}

void ResponsesReader::takeError(const Json &error)
{
    fail(errorFromObject(error, redactor()));
}

void ResponsesReader::takeUsage(const Json &figures)
{
    if (!figures.is_object()) {
        return;
    }
    const auto figure = [](const Json &value) { return std::max<qint64>(integerOf(value).value_or(0), 0); };
    usage().isKnown = true;
    usage().input = figure(member(figures, "input_tokens"));
    usage().output = figure(member(figures, "output_tokens"));
    usage().cachedInput = figure(member(member(figures, "input_tokens_details"), "cached_tokens"));
}

QList<ReplyReader::Item> ResponsesReader::takeItems()
{
    QList<Item> items;
    for (const auto &[index, output] : m_outputs) {
        takeContent(output, items);
    }
    return items;
}

void ResponsesReader::takeContent(const Output &output, QList<Item> &items)
{
    const QByteArray type = textOf(member(output.item, "type"));
    if (type == "reasoning") {
        const QByteArray summary = joinedTexts(member(output.item, "summary"), "summary_text", "text");
        // Only a whole item can go back; one that did not end is lost.
        const QByteArray opaque = output.isEnded ? toText(output.item) : QByteArray();
        items << ReasoningPart{summary.isEmpty() ? output.reasoning : summary, opaque, type,
                               Protocol::Responses};
    } else if (type == "function_call") {
        const QByteArray whole = argumentsOf(member(output.item, "arguments"));
        const bool isItemWhole = output.isEnded && !whole.isEmpty();
        items << ReceivedCall{textOf(member(output.item, "call_id")), textOf(member(output.item, "name")),
                              isItemWhole ? whole : output.arguments, !output.isEnded};
    } else {
        const QByteArray whole = joinedTexts(member(output.item, "content"), "output_text", "text");
        const QByteArray refusal = joinedTexts(member(output.item, "content"), "refusal", "refusal");
        addRefusal(refusal.isEmpty() ? output.refusal : refusal);
        items << TextPart{whole.isEmpty() ? output.text : whole};
    }
}

} // namespace spettro
