// Replies of Anthropic's messages protocol. The names of the rows say what is special.

#include "app/llm/MessagesReader.h"
#include "tests/support/Replies.h"

#include <QTest>

using namespace spettro;
using namespace spettro::test;

namespace {

constexpr unsigned Seed = 20261130;

const QByteArray Cut =
    "This call was not run: your output was cut off before its arguments were complete. Do it in "
    "smaller parts.";

QByteArray frame(const QByteArray &type, const QByteArray &members = {})
{
    return "event: " + type + "\ndata: {\"type\":\"" + type + '"' + (members.isEmpty() ? "" : ",") + members
           + "}\n\n";
}

QByteArray start(const QByteArray &usage = R"({"input_tokens":3,"output_tokens":1})")
{
    return frame("message_start",
                 R"("message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":)"
                     + usage + "}");
}

QByteArray begin(int index, const QByteArray &block)
{
    return frame("content_block_start",
                 "\"index\":" + QByteArray::number(index) + ",\"content_block\":" + block);
}

QByteArray delta(int index, const QByteArray &json)
{
    return frame("content_block_delta", "\"index\":" + QByteArray::number(index) + ",\"delta\":" + json);
}

QByteArray stop(int index)
{
    return frame("content_block_stop", "\"index\":" + QByteArray::number(index));
}

QByteArray end(const QByteArray &reason, const QByteArray &usage = R"({"output_tokens":7})")
{
    return frame("message_delta",
                 R"("delta":{"stop_reason":")" + reason + R"(","stop_sequence":null},"usage":)" + usage);
}

QByteArray text(int index, const QByteArray &words)
{
    return begin(index, R"({"type":"text","text":""})")
           + delta(index, R"({"type":"text_delta","text":")" + words + R"("})") + stop(index);
}

QByteArray argumentsDelta(int index, const QByteArray &escaped)
{
    return delta(index, R"({"type":"input_json_delta","partial_json":")" + escaped + R"("})");
}

QByteArray toolBegin(int index, const QByteArray &id, const QByteArray &name)
{
    return begin(index, R"({"type":"tool_use","id":")" + id + R"(","name":")" + name + R"(","input":{}})");
}

const QByteArray Stop = frame("message_stop");

} // namespace

class tst_MessagesStream : public QObject
{
    Q_OBJECT

private slots:
    void replies_data();
    void replies();
    void errors_data();
    void errors();
    void wholeBodies_data();
    void wholeBodies();
    void saysWhenItIsDone();
    void tellsWhatComes();
    void everyPrefixIsCut();
    void fuzz();
};

