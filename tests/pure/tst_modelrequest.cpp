// Requests of the three protocols. What is sent has to be taken by servers that refuse what the real ones refuse,
// whatever has happened to the conversation.

#include "app/llm/chatRequest.h"
#include "app/llm/messagesRequest.h"
#include "app/llm/preparedConversation.h"
#include "app/llm/responsesRequest.h"
#include "tests/support/StrictServer.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace spettro;
using namespace spettro::test;

namespace {

constexpr unsigned Seed = 20261130;

const QByteArray Interrupted =
    "The call was interrupted before there was a result. It may have had effects: look before you repeat it.";

Message user(const QList<Part> &parts)
{
    return {Message::Role::User, parts};
}

Message assistant(const QList<Part> &parts)
{
    return {Message::Role::Assistant, parts};
}

TextPart text(const QByteArray &words)
{
    return {words};
}

CallPart call(const QByteArray &id, const QByteArray &arguments = "{}", const QByteArray &name = "ls")
{
    return {id, name, arguments, {}};
}

ResultPart result(const QByteArray &id, const QByteArray &words)
{
    return {id, words, false};
}

ReasoningPart thinking(const QByteArray &words, const QByteArray &signature)
{
    return {words, signature, "thinking", Protocol::Messages};
}

ReasoningPart item(const QByteArray &json)
{
    return {"", json, "reasoning", Protocol::Responses};
}

ReasoningPart field(const QByteArray &name, const QByteArray &words)
{
    return {words, {}, name, Protocol::ChatCompletions};
}

ModelRequest requestOf(const Conversation &messages)
{
    ModelRequest request;
    request.model = "m";
    request.messages = messages;
    return request;
}

Json read(const QByteArray &body)
{
    return Json::parse(body.begin(), body.end());
}

QByteArray written(const Json &json)
{
    return QByteArray::fromStdString(json.dump());
}

QByteArray chatMessages(const Conversation &messages, const Dialect &dialect = {})
{
    return written(read(chatRequest(requestOf(messages), dialect).body)["messages"]);
}

/// Without marks for the cache, which move.
QByteArray anthropicMessages(const Conversation &messages, const Dialect &dialect = {})
{
    Json list = read(messagesRequest(requestOf(messages), dialect).body)["messages"];
    for (Json &message : list) {
        for (Json &block : message["content"]) {
            block.erase("cache_control");
        }
    }
    return written(list);
}

QByteArray responsesInput(const Conversation &messages, const Dialect &dialect = {})
{
    return written(read(responsesRequest(requestOf(messages), dialect).body)["input"]);
}

/// Everything that can go wrong with a conversation, by chance.
Conversation anyConversation(std::mt19937 &random)
{
    const QList<QByteArray> words{"hello",        "",     " \n", "a\xF0\x9F\x98", "abc \n",
                                  "\xED\xA0\xBD", "x\0y", "more"};
    const QList<QByteArray> ids{"a", "b", "c", "", "functions.bash:0", QByteArray(60, 'x'), "call00002"};
    const QList<QByteArray> arguments{"{}",        "{\"command\":", "[1]", "", "{\"a\":\"\\ud83d\"}",
                                      "{\"a\":1}", "\xFF"};
    const QList<QByteArray> names{"ls", "made up/tool", "", QByteArray(80, 'n'), "\xC3\xA9"};
    const auto any = [&](const QList<QByteArray> &list) {
        return list[static_cast<qsizetype>(random() % static_cast<unsigned>(list.size()))];
    };
    const auto anyPart = [&]() -> Part {
        switch (random() % 9) {
        case 0:
        case 1:
            return text(any(words));
        case 2:
        case 3:
            return call(any(ids), any(arguments), any(names));
        case 4:
        case 5:
            return result(any(ids), any(words));
        case 6:
            return thinking(any(words), random() % 2 == 0 ? "S" : "");
        case 7:
            return item(random() % 2 == 0 ? R"({"id":"rs","content":[],"encrypted_content":"E"})"
                                          : R"({"id":"rs"})");
        default:
            return field(random() % 2 == 0 ? "reasoning" : "reasoning_content", any(words));
        }
    };
    Conversation conversation;
    for (auto left = random() % 8; left > 0; --left) {
        Message message;
        message.role = random() % 2 == 0 ? Message::Role::User : Message::Role::Assistant;
        for (auto parts = random() % 4; parts > 0; --parts) {
            message.parts << anyPart();
        }
        conversation << message;
    }
    return conversation;
}

Dialect anyDialect(std::mt19937 &random)
{
    Dialect dialect;
    dialect.reasoning = static_cast<Dialect::Reasoning>(random() % 3);
    dialect.callIds = static_cast<Dialect::CallIds>(random() % 2);
    return dialect;
}

} // namespace

