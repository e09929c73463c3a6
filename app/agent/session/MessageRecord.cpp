#include "app/agent/session/MessageRecord.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spettro {

namespace {

constexpr std::array<std::pair<Protocol, const char *>, 3> ProtocolNames{{{Protocol::ChatCompletions, "chat"},
                                                                          {Protocol::Responses, "responses"},
                                                                          {Protocol::Messages, "messages"}}};

constexpr const char *UserRole = "user";
constexpr const char *AssistantRole = "assistant";

const char *nameOf(Protocol protocol)
{
    return std::find_if(ProtocolNames.begin(), ProtocolNames.end(),
                        [protocol](const auto &entry) { return entry.first == protocol; })
        ->second;
}

Json jsonOf(const TextPart &part)
{
    return {{"kind", "text"}, {"text", part.text.toStdString()}};
}

Json jsonOf(const ReasoningPart &part)
{
    return {{"kind", "reasoning"},
            {"text", part.text.toStdString()},
            {"opaque", part.opaque.toStdString()},
            {"as", part.kind.toStdString()},
            {"protocol", nameOf(part.protocol)}};
}

Json jsonOf(const CallPart &part)
{
    Json json{{"kind", "call"},
              {"id", part.id.toStdString()},
              {"tool", part.name.toStdString()},
              {"arguments", part.arguments.toStdString()}};
    if (!part.problem.isEmpty()) {
        json["problem"] = part.problem.toStdString();
    }
    return json;
}

Json jsonOf(const ResultPart &part)
{
    return {{"kind", "result"},
            {"id", part.callId.toStdString()},
            {"text", part.text.toStdString()},
            {"is_error", part.isError}};
}

/// A member that is a text; empty where it is none.
QByteArray textIn(const Json &json, const char *name)
{
    const auto member = json.find(name);
    return member != json.end() && member->is_string()
               ? QByteArray::fromStdString(member->get_ref<const std::string &>())
               : QByteArray();
}

bool isTrue(const Json &json, const char *name)
{
    const auto member = json.find(name);
    return member != json.end() && member->is_boolean() && member->get<bool>();
}

std::optional<Part> reasoningOf(const Json &json)
{
    const QByteArray name = textIn(json, "protocol");
    const auto *const protocol = std::find_if(ProtocolNames.begin(), ProtocolNames.end(),
                                              [&](const auto &entry) { return name == entry.second; });
    if (protocol == ProtocolNames.end()) {
        return std::nullopt;
    }
    return ReasoningPart{textIn(json, "text"), textIn(json, "opaque"), textIn(json, "as"), protocol->first};
}

std::optional<Part> partOf(const Json &json)
{
    if (!json.is_object()) {
        return std::nullopt;
    }
    const QByteArray kind = textIn(json, "kind");
    const QByteArray id = textIn(json, "id");
    if (kind == "text") {
        return TextPart{textIn(json, "text")};
    }
    if (kind == "reasoning") {
        return reasoningOf(json);
    }
    if (kind == "call" && !id.isEmpty()) {
        return CallPart{id, textIn(json, "tool"), textIn(json, "arguments"), textIn(json, "problem")};
    }
    if (kind == "result" && !id.isEmpty()) {
        return ResultPart{id, textIn(json, "text"), isTrue(json, "is_error")};
    }
    return std::nullopt;
}

} // namespace

Json messageJson(const Message &message)
{
    Json parts = Json::array();
    for (const Part &part : message.parts) {
        parts.push_back(std::visit([](const auto &which) { return jsonOf(which); }, part));
    }
    return {{"role", message.role == Message::Role::User ? UserRole : AssistantRole},
            {"parts", std::move(parts)}};
}

std::optional<Message> messageOf(const Json &record)
{
    const QByteArray role = record.is_object() ? textIn(record, "role") : QByteArray();
    const auto parts = record.is_object() ? record.find("parts") : record.end();
    if ((role != UserRole && role != AssistantRole) || parts == record.end() || !parts->is_array()) {
        return std::nullopt;
    }
    Message message{role == UserRole ? Message::Role::User : Message::Role::Assistant, {}};
    for (const Json &json : *parts) {
        if (std::optional<Part> part = partOf(json)) {
            message.parts.append(*std::move(part));
        }
    }
    return message;
}

} // namespace spettro
