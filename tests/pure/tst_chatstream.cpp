// Replies of the chat completions protocol, as servers really send them. The names of the rows say what is special.

#include "app/llm/ChatReader.h"
#include "tests/support/Replies.h"

#include <QTest>

using namespace spettro;
using namespace spettro::test;

namespace {

constexpr unsigned Seed = 20261130;

const QByteArray Done = "data: [DONE]\n\n";
const QByteArray Cut =
    "This call was not run: your output was cut off before its arguments were complete. Do it in "
    "smaller parts.";

/// One event with a delta of the only choice.
QByteArray delta(const QByteArray &json)
{
    return R"(data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)"
           + json + R"(,"finish_reason":null}]})" + "\n\n";
}

QByteArray finish(const QByteArray &reason)
{
    return R"(data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":")" + reason + R"("}]})"
           + "\n\n";
}

/// One event with a fragment of a tool call.
QByteArray tool(const QByteArray &json)
{
    return delta(R"({"tool_calls":[)" + json + "]}");
}

QByteArray content(const QByteArray &text)
{
    return delta(R"({"content":")" + text + R"("})");
}

} // namespace

class tst_ChatStream : public QObject
{
    Q_OBJECT

private slots:
    void replies_data();
    void replies();
    void errors_data();
    void errors();
    void lineEnds();
    void wholeBodies_data();
    void wholeBodies();
    void tellsWhatComes();
    void saysWhenItIsDone();
    void boundsMemory_data();
    void boundsMemory();
    void isFastOnManyFragments();
    void everyPrefixIsCut();
    void fuzz();
};