class tst_ModelRequest : public QObject
{
    Q_OBJECT

private slots:
    void wholeChatBody();
    void wholeMessagesBody();
    void wholeResponsesBody();
    void conversations_data();
    void conversations();
    void reasoning_data();
    void reasoning();
    void marksForTheCache();
    void isTakenByStrictServers();
    void growsOnlyAtItsEnd();
    void repeatsItself();
    void bytesAreExactOrReplaced();
    void adaptsDialects_data();
    void adaptsDialects();
    void adaptsOnlyOnce();
};

void tst_ModelRequest::wholeChatBody()
{
    ModelRequest request = requestOf({user({text("hi")})});
    request.system = "Be brief.";
    request.tools = {{"ls", "Lists.", read(R"({"type":"object"})")}};
    request.maxOutputTokens = 100;
    const WireRequest wire = chatRequest(request, {});
    QCOMPARE(wire.path, "/chat/completions");
    QCOMPARE(wire.keyHeader + ": " + wire.keyPrefix, "Authorization: Bearer ");
    QCOMPARE(
        wire.body,
        R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}],)"
        R"("tools":[{"type":"function","function":{"name":"ls","description":"Lists.","parameters":{"type":"object"}}}],)"
        R"("max_tokens":100,"stream":true,"stream_options":{"include_usage":true}})");

    Dialect dialect;
    dialect.outputLimit = Dialect::OutputLimit::MaxCompletionTokens;
    dialect.streamUsage = Dialect::StreamUsage::NotAsked;
    request.tools.clear();
    request.system = " ";
    QCOMPARE(
        chatRequest(request, dialect).body,
        R"({"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":100,"stream":true})");
    request.maxOutputTokens.reset();
    QVERIFY(!chatRequest(request, dialect).body.contains("max_"));

    bool isPlain = false;
    for (const HttpHeader &header : wire.headers) {
        isPlain = isPlain || (header.name == "Accept-Encoding" && header.value == "identity");
    }
    QVERIFY(isPlain);
}

void tst_ModelRequest::wholeMessagesBody()
{
    ModelRequest request = requestOf({user({text("hi")})});
    request.system = "Be brief.";
    request.tools = {{"ls", "Lists.", read(R"({"type":"object"})")}};
    request.maxOutputTokens = 100;
    const WireRequest wire = messagesRequest(request, {});
    QCOMPARE(wire.path, "/messages");
    QCOMPARE(wire.keyHeader + ": " + wire.keyPrefix, "x-api-key: ");
    QCOMPARE(wire.headers.last().name + ": " + wire.headers.last().value, "anthropic-version: 2023-06-01");
    QCOMPARE(
        wire.body,
        R"({"model":"m","max_tokens":100,"tools":[{"name":"ls","description":"Lists.","input_schema":{"type":"object"}}],)"
        R"("system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],)"
        R"("messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],"stream":true})");
}

