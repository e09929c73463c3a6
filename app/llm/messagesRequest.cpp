#include "app/llm/messagesRequest.h"
#include "app/llm/JsonText.h"
#include "app/llm/preparedConversation.h"

namespace spettro {

namespace {

constexpr int DefaultOutputTokens = 32000; // The protocol wants a limit; all models of today take this one.
constexpr int MarkedMessages = 2;

Json textBlock(QByteArrayView text)
{
    return Json{{"type", "text"}, {"text", toJson(text)}};
}

/// Null for reasoning that the server could not verify.
Json thinkingBlock(const ReasoningPart &reasoning)
{
    if (reasoning.opaque.isEmpty()) {
        return nullptr;
    }
    if (reasoning.kind == "redacted_thinking") {
        return Json{{"type", "redacted_thinking"}, {"data", toJson(reasoning.opaque)}};
    }
    return Json{
        {"type", "thinking"}, {"thinking", toJson(reasoning.text)}, {"signature", toJson(reasoning.opaque)}};
}

Json contentOf(const Message &message)
{
    Json content = Json::array();
    Json calls = Json::array(); // They have to be last.
    for (const Part &part : message.parts) {
        if (const auto *text = std::get_if<TextPart>(&part)) {
            content.push_back(textBlock(text->text));
        } else if (const auto *result = std::get_if<ResultPart>(&part)) {
            Json block{{"type", "tool_result"},
                       {"tool_use_id", toJson(result->callId)},
                       {"content", toJson(result->text)}};
            if (result->isError) {
                block["is_error"] = true;
            }
            content.push_back(std::move(block));
        } else if (const auto *call = std::get_if<CallPart>(&part)) {
            calls.push_back({{"type", "tool_use"},
                             {"id", toJson(call->id)},
                             {"name", toJson(call->name)},
                             {"input", parseJson(call->arguments).value_or(Json::object())}});
        } else if (const auto *reasoning = std::get_if<ReasoningPart>(&part)) {
            if (Json block = thinkingBlock(*reasoning); !block.is_null()) {
                content.push_back(std::move(block));
            }
        }
    }
    content.insert(content.end(), calls.begin(), calls.end());
    return content;
}

void mark(Json &block)
{
    block["cache_control"] = {{"type", "ephemeral"}};
}

/// Messages of the user end in a text or a result, both of which take a mark and neither of which is ever empty.
void markLastMessages(Json &messages)
{
    int left = MarkedMessages;
    for (auto message = messages.rbegin(); message != messages.rend() && left > 0; ++message) {
        if ((*message)["role"] == "user") {
            mark((*message)["content"].back());
            --left;
        }
    }
}

} // namespace

WireRequest messagesRequest(const ModelRequest &request, const Dialect &dialect)
{
    Json body{{"model", toJson(request.model)},
              {"max_tokens", request.maxOutputTokens.value_or(DefaultOutputTokens)}};
    if (!request.tools.isEmpty()) {
        Json &tools = body["tools"] = Json::array();
        for (const ToolDeclaration &tool : request.tools) {
            tools.push_back({{"name", toJson(tool.name)},
                             {"description", toJson(tool.description)},
                             {"input_schema", tool.inputSchema}});
        }
    }
    if (!request.system.trimmed().isEmpty()) {
        Json system = textBlock(request.system);
        mark(system);
        body["system"] = Json::array({std::move(system)});
    } else if (!request.tools.isEmpty()) {
        mark(body["tools"].back());
    }
    Json &messages = body["messages"] = Json::array();
    for (const Message &message : preparedConversation(request.messages, Protocol::Messages, dialect)) {
        const char *role = message.role == Message::Role::User ? "user" : "assistant";
        messages.push_back({{"role", role}, {"content", contentOf(message)}});
    }
    markLastMessages(messages);
    body["stream"] = true;

    HttpHeaders headers = streamHeaders();
    headers << HttpHeader{"anthropic-version", "2023-06-01"};
    return {"/messages", "x-api-key", "", headers, toText(body)};
}

} // namespace spettro