void tst_ChatStream::replies_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &body, const QByteArray &expected) {
        const bool hasUsage = expected.contains("usage ");
        QTest::newRow(name) << body << (hasUsage ? expected : expected + "\nusage unknown");
    };

    row("text", content("h") + content("i") + finish("stop") + Done, "text hi\nEndOfTurn");
    row("characters of several bytes", content("é€😀") + finish("stop") + Done, "text é€😀\nEndOfTurn");
    row("characters of several bytes in arguments",
        tool(R"({"index":0,"id":"a","function":{"name":"file-write","arguments":"{\"content\":\"é€😀\"}"}})")
            + finish("tool_calls") + Done,
        "call a file-write {\"content\":\"é€😀\"}\nToolCalls");
    row("no spaces, unknown fields, empty data",
        ":hello\n\nretry: 5\nid: "
        "7\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n"
        "data:\n\nfoo: bar\n\n"
            + finish("stop") + "data:[DONE]\n\n",
        "text a\nEndOfTurn");
    row("finish without [DONE]", content("a") + finish("stop"), "text a\nEndOfTurn");
    row("[DONE] without finish", content("a") + Done, "text a\nEndOfTurn");
    row("unknown finish", content("a") + finish("max_tool_calls"), "text a\nEndOfTurn");
    row("last event without a blank line", content("a") + "data: [DONE]", "text a\nEndOfTurn");
    row("more after [DONE]", content("a") + Done + content("b"), "text a\nEndOfTurn");
    row("null choices and usage anywhere",
        R"(data: {"choices":[],"prompt_filter_results":[]})"
        "\n\n"
            + content("a") + finish("stop")
            + R"(data: {"choices":null,"usage":{"prompt_tokens":5,"completion_tokens":1}})"
              "\n\n"
              R"(data: {"usage":{"prompt_tokens":6,"completion_tokens":2,"total_tokens":8}})"
              "\n\n"
            + Done,
        "text a\nEndOfTurn\nusage 6/0/2");
    row("cached input",
        content("a") + finish("stop")
            + R"(data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":8}}})"
              "\n\n"
            + Done,
        "text a\nEndOfTurn\nusage 9/8/1");
    row("usage in a choice",
        R"(data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":4}}]})"
        "\n\n"
            + Done,
        "text a\nEndOfTurn\nusage 3/0/4");
    row("usage null",
        R"(data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null})"
        "\n\n",
        "text a\nEndOfTurn");
    row("error null",
        R"(data: {"error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]})"
        "\n\n",
        "text a\nEndOfTurn");
    row("second choice",
        content("a")
            + R"(data: {"choices":[{"index":1,"delta":{"content":"b"}}]})"
              "\n\n"
            + finish("stop"),
        "text a\nEndOfTurn");
    row("content in blocks",
        delta(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})") + finish("stop"),
        "text ab\nEndOfTurn");
    row("output limit with text", content("a") + finish("length") + Done, "text a\nOutputLimit");

    // Calls
    row("calls without an index",
        tool(R"({"id":"a","function":{"name":"file-read","arguments":"{\"path\":\"1\"}"}})")
            + tool(R"({"id":"b","function":{"name":"file-read","arguments":"{\"pa"}})")
            + tool(R"({"function":{"arguments":"th\":\"2\"}"}})") + finish("tool_calls") + Done,
        "call a file-read {\"path\":\"1\"}\ncall b file-read {\"path\":\"2\"}\nToolCalls");
    row("calls without index and id",
        tool(R"({"function":{"name":"ls","arguments":"{\"path\":\"1\"}"}})")
            + tool(R"({"function":{"name":"ls","arguments":"{\"pa"}})")
            + tool(R"({"function":{"arguments":"th\":\"2\"}"}})") + finish("tool_calls") + Done,
        "call call_0 ls {\"path\":\"1\"}\ncall call_1 ls {\"path\":\"2\"}\nToolCalls");
    row("calls all with index 0",
        tool(R"({"index":0,"id":"a","function":{"name":"file-write","arguments":"{\"path\":\"a.txt\"}"}})")
            + tool(
                R"({"index":0,"id":"b","function":{"name":"file-write","arguments":"{\"path\":\"b.txt\"}"}})")
            + finish("stop") + Done,
        "call a file-write {\"path\":\"a.txt\"}\ncall b file-write {\"path\":\"b.txt\"}\nToolCalls");
    row("calls all with index 0 and without ids",
        tool(R"({"index":0,"function":{"name":"ls","arguments":"{\"path\":\"1\"}"}})")
            + tool(R"({"index":0,"function":{"name":"ls","arguments":"{\"path\":\"2\"}"}})") + finish("stop")
            + Done,
        "call call_0 ls {\"path\":\"1\"}\ncall call_1 ls {\"path\":\"2\"}\nToolCalls");
    row("name in every fragment",
        tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":"{\"path\""}})")
            + tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":":\"x\"}"}})")
            + tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":""}})")
            + finish("tool_calls") + Done,
        "call a file-read {\"path\":\"x\"}\nToolCalls");
    row("another id in every fragment",
        tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":"{\"path\""}})")
            + tool(R"({"index":0,"id":"b","function":{"arguments":":\"x\"}"}})") + finish("tool_calls")
            + Done,
        "call a file-read {\"path\":\"x\"}\nToolCalls");
    row("calls interleaved",
        tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":""}})")
            + tool(R"({"index":1,"id":"b","function":{"name":"grep","arguments":"{\"pat"}})")
            + tool(R"({"index":0,"id":"","function":{"arguments":"{\"path\":\"x\"}"}})")
            + tool(R"({"index":1,"id":null,"function":{"name":null,"arguments":"tern\":\"y\"}"}})")
            + finish("tool_calls") + Done,
        "call a file-read {\"path\":\"x\"}\ncall b grep {\"pattern\":\"y\"}\nToolCalls");
    row("several fragments in one event",
        tool(
            R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"ls","arguments":"{}"}})")
            + finish("tool_calls"),
        "call a ls {}\ncall b ls {}\nToolCalls");
    row("arguments as an object",
        tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":{"path":"x"}}})")
            + finish("tool_calls") + Done,
        "call a file-read {\"path\":\"x\"}\nToolCalls");
    row("arguments as a list",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":["x"]}})") + finish("tool_calls")
            + Done,
        "call a ls {} !This call was not run: its arguments have to be one JSON object.\nToolCalls");
    row("arguments as a number",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":7}})") + finish("tool_calls") + Done,
        "call a ls {} !This call was not run: its arguments have to be one JSON object.\nToolCalls");
    row("arguments as plain text",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"the folder"}})")
            + finish("tool_calls") + Done,
        "call a ls {} !This call was not run: its arguments are not valid JSON.\nToolCalls");
    row("arguments empty",
        tool(R"({"index":0,"id":"a","function":{"name":"todo-write","arguments":""}})") + finish("tool_calls")
            + Done,
        "call a todo-write {}\nToolCalls");
    row("arguments null",
        tool(R"({"index":0,"id":"a","function":{"name":"todo-write","arguments":null}})")
            + finish("tool_calls") + Done,
        "call a todo-write {}\nToolCalls");
    row("arguments missing",
        tool(R"({"index":0,"id":"a","function":{"name":"todo-write"}})") + finish("tool_calls") + Done,
        "call a todo-write {}\nToolCalls");
    row("arguments empty at the output limit",
        tool(R"({"index":0,"id":"a","function":{"name":"todo-write","arguments":""}})") + finish("length")
            + Done,
        "call a todo-write {} !" + Cut + "\nOutputLimit");
    row("large integers stay exact",
        tool(
            R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{\"n\":9007199254740993, \"z\":1, \"a\":2}"}})")
            + finish("tool_calls"),
        "call a ls {\"n\":9007199254740993, \"z\":1, \"a\":2}\nToolCalls");
    row("call, but finish says stop",
        tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":"{\"path\":\"x\"}"}})")
            + finish("stop") + Done,
        "call a file-read {\"path\":\"x\"}\nToolCalls");
    row("call and no finish",
        tool(R"({"index":0,"id":"a","function":{"name":"file-read","arguments":"{\"path\":\"x\"}"}})") + Done,
        "call a file-read {\"path\":\"x\"}\nToolCalls");
    row("finish says calls, but there is none", content("Done.") + finish("tool_calls") + Done,
        "text Done.\nEndOfTurn");
    row("arguments cut at the output limit",
        tool(
            R"({"index":0,"id":"a","function":{"name":"file-write","arguments":"{\"path\":\"keep.txt\",\"content\":\"new li"}})")
            + finish("length") + Done,
        "call a file-write {} !" + Cut + "\nOutputLimit");
    row("arguments cut, but finish says stop",
        tool(R"({"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"rm -rf build"}})")
            + finish("stop") + Done,
        "call a bash {} !" + Cut + "\nToolCalls");
    row("whole call before a cut one",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}})")
            + tool(R"({"index":1,"id":"b","function":{"name":"ls","arguments":"{\"pa"}})") + finish("length"),
        "call a ls {}\ncall b ls {} !" + Cut + "\nOutputLimit");
    row("half a surrogate pair in arguments",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{\"path\":\"\\ud83d\"}"}})")
            + finish("tool_calls"),
        "call a ls {} !This call was not run: its arguments are not valid JSON.\nToolCalls");
    row("two objects as arguments",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{}{}"}})") + finish("tool_calls"),
        "call a ls {} !This call was not run: its arguments are not valid JSON.\nToolCalls");
    row("arguments nested too deep",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{\"a\":)" + QByteArray(5000, '[')
             + QByteArray(5000, ']') + R"(}"}})")
            + finish("tool_calls"),
        "call a ls {} !This call was not run: its arguments are not valid JSON.\nToolCalls");
    row("same id twice",
        tool(R"({"index":0,"id":"x","function":{"name":"bash","arguments":"{\"command\":\"echo 1\"}"}})")
            + tool(
                R"({"index":1,"id":"x","function":{"name":"bash","arguments":"{\"command\":\"echo 2\"}"}})")
            + finish("tool_calls") + Done,
        "call x bash {\"command\":\"echo 1\"}\ncall call_1 bash {\"command\":\"echo 2\"}\nToolCalls");
    row("empty ids",
        tool(R"({"index":0,"id":"","function":{"name":"bash","arguments":"{\"command\":\"echo 1\"}"}})")
            + tool(R"({"index":1,"id":"","function":{"name":"bash","arguments":"{\"command\":\"echo 2\"}"}})")
            + finish("tool_calls") + Done,
        "call call_0 bash {\"command\":\"echo 1\"}\ncall call_1 bash {\"command\":\"echo 2\"}\nToolCalls");
    row("call without a name",
        tool(R"({"index":0,"id":"a","function":{"arguments":"{}"}})") + finish("tool_calls"),
        "call a  {} !This call was not run: it names no tool.\nToolCalls");
    row("fragment behind whole arguments",
        tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}})")
            + tool(R"({"function":{"arguments":"x"}})") + finish("tool_calls"),
        "call a ls {} !This call was not run: its arguments are not valid JSON.\nToolCalls");
    row("fragment with nothing in it",
        content("a") + tool(R"({"index":0,"id":"a","type":"function"})") + finish("stop"),
        "text a\nEndOfTurn");
    row("call written as text", content(R"(<tool_call>\n<function=bash>)") + finish("stop") + Done,
        "text <tool_call>\n<function=bash>\nEndOfTurn");

    // Reasoning
    row("reasoning_content",
        delta(R"({"reasoning_content":"t"})") + delta(R"({"reasoning_content":"h"})") + content("a")
            + finish("stop"),
        "reasoning_content th|\ntext a\nEndOfTurn");
    row("reasoning", delta(R"({"reasoning":"th"})") + content("a") + finish("stop"),
        "reasoning th|\ntext a\nEndOfTurn");
    row("reasoning in two fields",
        delta(R"({"reasoning":"th","reasoning_content":"th"})") + content("a") + finish("stop"),
        "reasoning_content th|\ntext a\nEndOfTurn");
    row("reasoning_details in fragments",
        delta(
            R"({"reasoning":"ab","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"f"}]})")
            + delta(
                R"({"reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"signature":null}]})")
            + delta(R"({"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"S"}]})")
            + delta(R"({"reasoning_details":[{"type":"reasoning.text","index":0,"signature":null}]})")
            + delta(R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"E","index":1}]})")
            + content("x") + finish("stop"),
        R"(reasoning_details ab|[{"type":"reasoning.text","text":"ab","index":0,"format":"f","signature":"S"},{"type":"reasoning.encrypted","data":"E","index":1}])"
        "\ntext x\nEndOfTurn");
    row("reasoning in the text", content("<think>a</think>\\n\\nb") + finish("stop"),
        "think a|\ntext b\nEndOfTurn");
    row("reasoning in the text, tags split",
        content("\\n<th") + content("ink>a <") + content("b </t") + content("hink>") + content("\\n")
            + content("c") + finish("stop"),
        "think a <b |\ntext c\nEndOfTurn");
    row("such tags further on are text", content("Use <think>x</think>.") + finish("stop"),
        "text Use <think>x</think>.\nEndOfTurn");
    row("almost such a tag", content("<thin") + content("g>") + finish("stop"), "text <thing>\nEndOfTurn");
    row("almost such a tag at the end", content("<thin") + finish("stop"), "text <thin\nEndOfTurn");
}