void tst_ModelRequest::wholeResponsesBody()
{
    ModelRequest request = requestOf({user({text("hi")})});
    request.system = "Be brief.";
    request.tools = {{"ls", "Lists.", read(R"({"type":"object"})")}};
    request.maxOutputTokens = 100;
    const WireRequest wire = responsesRequest(request, {});
    QCOMPARE(wire.path, "/responses");
    QCOMPARE(wire.keyHeader + ": " + wire.keyPrefix, "Authorization: Bearer ");
    QCOMPARE(
        wire.body,
        R"({"model":"m","instructions":"Be brief.","input":[{"type":"message","role":"user","content":"hi"}],)"
        R"("tools":[{"type":"function","name":"ls","description":"Lists.","parameters":{"type":"object"},"strict":false}],)"
        R"("max_output_tokens":100,"store":false,"include":["reasoning.encrypted_content"],"stream":true})");
    Dialect dialect;
    dialect.reasoning = Dialect::Reasoning::Never;
    QVERIFY(!responsesRequest(request, dialect).body.contains("include"));
}

void tst_ModelRequest::conversations_data()
{
    QTest::addColumn<Conversation>("conversation");
    QTest::addColumn<QByteArray>("chat");
    QTest::addColumn<QByteArray>("anthropic");
    const auto row = [](const char *name, const Conversation &conversation, const char *chat,
                        const char *anthropic) {
        QTest::newRow(name) << conversation << QByteArray(chat) << QByteArray(anthropic);
    };
    row("calls and results",
        {user({text("go")}), assistant({text("I look."), call("a", R"({"p":1})"), call("b")}),
         user({result("a", "1"), result("b", "2")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{\"p\":1}"}},{"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"a"},{"role":"tool","content":"2","tool_call_id":"b"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"ls","input":{"p":1}},{"type":"tool_use","id":"b","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}])");
    row("a call alone, nothing as its result",
        {user({text("go")}), assistant({text(""), call("a")}), user({result("a", " \n")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"No output.","tool_call_id":"a"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"No output."}]}])");
    row("a failed call", {user({text("go")}), assistant({call("a")}), user({ResultPart{"a", "no", true}})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"no","tool_call_id":"a"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"no","is_error":true}]}])");
    row("text while calls ran",
        {user({text("go")}), assistant({call("a"), text("after")}), user({text("not that")}),
         user({result("a", "1"), text("and")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":"after","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"1\n\nMessage from the user:\nnot that\n\nand","tool_call_id":"a"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"text","text":"after"},{"type":"tool_use","id":"a","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"not that"},{"type":"text","text":"and"}]}])");
    row("neighbours of the same role",
        {user({text("a")}), user({text("b")}), assistant({text("c")}), assistant({text("d")}),
         user({text("e")})},
        R"([{"role":"user","content":"a\n\nb"},{"role":"assistant","content":"c\n\nd"},{"role":"user","content":"e"}])",
        R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]},{"role":"user","content":[{"type":"text","text":"e"}]}])");
    row("blank texts and messages",
        {user({text("a")}), assistant({text(" "), text("")}), user({text("\n")}),
         assistant({text("b"), text(""), text("c")}), user({text("d")})},
        R"([{"role":"user","content":"a"},{"role":"assistant","content":"b\n\nc"},{"role":"user","content":"d"}])",
        R"([{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]},{"role":"user","content":[{"type":"text","text":"d"}]}])");
    row("ends with the assistant, in blanks", {user({text("a")}), assistant({text("abc \n")})},
        R"([{"role":"user","content":"a"},{"role":"assistant","content":"abc \n"},{"role":"user","content":"Continue."}])",
        R"([{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"abc \n"}]},{"role":"user","content":[{"type":"text","text":"Continue."}]}])");
    row("begins with the assistant", {assistant({text("a")}), user({text("b")})},
        R"([{"role":"user","content":"Continue."},{"role":"assistant","content":"a"},{"role":"user","content":"b"}])",
        R"([{"role":"user","content":[{"type":"text","text":"Continue."}]},{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"b"}]}])");
    row("nothing", {}, R"([{"role":"user","content":"Continue."}])",
        R"([{"role":"user","content":[{"type":"text","text":"Continue."}]}])");
    row("arguments that are none",
        {user({text("go")}), assistant({call("a", "{\"command\":"), call("b", ""), call("c", "[]")}),
         user({result("a", "1"), result("b", "2"), result("c", "3")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"a"},{"role":"tool","content":"2","tool_call_id":"b"},{"role":"tool","content":"3","tool_call_id":"c"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}},{"type":"tool_use","id":"b","name":"ls","input":{}},{"type":"tool_use","id":"c","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"tool_result","tool_use_id":"c","content":"3"}]}])");
    row("same id twice in a reply, and again later",
        {user({text("go")}), assistant({call("x"), call("x")}), user({result("x", "1"), result("x", "2")}),
         assistant({call("x")}), user({result("x", "3")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"call00002","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"x"},{"role":"tool","content":"2","tool_call_id":"call00002"},{"role":"assistant","content":null,"tool_calls":[{"id":"call00003","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"3","tool_call_id":"call00003"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"ls","input":{}},{"type":"tool_use","id":"call00002","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"1"},{"type":"tool_result","tool_use_id":"call00002","content":"2"}]},{"role":"assistant","content":[{"type":"tool_use","id":"call00003","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call00003","content":"3"}]}])");
    row("id and name of another server",
        {user({text("go")}), assistant({call("functions.bash:0", "{}", "my tool")}),
         user({result("functions.bash:0", "1")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"functions.bash:0","type":"function","function":{"name":"my_tool","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"functions.bash:0"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"call00001","name":"my_tool","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call00001","content":"1"}]}])");
    row("results without calls",
        {user({text("go"), result("z", "?")}), assistant({call("a")}),
         user({result("z", "?"), result("a", "1"), result("a", "again")}), assistant({text("done")}),
         user({result("a", "late"), text("ok")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"a"},{"role":"assistant","content":"done"},{"role":"user","content":"ok"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":[{"type":"text","text":"ok"}]}])");
    row("results in another order",
        {user({text("go")}), assistant({call("a"), call("b")}), user({result("b", "2")}),
         user({result("a", "1")})},
        R"([{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"a"},{"role":"tool","content":"2","tool_call_id":"b"}])",
        R"([{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}},{"type":"tool_use","id":"b","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}])");
}

void tst_ModelRequest::conversations()
{
    QFETCH(Conversation, conversation);
    QFETCH(QByteArray, chat);
    QFETCH(QByteArray, anthropic);
    QCOMPARE(chatMessages(conversation), chat);
    QCOMPARE(anthropicMessages(conversation), anthropic);
    QCOMPARE(refusalOfResponses(responsesRequest(requestOf(conversation), {}).body), "");
}

void tst_ModelRequest::reasoning_data()
{
    QTest::addColumn<QByteArray>("sent");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &sent, const char *expected) {
        QTest::newRow(name) << sent << QByteArray(expected);
    };
    const auto turn = [](const QList<Part> &parts) {
        Conversation conversation{user({text("go")}), assistant(parts), user({text("on")})};
        for (const Part &part : parts) {
            if (const auto *made = std::get_if<CallPart>(&part)) {
                conversation.last().parts.prepend(result(made->id, "r"));
            }
        }
        return conversation;
    };
    const auto second = [](const QByteArray &messages) { return written(read(messages)[1]); };
    const auto never = [] {
        Dialect dialect;
        dialect.reasoning = Dialect::Reasoning::Never;
        return dialect;
    }();
    const auto always = [] {
        Dialect dialect;
        dialect.reasoning = Dialect::Reasoning::Always;
        return dialect;
    }();

    row("chat, reasoning_content", second(chatMessages(turn({field("reasoning_content", "th"), text("a")}))),
        R"({"role":"assistant","content":"a","reasoning_content":"th"})");
    row("chat, reasoning", second(chatMessages(turn({field("reasoning", "th"), text("a")}))),
        R"({"role":"assistant","content":"a","reasoning":"th"})");
    row("chat, reasoning_details",
        second(chatMessages(
            turn({ReasoningPart{"th", R"([{"z":1,"a":2}])", "reasoning_details", Protocol::ChatCompletions},
                  text("a")}))),
        R"({"role":"assistant","content":"a","reasoning_details":[{"z":1,"a":2}]})");
    row("chat, written into the text", second(chatMessages(turn({field("think", "th"), text("a")}))),
        R"({"role":"assistant","content":"a"})");
    row("chat, never", second(chatMessages(turn({field("reasoning_content", "th"), text("a")}), never)),
        R"({"role":"assistant","content":"a"})");
    row("chat, always", second(chatMessages(turn({text("a")}), always)),
        R"({"role":"assistant","content":"a","reasoning_content":""})");
    row("chat, always, and there is some",
        second(chatMessages(turn({field("reasoning_content", "th"), text("a")}), always)),
        R"({"role":"assistant","content":"a","reasoning_content":"th"})");
    row("chat, of another protocol", second(chatMessages(turn({thinking("th", "S"), text("a")}))),
        R"({"role":"assistant","content":"a"})");

    row("Anthropic, signed, redacted, call",
        second(anthropicMessages(
            turn({thinking("a ", "S1S2"), ReasoningPart{"", "R", "redacted_thinking", Protocol::Messages},
                  call("t")}))),
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"a ","signature":"S1S2"},{"type":"redacted_thinking","data":"R"},{"type":"tool_use","id":"t","name":"ls","input":{}}]})");
    row("Anthropic, empty but signed", second(anthropicMessages(turn({thinking("", "S"), text("a")}))),
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"S"},{"type":"text","text":"a"}]})");
    row("Anthropic, unsigned", second(anthropicMessages(turn({thinking("th", ""), text("a")}))),
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]})");
    row("Anthropic, never", second(anthropicMessages(turn({thinking("th", "S"), text("a")}), never)),
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]})");
    row("Anthropic, of another protocol",
        second(anthropicMessages(turn({field("reasoning", "th"), text("a")}))),
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]})");

    const ReasoningPart foreign{"th", R"({"encrypted_content":"E"})", "reasoning", Protocol::Responses};
    row("chat, of the responses protocol", second(chatMessages(turn({foreign, text("a")}))),
        R"({"role":"assistant","content":"a"})");
    row("Anthropic, of the responses protocol", second(anthropicMessages(turn({foreign, text("a")}))),
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]})");
    const QByteArray encrypted =
        R"({"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"x"}],"encrypted_content":"E","status":"completed"})";
    row("responses, item and call", responsesInput(turn({item(encrypted), call("c")})),
        R"([{"type":"message","role":"user","content":"go"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"r"},{"type":"message","role":"user","content":"on"}])");
    row("responses, without encrypted content",
        responsesInput(turn({item(R"({"type":"reasoning","id":"rs_1","summary":[]})"), text("a")})),
        R"([{"type":"message","role":"user","content":"go"},{"type":"message","role":"assistant","content":"a"},{"type":"message","role":"user","content":"on"}])");
    row("responses, without a summary",
        responsesInput(turn({item(R"({"id":"rs_1","encrypted_content":"E"})"), text("a")})),
        R"([{"type":"message","role":"user","content":"go"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},{"type":"message","role":"assistant","content":"a"},{"type":"message","role":"user","content":"on"}])");
    row("responses, nothing behind it", responsesInput(turn({text("a"), item(encrypted)})),
        R"([{"type":"message","role":"user","content":"go"},{"type":"message","role":"assistant","content":"a"},{"type":"message","role":"user","content":"on"}])");
    row("responses, never", responsesInput(turn({item(encrypted), text("a")}), never),
        R"([{"type":"message","role":"user","content":"go"},{"type":"message","role":"assistant","content":"a"},{"type":"message","role":"user","content":"on"}])");
}