void tst_MessagesStream::replies_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &body, const QByteArray &expected) {
        const bool hasUsage = expected.contains("usage ");
        QTest::newRow(name) << body << (hasUsage ? expected : expected + "\nusage 3/0/7");
    };
    row("text", start() + frame("ping") + text(0, "hi") + end("end_turn") + Stop, "text hi\nEndOfTurn");
    row("characters of several bytes", start() + text(0, "é€😀") + end("end_turn") + Stop,
        "text é€😀\nEndOfTurn");
    row("text in the start of a block",
        start() + begin(0, R"({"type":"text","text":"a"})") + delta(0, R"({"type":"text_delta","text":"b"})")
            + stop(0) + end("end_turn") + Stop,
        "text ab\nEndOfTurn");
    row("stop reason without message_stop", start() + text(0, "a") + end("end_turn"), "text a\nEndOfTurn");
    row("message_stop without a stop reason", start() + text(0, "a") + Stop,
        "text a\nEndOfTurn\nusage 3/0/1");
    row("unknown stop reason", start() + text(0, "a") + end("tired") + Stop, "text a\nEndOfTurn");
    row("unknown events and deltas",
        start() + frame("news", "\"x\":1") + begin(0, R"({"type":"text","text":""})")
            + delta(0, R"({"type":"citations_delta","citation":{}})")
            + delta(0, R"({"type":"text_delta","text":"a"})") + stop(0)
            + begin(1, R"({"type":"server_thing","text":"x"})") + stop(1) + end("end_turn") + Stop,
        "text a\nEndOfTurn");
    row("delta of no block",
        start() + delta(4, R"({"type":"text_delta","text":"x"})") + text(0, "a") + end("end_turn"),
        "text a\nEndOfTurn");
    row("usage with a cache",
        start(
            R"({"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":1})")
            + text(0, "a") + end("end_turn") + Stop,
        "text a\nEndOfTurn\nusage 113/100/7");
    row("usage only at the end",
        start("null") + text(0, "a")
            + end("end_turn", R"({"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":7})"),
        "text a\nEndOfTurn\nusage 7/2/7");
    row("output limit", start() + text(0, "a") + end("max_tokens") + Stop, "text a\nOutputLimit");
    row("context window full", start() + text(0, "a") + end("model_context_window_exceeded") + Stop,
        "text a\nOutputLimit");

    row("calls after text",
        start() + text(0, "a") + toolBegin(1, "t1", "ls") + argumentsDelta(1, "")
            + argumentsDelta(1, R"({\"pa)") + argumentsDelta(1, R"(th\":\"x\"})") + stop(1)
            + toolBegin(2, "t2", "ls") + argumentsDelta(2, "{}") + stop(2) + end("tool_use") + Stop,
        "text a\ncall t1 ls {\"path\":\"x\"}\ncall t2 ls {}\nToolCalls");
    row("blocks interleaved",
        start() + toolBegin(0, "t1", "ls") + toolBegin(1, "t2", "grep") + argumentsDelta(0, R"({\"a\")")
            + argumentsDelta(1, R"({\"b\")") + argumentsDelta(0, ":1}") + argumentsDelta(1, ":2}") + stop(1)
            + stop(0) + end("tool_use") + Stop,
        "call t1 ls {\"a\":1}\ncall t2 grep {\"b\":2}\nToolCalls");
    row("arguments empty", start() + toolBegin(0, "t1", "todo-write") + stop(0) + end("tool_use") + Stop,
        "call t1 todo-write {}\nToolCalls");
    row("arguments whole in the start of the block",
        start() + begin(0, R"({"type":"tool_use","id":"t1","name":"ls","input":{"path":"x"}})") + stop(0)
            + end("tool_use"),
        "call t1 ls {\"path\":\"x\"}\nToolCalls");
    row("call, but the reason is end_turn",
        start() + toolBegin(0, "t1", "ls") + argumentsDelta(0, "{}") + stop(0) + end("end_turn") + Stop,
        "call t1 ls {}\nToolCalls");
    row("reason is tool_use, but there is no call", start() + text(0, "Done.") + end("tool_use") + Stop,
        "text Done.\nEndOfTurn");
    row("arguments cut at the output limit",
        start() + toolBegin(0, "t1", "file-write") + argumentsDelta(0, R"({\"content\":\"new li)")
            + end("max_tokens") + Stop,
        "call t1 file-write {} !" + Cut + "\nOutputLimit");
    row("whole arguments in an open block at the output limit",
        start() + toolBegin(0, "t1", "ls") + argumentsDelta(0, "{}") + end("max_tokens") + Stop,
        "call t1 ls {} !" + Cut + "\nOutputLimit");
    row("cut before the first argument",
        start() + toolBegin(0, "t1", "ls") + stop(0) + end("max_tokens") + Stop,
        "call t1 ls {} !" + Cut + "\nOutputLimit");
    row("arguments cut, but the reason is tool_use",
        start() + toolBegin(0, "t1", "bash") + argumentsDelta(0, R"({\"command\":\"rm -rf build)") + stop(0)
            + end("tool_use") + Stop,
        "call t1 bash {} !" + Cut + "\nToolCalls");
    row("same id twice",
        start() + toolBegin(0, "t", "ls") + stop(0) + toolBegin(1, "t", "ls") + stop(1) + end("tool_use"),
        "call t ls {}\ncall call_1 ls {}\nToolCalls");

    row("thinking with a signature in two pieces, redacted thinking, call",
        start() + begin(0, R"({"type":"thinking","thinking":"","signature":""})")
            + delta(0, R"({"type":"thinking_delta","thinking":"a "})")
            + delta(0, R"({"type":"signature_delta","signature":"S1"})")
            + delta(0, R"({"type":"signature_delta","signature":"S2"})") + stop(0)
            + begin(1, R"({"type":"redacted_thinking","data":"R"})") + stop(1) + toolBegin(2, "t1", "ls")
            + stop(2) + end("tool_use") + Stop,
        "thinking a |S1S2\nredacted_thinking |R\ncall t1 ls {}\nToolCalls");
    row("thinking that is not shown",
        start() + begin(0, R"({"type":"thinking","thinking":"","signature":""})")
            + delta(0, R"({"type":"signature_delta","signature":"S"})") + stop(0) + text(1, "a")
            + end("end_turn"),
        "thinking |S\ntext a\nEndOfTurn");
}