void tst_ChatStream::replies()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QCOMPARE(replyOf<ChatReader>(body), expected);
}

void tst_ChatStream::errors_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected"); // The beginning.
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const QByteArray &body, const char *expected,
                        const QByteArray &words) {
        QTest::newRow(name) << body << "error " + QByteArray(expected) << words;
    };
    row("no terminal marker", content("half"), "Transport", "in the middle");
    row("call and no terminal marker",
        tool(R"({"index":0,"id":"a","function":{"name":"todo-write","arguments":""}})"), "Transport",
        "in the middle");
    row("nothing", "", "Transport", "before the reply began");
    row("only comments", ": ping\n\n: ping\n\n", "Transport", "before the reply began");
    row("cut in the first event", "data: {\"choi", "Transport", "damaged");
    row("error object",
        content("a")
            + R"x(data: {"error":{"code":400,"message":"request (4390 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error"}})x"
              "\n\n"
            + Done,
        "ContextTooLong", "4390 tokens");
    row("error object after the finish",
        content("a") + finish("stop")
            + R"(data: {"error":{"message":"boom","type":"server_error"}})"
              "\n\n",
        "Server", "boom");
    row("error text", content("a") + "data: {\"error\":\"boom\"}\n\n" + Done, "BadRequest", "boom");
    row("overloaded",
        content("a")
            + R"(data: {"error":{"message":"Overloaded","code":"overloaded"}})"
              "\n\n",
        "Overloaded", "");
    row("rate limit",
        R"(data: {"error":{"message":"slow down","code":429}})"
        "\n\n",
        "RateLimited", "slow down");
    row("error of the server behind",
        R"(data: {"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream died"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]})"
        "\n\n",
        "Server", "upstream died");
    row("error event", "event: error\ndata: {\"message\":\"boom\",\"type\":\"internal\"}\n\n", "Server",
        "boom");
    row("error at the top",
        R"(data: {"object":"error","message":"no model","type":"NotFoundError","code":404})"
        "\n\n",
        "UnknownModel", "no model");
    row("finish says error", content("a") + finish("error"), "Server", "");
    row("key in an error",
        R"(data: {"error":{"message":"bad key sk-TESTKEY123 here"}})"
        "\n\n",
        "BadRequest", "bad key [removed] here");
    row("empty reply", delta(R"({"role":"assistant","content":""})") + finish("stop") + Done, "EmptyReply",
        "context size");
    row("blank reply", content(" \\n") + finish("stop") + Done, "EmptyReply", "context size");
    row("empty reply of a model that was to call", finish("tool_calls") + Done, "EmptyReply", "");
    row("empty at the output limit",
        delta(R"({"reasoning_content":"th"})") + finish("length")
            + R"(data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":32000}})"
              "\n\n"
            + Done,
        "OutputLimit", "output limit");
    row("usage of a failure",
        finish("length")
            + R"(data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":32000}})"
              "\n\n"
            + Done,
        "OutputLimit", "usage 5/0/32000");
    row("refusal",
        delta(R"({"refusal":"I can't"})") + delta(R"({"refusal":" do that."})") + finish("stop") + Done,
        "Refused", "I can't do that.");
    row("content filter", content("a") + finish("content_filter") + Done, "Refused", "");
    row("invalid UTF-8", "data: {\"choices\":[{\"delta\":{\"content\":\"\xFF\"}}]}\n\n" + finish("stop"),
        "Transport", "damaged");
    row("invalid JSON", "data: {\"choices\":[}\n\n" + finish("stop"), "Transport", "damaged");
    row("too deep",
        "data: {\"a\":" + QByteArray(100000, '[') + QByteArray(100000, ']') + "}\n\n" + finish("stop"),
        "Transport", "damaged");
}