void tst_ModelRequest::reasoning()
{
    QFETCH(QByteArray, sent);
    QFETCH(QByteArray, expected);
    QCOMPARE(sent, expected);
}

/// On the system prompt (or the last tool) and at the ends of the last two messages of the user.
void tst_ModelRequest::marksForTheCache()
{
    ModelRequest request = requestOf({user({text("1")})});
    request.system = "s";
    request.tools = {{"ls", "", Json::object()}, {"cat", "", Json::object()}};
    for (int turn = 0; turn < 20; ++turn) {
        const QByteArray id = "c" + QByteArray::number(turn);
        request.messages << assistant({call(id + 'a'), call(id + 'b')})
                         << user({result(id + 'a', "1"), text("steer"), result(id + 'b', "2")});
        const WireRequest wire = messagesRequest(request, {});
        QCOMPARE(refusalOfMessages(wire.body), "");
        QCOMPARE(wire.body.count("cache_control"), 3);
        const Json messages = read(wire.body)["messages"];
        QVERIFY(messages.back()["content"].back().contains("cache_control"));
        QVERIFY(messages[messages.size() - 3]["content"].back().contains("cache_control"));
    }
    request.system = "";
    const Json body = read(messagesRequest(request, {}).body);
    QVERIFY(!body.contains("system") && body["tools"].back().contains("cache_control"));
    QVERIFY(!body["tools"].front().contains("cache_control"));
}

