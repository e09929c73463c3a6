#include "app/llm/responsesRequest.h"
#include "app/llm/JsonText.h"
#include "app/llm/preparedConversation.h"

namespace spettro {

namespace {

Json textItem(const char *role, QByteArrayView text)
{
    return Json{{"type", "message"}, {"role", role}, {"content", toJson(text)}};
}

/// The item as the server takes it back; null if it has nothing that the server could read.
Json reasoningItem(const ReasoningPart &reasoning)
{
    const std::optional<Json> item = parseJson(reasoning.opaque);
    if (!item || textOf(member(*item, "encrypted_content")).isEmpty()) {
        return nullptr;
    }
    const Json &summary = member(*item, "summary");
    Json sent{{"type", "reasoning"}};
    if (const Json &id = member(*item, "id"); id.is_string()) {
        sent["id"] = id;
    }
    sent["summary"] = summary.is_array() ? summary : Json::array();
    sent["encrypted_content"] = member(*item, "encrypted_content");
    return sent;
}

/// Null for parts that are not sent.
Json itemOf(const Part &part, Message::Role role)
{
    if (const auto *text = std::get_if<TextPart>(&part)) {
        return textItem(role == Message::Role::User ? "user" : "assistant", text->text);
    }
    if (const auto *result = std::get_if<ResultPart>(&part)) {
        return Json{{"type", "function_call_output"},
                    {"call_id", toJson(result->callId)},
                    {"output", toJson(result->text)}};
    }
    if (const auto *call = std::get_if<CallPart>(&part)) {
        return Json{{"type", "function_call"},
                    {"call_id", toJson(call->id)},
                    {"name", toJson(call->name)},
                    {"arguments", toJson(call->arguments)}};
    }
    return reasoningItem(std::get<ReasoningPart>(part));
}

/// Reasoning is only taken together with the item that it led to.
void addMessage(Json &input, const Message &message)
{
    Json held = Json::array();
    for (const Part &part : message.parts) {
        Json item = itemOf(part, message.role);
        if (item.is_null()) {
            continue;
        }
        const bool isReasoning = item["type"] == "reasoning";
        held.push_back(std::move(item));
        if (!isReasoning) {
            input.insert(input.end(), held.begin(), held.end());
            held.clear();
        }
    }
}

} // namespace

WireRequest responsesRequest(const ModelRequest &request, const Dialect &dialect)
{
    Json body{{"model", toJson(request.model)}};
    if (!request.system.trimmed().isEmpty()) {
        body["instructions"] = toJson(request.system);
    }
    Json &input = body["input"] = Json::array();
    for (const Message &message : preparedConversation(request.messages, Protocol::Responses, dialect)) {
        addMessage(input, message);
    }
    if (!request.tools.isEmpty()) {
        Json &tools = body["tools"] = Json::array();
        for (const ToolDeclaration &tool : request.tools) {
            tools.push_back({{"type", "function"},
                             {"name", toJson(tool.name)},
                             {"description", toJson(tool.description)},
                             {"parameters", tool.inputSchema},
                             {"strict", false}});
        }
    }
    if (request.maxOutputTokens) {
        body["max_output_tokens"] = *request.maxOutputTokens;
    }
    body["store"] = false;
    if (dialect.reasoning != Dialect::Reasoning::Never) {
        body["include"] = Json::array({"reasoning.encrypted_content"});
    }
    body["stream"] = true;
    return {"/responses", "Authorization", "Bearer ", streamHeaders(), toText(body)};
}

} // namespace spettro