void tst_ChatStream::errors()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QFETCH(QByteArray, words);
    const QByteArray reply =
        body.size() > 100000 ? replyOf<ChatReader>(body, {5000}) : replyOf<ChatReader>(body);
    QVERIFY2(reply.startsWith(expected), reply);
    QVERIFY2(reply.contains(words), reply);
    QVERIFY2(!reply.contains("TESTKEY"), reply);
}

void tst_ChatStream::lineEnds()
{
    const QByteArray body = content("hi") + finish("stop") + Done;
    QByteArray mixed;
    for (const char byte : body) {
        static int count = 0;
        mixed += byte == '\n' && ++count % 3 != 0 ? QByteArray("\r\n") : QByteArray(1, byte);
    }
    for (const QByteArray &ended : {QByteArray(body).replace('\n', "\r\n"),
                                    QByteArray(body).replace('\n', "\r"), mixed, "\xEF\xBB\xBF" + body}) {
        QCOMPARE(replyOf<ChatReader>(ended), "text hi\nEndOfTurn\nusage unknown");
    }
}

void tst_ChatStream::wholeBodies_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected"); // The beginning.
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const char *type, const QByteArray &body,
                        const QByteArray &expected, const char *words = "") {
        QTest::newRow(name) << QByteArray(type) << body << expected << QByteArray(words);
    };
    row("JSON", "application/json",
        R"({"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})",
        "text a\nEndOfTurn\nusage 1/0/2");
    row("JSON with spaces before", "application/json",
        " \r\n{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n",
        "text a\nEndOfTurn");
    row("JSON under another name", "text/event-stream",
        R"({"choices":[{"index":0,"message":{"content":"a"},"finish_reason":null}]})", "text a\nEndOfTurn");
    row("JSON with calls", "application/json",
        R"({"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"ls","arguments":"{\"path\":\"b\"}"}}]},"finish_reason":"tool_calls"}]})",
        "call a ls {}\ncall call_1 ls {\"path\":\"b\"}\nToolCalls");
    row("JSON error", "application/json", R"({"error":{"message":"model 'x' not found","type":"api_error"}})",
        "error UnknownModel", "model 'x' not found");
    row("JSON cut", "application/json", R"({"choices":[{"index":0,"message":{"content":"a)",
        "error Transport");
    row("JSON of another kind", "application/json", R"({"hello":1})", "error BadReply", "hello");
    row("JSON broken", "application/json", R"({"choices":]})", "error BadReply", "choices");
    row("page", "text/html", "<html><title>Log in</title>login sk-TESTKEY123</html>", "error BadReply",
        "page: \"Log in\", <html><title>Log in</title>login [removed]</html> (status 200, text/html)");
    row("long page", "text/html", "<html>" + QByteArray(9000, 'x'), "error BadReply",
        "xxx\xE2\x80\xA6 (status 200, text/html)");
    row("plain text", "text/plain", "Please log in.\n", "error BadReply",
        "Please log in. (status 200, text/plain)");
    row("events under another name", "application/json", content("a") + Done, "text a\nEndOfTurn");
}