void tst_ModelRequest::isTakenByStrictServers()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 3000; ++i) {
        const ModelRequest request = requestOf(anyConversation(random));
        const Dialect dialect = anyDialect(random);
        for (const auto &[body, refusal] :
             {std::pair(chatRequest(request, dialect).body, &refusalOfChat),
              std::pair(messagesRequest(request, dialect).body, &refusalOfMessages),
              std::pair(responsesRequest(request, dialect).body, &refusalOfResponses)}) {
            QVERIFY2(refusal(body).isEmpty(), refusal(body) + ": " + body);
        }
    }
}

/// All that was sent but the last message comes again, byte by byte, when the conversation goes on.
void tst_ModelRequest::growsOnlyAtItsEnd()
{
    std::mt19937 random(Seed);
    int compared = 0;
    for (int i = 0; i < 3000; ++i) {
        const Conversation whole = anyConversation(random);
        for (qsizetype size = 1; size < whole.size(); ++size) {
            // A turn is sent when the user has said something.
            const Message &last = whole[size - 1];
            const bool isSent = last.role == Message::Role::User
                                && std::any_of(last.parts.begin(), last.parts.end(), [](const Part &part) {
                                       const auto *words = std::get_if<TextPart>(&part);
                                       return words && !words->text.trimmed().isEmpty();
                                   });
            if (!isSent) {
                continue;
            }
            for (const auto &write : {chatMessages, anthropicMessages, responsesInput}) {
                Json before = read(write(whole.first(size), {}));
                const Json after = read(write(whole, {}));
                before.erase(before.size() - 1);
                for (std::size_t at = 0; at < before.size(); ++at) {
                    // Results that come later replace what stood for them.
                    if (written(before[at]).contains(Interrupted)) {
                        break;
                    }
                    QCOMPARE(written(after[at]), written(before[at]));
                    ++compared;
                }
            }
        }
    }
    QVERIFY2(compared > 1000, QByteArray::number(compared));
}

