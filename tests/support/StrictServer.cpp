#include "tests/support/StrictServer.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

namespace spettro::test {

namespace {

void require(bool isTrue, const std::string &words)
{
    if (!isTrue) {
        throw std::runtime_error(words);
    }
}

bool isBlank(const Json &text)
{
    return text.get<std::string>().find_first_not_of(" \t\r\n\f\v") == std::string::npos;
}

bool isName(const std::string &name, std::size_t longest)
{
    const auto isFit = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
               || c == '-';
    };
    return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), isFit);
}

void requireArguments(const Json &arguments)
{
    require(arguments.is_string(), "arguments are no string");
    const Json value = Json::parse(arguments.get<std::string>(), nullptr, false);
    require(value.is_object(), "Failed to parse tool call arguments as JSON");
}

/// Why `check` refuses the body, which has to be JSON in UTF-8.
template<typename Check>
QByteArray refusal(const QByteArray &body, const Check &check)
{
    try {
        check(Json::parse(body.begin(), body.end()));
    } catch (const std::exception &error) {
        return error.what();
    }
    return {};
}

/// system? (user assistant (tool+ assistant)*)*, and the tools' messages answer the calls right before them.
void checkChat(const Json &body)
{
    std::set<std::string> ids;
    std::vector<std::string> open;
    std::string last;
    for (const Json &message : body.at("messages")) {
        const std::string role = message.at("role");
        const bool isFirst = last.empty() || last == "system";
        if (role == "system") {
            require(last.empty(), "system is not first");
        } else if (role == "user") {
            require(isFirst || (last == "assistant" && open.empty()), "user after " + last);
        } else if (role == "assistant") {
            require(last == "user" || (last == "tool" && open.empty()), "assistant after " + last);
            const bool hasCalls = message.contains("tool_calls");
            require(hasCalls || message.at("content").is_string(), "assistant without anything");
            for (const Json &call : hasCalls ? message.at("tool_calls") : Json::array()) {
                require(ids.insert(call.at("id").get<std::string>()).second, "id twice");
                require(call.at("id").get<std::string>().size() <= 40, "id too long");
                require(isName(call.at("function").at("name"), 64), "name of a tool");
                requireArguments(call.at("function").at("arguments"));
                open.push_back(call.at("id"));
            }
        } else {
            require(role == "tool" && !open.empty() && open.front() == message.at("tool_call_id"),
                    "result of no call");
            open.erase(open.begin());
        }
        require(message.at("content").is_null() ? role == "assistant" : !isBlank(message.at("content")),
                "blank");
        last = role;
    }
    require(open.empty(), "call without a result");
    require(last == "user" || last == "tool", "ends with " + last);
}

/// Tells the marks of the content, and adds its calls to `open` or takes its results from there.
int checkContent(const Json &message, std::vector<std::string> &open, std::set<std::string> &ids)
{
    const bool isUser = message.at("role") == "user";
    int marks = 0;
    std::string last;
    require(!message.at("content").empty(), "empty message");
    for (const Json &block : message.at("content")) {
        const std::string type = block.at("type");
        marks += block.contains("cache_control") ? 1 : 0;
        require(last != "tool_use" || type == "tool_use", type + " after tool_use");
        if (type == "text") {
            require(!isBlank(block.at("text")), "text content blocks must be non-empty");
            require(!isUser || open.empty(), "text before results");
        } else if (type == "tool_result") {
            require(isUser && !open.empty() && open.front() == block.at("tool_use_id"), "result of no call");
            require(!isBlank(block.at("content")), "blank result");
            open.erase(open.begin());
        } else if (type == "tool_use") {
            require(!isUser && block.at("input").is_object(), "input is no object");
            require(isName(block.at("id"), 1000) && isName(block.at("name"), 128),
                    "tool_use.id: should match pattern");
            require(ids.insert(block.at("id").get<std::string>()).second, "id twice");
        } else if (type == "thinking") {
            require(!isUser && !block.at("signature").get<std::string>().empty(),
                    "thinking without a signature");
            require(!block.contains("cache_control"), "mark on thinking");
        } else {
            require(type == "redacted_thinking" && !block.at("data").get<std::string>().empty(),
                    "unknown block");
        }
        last = type;
    }
    require(!isUser || open.empty(), "call without a result");
    for (const Json &block : message.at("content")) {
        if (block.at("type") == "tool_use") {
            open.push_back(block.at("id"));
        }
    }
    return marks;
}

void checkMessages(const Json &body)
{
    require(body.at("max_tokens").get<int>() > 0, "max_tokens");
    int marks = 0;
    for (const char *part : {"tools", "system"}) {
        for (const Json &entry : body.contains(part) ? body.at(part) : Json::array()) {
            marks += entry.contains("cache_control") ? 1 : 0;
        }
    }
    std::vector<std::string> open;
    std::set<std::string> ids;
    std::string last = "assistant";
    for (const Json &message : body.at("messages")) {
        require(message.at("role") != last, "roles must alternate");
        last = message.at("role");
        marks += checkContent(message, open, ids);
    }
    require(last == "user", "ends with the assistant");
    require(marks <= 4, "more than four marks");
}

void checkResponses(const Json &body)
{
    std::vector<std::string> open;
    std::set<std::string> ids;
    std::string last;
    for (const Json &item : body.at("input")) {
        const std::string type = item.at("type");
        require(last != "reasoning" || type == "reasoning" || type == "function_call"
                    || item.contains("role"),
                "reasoning without its following item");
        if (type == "message") {
            require(item.at("role") == "user" || item.at("role") == "assistant", "role");
            require(!isBlank(item.at("content")), "blank");
            require(last != "reasoning" || item.at("role") == "assistant",
                    "reasoning without its following item");
            require(item.at("role") != "user" || open.empty(), "No tool output found for function call");
        } else if (type == "function_call") {
            require(ids.insert(item.at("call_id").get<std::string>()).second, "id twice");
            require(isName(item.at("name"), 64), "name of a tool");
            requireArguments(item.at("arguments"));
            open.push_back(item.at("call_id"));
        } else if (type == "function_call_output") {
            require(!open.empty() && open.front() == item.at("call_id"), "No tool call found for output");
            require(!isBlank(item.at("output")), "blank");
            open.erase(open.begin());
        } else {
            require(type == "reasoning" && item.at("summary").is_array() && !item.contains("content")
                        && !item.at("encrypted_content").get<std::string>().empty(),
                    "reasoning item");
        }
        last = type;
    }
    require(open.empty(), "No tool output found for function call");
    require(last != "reasoning", "reasoning without its following item");
    require(body.at("store") == false, "store");
}

} // namespace

QByteArray refusalOfChat(const QByteArray &body)
{
    return refusal(body, checkChat);
}

QByteArray refusalOfMessages(const QByteArray &body)
{
    return refusal(body, checkMessages);
}

QByteArray refusalOfResponses(const QByteArray &body)
{
    return refusal(body, checkResponses);
}

} // namespace spettro::test