void tst_ChatStream::wholeBodies()
{
    QFETCH(QByteArray, type);
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QFETCH(QByteArray, words);
    const QByteArray reply = replyOf<ChatReader>(body, type);
    QVERIFY2(reply.startsWith(expected), reply);
    QVERIFY2(reply.contains(words), reply);
    QVERIFY2(reply.size() < 700, reply);
}

void tst_ChatStream::tellsWhatComes()
{
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<ChatReader>(recorder, redactor), "text/event-stream", redactor);
    stream.feed(delta(R"({"reasoning":"th"})") + content("a"));
    QCOMPARE(recorder.reasoning, "th");
    QCOMPARE(recorder.text, "a");
    stream.feed(tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":""}})"));
    stream.feed(tool(R"({"index":0,"function":{"name":"ls","arguments":"{}"}})"));
    QCOMPARE(recorder.calls, QList<QByteArray>{"ls"});
}

void tst_ChatStream::saysWhenItIsDone()
{
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<ChatReader>(recorder, redactor), "text/event-stream", redactor);
    QCOMPARE(stream.progress(), ReplyProgress::Reading);
    stream.feed(content("a"));
    QCOMPARE(stream.progress(), ReplyProgress::Reading);
    stream.feed(finish("stop"));
    QCOMPARE(stream.progress(), ReplyProgress::Ended);
    stream.feed(Done);
    QCOMPARE(stream.progress(), ReplyProgress::Complete);

    ReplyStream failed(std::make_unique<ChatReader>(recorder, redactor), "text/event-stream", redactor);
    failed.feed("data: {\"error\":\"boom\"}\n\n");
    QCOMPARE(failed.progress(), ReplyProgress::Complete);
}