/// Preparing what was prepared changes nothing.
void tst_ModelRequest::repeatsItself()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 1500; ++i) {
        const Conversation conversation = anyConversation(random);
        for (const Protocol protocol : {Protocol::ChatCompletions, Protocol::Responses, Protocol::Messages}) {
            const Conversation once = preparedConversation(conversation, protocol, {});
            QVERIFY(preparedConversation(once, protocol, {}) == once);
        }
    }
}

void tst_ModelRequest::bytesAreExactOrReplaced()
{
    const QByteArray exact = R"({"n":9007199254740993, "z":1,"a":[1.0]})";
    const Conversation conversation{user({text("a\xF0\x9F\x98")}), assistant({call("a", exact)}),
                                    user({result("a", QByteArray("x\0y \xE2\x82\xAC\xFF", 8))})};
    QCOMPARE(read(chatMessages(conversation))[1]["tool_calls"][0]["function"]["arguments"].get<std::string>(),
             exact.toStdString());
    QCOMPARE(read(chatMessages(conversation))[0]["content"].get<std::string>(), "a\xEF\xBF\xBD");
    QCOMPARE(read(chatMessages(conversation))[2]["content"].get<std::string>(),
             std::string("x\0y \xE2\x82\xAC\xEF\xBF\xBD", 10));
    QVERIFY(anthropicMessages(conversation).contains(R"("input":{"n":9007199254740993,"z":1,"a":[1.0]})"));
}