void tst_MessagesStream::replies()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QCOMPARE(replyOf<MessagesReader>(body), expected);
    QCOMPARE(replyOf<MessagesReader>(QByteArray(body).replace('\n', "\r\n"), Cuts{13}), expected);
}

void tst_MessagesStream::errors_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected"); // The beginning.
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const QByteArray &body, const char *expected,
                        const QByteArray &words) {
        QTest::newRow(name) << body << "error " + QByteArray(expected) << words;
    };
    row("no terminal event",
        start() + begin(0, R"({"type":"text","text":""})")
            + delta(0, R"({"type":"text_delta","text":"half"})"),
        "Transport", "in the middle");
    row("no terminal event after whole blocks", start() + toolBegin(0, "t", "ls") + stop(0), "Transport",
        "usage 3/0/1");
    row("[DONE] is none", start() + text(0, "a") + "data: [DONE]\n\n", "Transport", "in the middle");
    row("overloaded",
        start() + frame("error", R"("error":{"type":"overloaded_error","message":"Overloaded"})"),
        "Overloaded", "Overloaded");
    row("server error",
        start() + text(0, "a")
            + frame("error", R"("error":{"type":"api_error","message":"Internal server error"})"),
        "Server", "Internal server error");
    row("rate limit", frame("error", R"("error":{"type":"rate_limit_error","message":"slow down"})"),
        "RateLimited", "slow down");
    row("too long",
        frame(
            "error",
            R"("error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"})"),
        "ContextTooLong", "210000");
    row("other error",
        frame("error", R"("error":{"type":"invalid_request_error","message":"messages: roles"})"),
        "BadRequest", "roles");
    row("refusal", start() + text(0, "I") + end("refusal") + Stop, "Refused", "refused");
    row("empty", start() + end("end_turn") + Stop, "EmptyReply", "empty");
    row("only thinking",
        start() + begin(0, R"({"type":"thinking","thinking":"a","signature":"S"})") + stop(0)
            + end("end_turn"),
        "EmptyReply", "usage 3/0/7");
    row("empty at the output limit", start() + end("max_tokens") + Stop, "OutputLimit", "output limit");
    row("damaged", start() + "event: message_delta\ndata: {\"type\":\n\n" + Stop, "Transport", "damaged");
}

void tst_MessagesStream::errors()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QFETCH(QByteArray, words);
    const QByteArray reply = replyOf<MessagesReader>(body);
    QVERIFY2(reply.startsWith(expected), reply);
    QVERIFY2(reply.contains(words), reply);
}

void tst_MessagesStream::wholeBodies_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected"); // The beginning.
    QTest::newRow("reply") << QByteArray(
        R"({"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"th","signature":"S"},{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"ls","input":{"path":"x"}},{"type":"tool_use","id":"t2","name":"ls","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":7}})")
                           << QByteArray("thinking th|S\ntext a\ncall t1 ls {\"path\":\"x\"}\ncall t2 ls "
                                         "{}\nToolCalls\nusage 3/0/7");
    QTest::newRow("refusal") << QByteArray(R"({"type":"message","content":[],"stop_reason":"refusal"})")
                             << QByteArray("error Refused");
    QTest::newRow("error") << QByteArray(
        R"({"type":"error","error":{"type":"overloaded_error","message":"x"}})")
                           << QByteArray("error Overloaded");
    QTest::newRow("something else") << QByteArray(R"({"content":"x"})") << QByteArray("error BadReply");
    QTest::newRow("page") << QByteArray("<html>") << QByteArray("error BadReply");
}