void tst_ChatStream::boundsMemory_data()
{
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("one line") << QByteArray("data: {");
    QTest::newRow("one JSON value") << QByteArray("{\"choices\":\"");
    QTest::newRow("spaces") << QByteArray(" ");
}

/// 400 MB that never end: given up long before.
void tst_ChatStream::boundsMemory()
{
    QFETCH(QByteArray, start);
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<ChatReader>(recorder, redactor), "text/event-stream", redactor);
    stream.feed(start);
    const QByteArray piece(1024 * 1024, start == " " ? ' ' : 'x');
    int fed = 0;
    while (fed < 400 && stream.progress() != ReplyProgress::Complete) {
        stream.feed(piece);
        ++fed;
    }
    QVERIFY2(fed < 40, QByteArray::number(fed));
    const QByteArray reply = described(stream.end());
    QVERIFY2(reply.startsWith("error BadReply"), reply);
}

/// Time grows with the size, not with its square.
void tst_ChatStream::isFastOnManyFragments()
{
    QByteArray body =
        tool(R"({"index":0,"id":"a","function":{"name":"file-write","arguments":"{\"content\":\""}})");
    for (int i = 0; i < 20000; ++i) {
        body += tool(R"({"index":0,"id":"a","function":{"name":"file-write","arguments":"01234"}})");
    }
    body += tool(R"({"index":0,"id":"a","function":{"name":"file-write","arguments":"\"}"}})")
            + finish("tool_calls");
    QElapsedTimer timer;
    timer.start();
    const QByteArray reply = replyOf<ChatReader>(body, {1400});
    QVERIFY2(reply.startsWith("call a file-write {\"content\":\"0123401234"), reply.first(100));
    QVERIFY2(timer.elapsed() < 20000, QByteArray::number(timer.elapsed()));
}