void tst_ModelRequest::adaptsDialects_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("change"); // Empty for none.
    const auto row = [](const char *name, const char *message, const char *change) {
        QTest::newRow(name) << QByteArray(message) << QByteArray(change);
    };
    row("max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
        "instead.",
        "limit");
    row("max_tokens too large",
        "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens", "");
    row("reasoning must come back",
        "The reasoning_content in the thinking mode must be passed back to the API.", "always");
    row("reasoning must not come back", "messages.1.reasoning_content: Extra inputs are not permitted",
        "never");
    row("signature", "messages.1.content.0: Invalid `signature` in `thinking` block", "never");
    row("encrypted content", "Encrypted content is not supported with this model.", "never");
    row("ids of Mistral", "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.", "ids");
    row("stream_options", "Unrecognized request argument supplied: stream_options", "usage");
    row("something else", "messages: at least one message is required", "");
}

void tst_ModelRequest::adaptsDialects()
{
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, change);
    ModelError error;
    error.kind = ModelError::Kind::BadRequest;
    error.message = message;
    Dialect expected;
    if (change == "limit") {
        expected.outputLimit = Dialect::OutputLimit::MaxCompletionTokens;
    } else if (change == "always") {
        expected.reasoning = Dialect::Reasoning::Always;
    } else if (change == "never") {
        expected.reasoning = Dialect::Reasoning::Never;
    } else if (change == "ids") {
        expected.callIds = Dialect::CallIds::NineCharacters;
    } else if (change == "usage") {
        expected.streamUsage = Dialect::StreamUsage::NotAsked;
    }
    const std::optional<Dialect> adapted = adaptedDialect({}, error);
    QCOMPARE(adapted.has_value(), !change.isEmpty());
    QVERIFY(!adapted || *adapted == expected);
    QVERIFY(!adapted || !adaptedDialect(*adapted, error));
    error.kind = ModelError::Kind::RateLimited;
    QVERIFY(!adaptedDialect({}, error));
}

/// A server that refuses both names of a field is not asked for ever, and the new name can be the first.
void tst_ModelRequest::adaptsOnlyOnce()
{
    ModelError error;
    error.kind = ModelError::Kind::BadRequest;
    error.message = "Unrecognized argument: max_completion_tokens";
    Dialect first;
    first.outputLimit = Dialect::OutputLimit::MaxCompletionTokens;
    const std::optional<Dialect> second = adaptedDialect(first, error, first);
    QVERIFY(second && second->outputLimit == Dialect::OutputLimit::MaxTokens);
    error.message = "Unrecognized argument: max_tokens";
    QVERIFY(!adaptedDialect(*second, error, first));

    const Conversation conversation{user({text("go")}), assistant({call("call_abc"), call("abcdefgh1")}),
                                    user({result("call_abc", "1")})};
    Dialect mistral;
    mistral.callIds = Dialect::CallIds::NineCharacters;
    const Json calls = read(chatMessages(conversation, mistral))[1]["tool_calls"];
    QCOMPARE(calls[0]["id"].get<std::string>(), "call00001");
    QCOMPARE(calls[1]["id"].get<std::string>(), "abcdefgh1");
}

QTEST_APPLESS_MAIN(tst_ModelRequest)

#include "tst_modelrequest.moc"
