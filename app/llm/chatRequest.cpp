#include "app/llm/chatRequest.h"
#include "app/llm/JsonText.h"
#include "app/llm/preparedConversation.h"

namespace spettro {

namespace {

Json roleMessage(const char *role, QByteArrayView content)
{
    return Json{{"role", role}, {"content", toJson(content)}};
}

/// Results as messages of their own. Text behind them goes into the last of these: after a tool, templates take nothing
/// but the assistant.
void addUser(Json &messages, const Message &message)
{
    QByteArray texts;
    bool hasResults = false;
    for (const Part &part : message.parts) {
        if (const auto *result = std::get_if<ResultPart>(&part)) {
            Json tool = roleMessage("tool", result->text);
            tool["tool_call_id"] = toJson(result->callId);
            messages.push_back(std::move(tool));
            hasResults = true;
        } else if (const auto *text = std::get_if<TextPart>(&part)) {
            texts += (texts.isEmpty() ? "" : "\n\n") + text->text;
        }
    }
    if (!hasResults) {
        messages.push_back(roleMessage("user", texts));
    } else if (!texts.isEmpty()) {
        Json &content = messages.back()["content"];
        content = content.get<std::string>() + "\n\nMessage from the user:\n" + texts.toStdString();
    }
}

void addReasoning(Json &message, const ReasoningPart &reasoning)
{
    if (reasoning.kind == "reasoning_details") {
        const std::optional<Json> details = parseJson(reasoning.opaque);
        if (details && details->is_array()) {
            message["reasoning_details"] = *details;
        }
    } else if (reasoning.kind == "reasoning_content" || reasoning.kind == "reasoning") {
        message[reasoning.kind.toStdString()] = toJson(reasoning.text);
    }
}

Json functionCall(const CallPart &call)
{
    return Json{{"id", toJson(call.id)},
                {"type", "function"},
                {"function", {{"name", toJson(call.name)}, {"arguments", toJson(call.arguments)}}}};
}

Json assistantMessage(const Message &message, Dialect::Reasoning reasoning)
{
    QByteArray texts;
    Json calls = Json::array();
    Json written{{"role", "assistant"}, {"content", nullptr}};
    for (const Part &part : message.parts) {
        if (const auto *text = std::get_if<TextPart>(&part)) {
            texts += (texts.isEmpty() ? "" : "\n\n") + text->text;
        } else if (const auto *call = std::get_if<CallPart>(&part)) {
            calls.push_back(functionCall(*call));
        } else if (const auto *thought = std::get_if<ReasoningPart>(&part)) {
            addReasoning(written, *thought);
        }
    }
    if (!texts.isEmpty()) {
        written["content"] = toJson(texts);
    }
    if (reasoning == Dialect::Reasoning::Always && !written.contains("reasoning_content")) {
        written["reasoning_content"] = "";
    }
    if (!calls.empty()) {
        written["tool_calls"] = std::move(calls);
    }
    return written;
}

Json toolList(const QList<ToolDeclaration> &tools)
{
    Json list = Json::array();
    for (const ToolDeclaration &tool : tools) {
        list.push_back({{"type", "function"},
                        {"function",
                         {{"name", toJson(tool.name)},
                          {"description", toJson(tool.description)},
                          {"parameters", tool.inputSchema}}}});
    }
    return list;
}

} // namespace

WireRequest chatRequest(const ModelRequest &request, const Dialect &dialect)
{
    Json body{{"model", toJson(request.model)}};
    Json &messages = body["messages"] = Json::array();
    if (!request.system.trimmed().isEmpty()) {
        messages.push_back(roleMessage("system", request.system));
    }
    for (const Message &message :
         preparedConversation(request.messages, Protocol::ChatCompletions, dialect)) {
        if (message.role == Message::Role::User) {
            addUser(messages, message);
        } else {
            messages.push_back(assistantMessage(message, dialect.reasoning));
        }
    }
    if (!request.tools.isEmpty()) {
        body["tools"] = toolList(request.tools);
    }
    if (request.maxOutputTokens) {
        const bool isNew = dialect.outputLimit == Dialect::OutputLimit::MaxCompletionTokens;
        body[isNew ? "max_completion_tokens" : "max_tokens"] = *request.maxOutputTokens;
    }
    body["stream"] = true;
    if (dialect.streamUsage == Dialect::StreamUsage::Asked) {
        body["stream_options"] = {{"include_usage", true}};
    }
    return {"/chat/completions", "Authorization", "Bearer ", streamHeaders(), toText(body)};
}

} // namespace spettro