/// Whatever a connection delivers of a reply before it ends: there is no reply, and above all no call, before the end.
void tst_ChatStream::everyPrefixIsCut()
{
    const QByteArray body =
        delta(R"({"reasoning_content":"th"})") + content("é")
        + tool(
            R"({"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"echo x >>n\"}"}})")
        + finish("tool_calls");
    // Before the closing bracket of the last event nothing says that the reply is done.
    for (qsizetype size = 0; size < body.size() - 2; ++size) {
        const QByteArray reply = replyOf<ChatReader>(body.first(size), {size + 1});
        QVERIFY2(reply.startsWith("error Transport"), reply);
    }
}

/// Damaged replies and JSON of any shape end in some outcome, the same however they are cut.
void tst_ChatStream::fuzz()
{
    std::mt19937 random(Seed);
    const QByteArray good =
        delta(R"({"role":"assistant","reasoning_content":"th"})") + content("a\\u00e9")
        + tool(R"({"index":0,"id":"a","function":{"name":"ls","arguments":"{\"path\":"}})")
        + tool(R"({"index":1,"id":"b","function":{"name":"grep","arguments":{"a":[1,null]}}})")
        + tool(R"({"index":0,"function":{"arguments":"1}"}})") + finish("tool_calls")
        + R"(data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}})"
          "\n\n"
        + Done;
    const QList<QByteArray> values{"null", "{}",   "[]",   "1e300",          "-1",
                                   "\"\"", "true", "[[]]", "{\"index\":{}}", "\"x\""};
    for (int i = 0; i < 4000; ++i) {
        QByteArray body = good;
        for (auto left = 1 + random() % 4; left > 0; --left) {
            const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(body.size()));
            if (random() % 2 == 0) {
                body[at] = static_cast<char>(random() % 256);
            } else if (const qsizetype colon = body.indexOf("\":", at); colon >= 0) {
                // Another value in the place of one: still JSON, of another type.
                const qsizetype end =
                    std::min(body.indexOf(',', colon + 2) & 0xFFFFFF, body.indexOf('\n', colon + 2));
                body.replace(colon + 2, end - colon - 2,
                             values[static_cast<qsizetype>(random() % static_cast<unsigned>(values.size()))]);
            }
        }
        const QByteArray whole = replyOf<ChatReader>(body, {body.size() + 1});
        QVERIFY(!whole.isEmpty());
        QCOMPARE(replyOf<ChatReader>(body, {1 + static_cast<qsizetype>(random() % 30)}), whole);
    }
}

QTEST_APPLESS_MAIN(tst_ChatStream)

#include "tst_chatstream.moc"