void tst_MessagesStream::wholeBodies()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    const QByteArray reply = replyOf<MessagesReader>(body, "application/json");
    QVERIFY2(reply.startsWith(expected), reply);
}

void tst_MessagesStream::saysWhenItIsDone()
{
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<MessagesReader>(recorder, redactor), "text/event-stream", redactor);
    stream.feed(start() + text(0, "a"));
    QCOMPARE(stream.progress(), ReplyProgress::Reading);
    stream.feed(end("end_turn"));
    QCOMPARE(stream.progress(), ReplyProgress::Ended);
    stream.feed(Stop);
    QCOMPARE(stream.progress(), ReplyProgress::Complete);
}

void tst_MessagesStream::tellsWhatComes()
{
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<MessagesReader>(recorder, redactor), "text/event-stream", redactor);
    stream.feed(start() + begin(0, R"({"type":"thinking","thinking":"","signature":""})")
                + delta(0, R"({"type":"thinking_delta","thinking":"th"})"));
    QCOMPARE(recorder.reasoning, "th");
    stream.feed(text(1, "a") + toolBegin(2, "t", "ls"));
    QCOMPARE(recorder.text, "a");
    QCOMPARE(recorder.calls, QList<QByteArray>{"ls"});
}

void tst_MessagesStream::everyPrefixIsCut()
{
    const QByteArray body = start() + text(0, "é") + toolBegin(1, "t", "bash")
                            + argumentsDelta(1, R"({\"command\":\"x\"})") + stop(1) + end("tool_use");
    for (qsizetype size = 0; size < body.size() - 2; ++size) {
        const QByteArray reply = replyOf<MessagesReader>(body.first(size), Cuts{size + 1});
        QVERIFY2(reply.startsWith("error Transport"), reply);
    }
    QVERIFY(replyOf<MessagesReader>(body).contains("call t bash"));
}

void tst_MessagesStream::fuzz()
{
    std::mt19937 random(Seed);
    const QByteArray good = start() + begin(0, R"({"type":"thinking","thinking":"","signature":""})")
                            + delta(0, R"({"type":"signature_delta","signature":"S"})") + stop(0)
                            + text(1, "a") + toolBegin(2, "t", "ls") + argumentsDelta(2, R"({\"a\":1})")
                            + stop(2) + end("tool_use") + Stop;
    const QList<QByteArray> values{"null", "{}", "[]", "1e300", "-1", "\"\"", "true", "[[]]", "\"tool_use\""};
    for (int i = 0; i < 4000; ++i) {
        QByteArray body = good;
        for (auto left = 1 + random() % 4; left > 0; --left) {
            const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(body.size()));
            const qsizetype colon = body.indexOf("\":", at);
            if (random() % 2 == 0 || colon < 0) {
                body[at] = static_cast<char>(random() % 256);
                continue;
            }
            qsizetype last = colon + 2;
            while (last < body.size() && !QByteArrayView(",}\n").contains(body[last])) {
                ++last;
            }
            body.replace(colon + 2, last - colon - 2,
                         values[static_cast<qsizetype>(random() % static_cast<unsigned>(values.size()))]);
        }
        const QByteArray whole = replyOf<MessagesReader>(body, Cuts{body.size() + 1});
        QVERIFY(!whole.isEmpty());
        QCOMPARE(replyOf<MessagesReader>(body, Cuts{1 + static_cast<qsizetype>(random() % 30)}), whole);
    }
}

QTEST_APPLESS_MAIN(tst_MessagesStream)

#include "tst_messagesstream.moc"
