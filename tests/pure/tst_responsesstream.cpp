// Replies of OpenAI's responses protocol. The names of the rows say what is special.

#include "app/llm/ResponsesReader.h"
#include "tests/support/Replies.h"

#include <QTest>

using namespace spettro;
using namespace spettro::test;

namespace {

constexpr unsigned Seed = 20261130;

const QByteArray Cut =
    "This call was not run: your output was cut off before its arguments were complete. Do it in "
    "smaller parts.";
const QByteArray Figures =
    R"("usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20},"output_tokens":4,"total_tokens":34})";

QByteArray frame(const QByteArray &type, const QByteArray &members)
{
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + members + "}\n\n";
}

QByteArray at(int index)
{
    return "\"output_index\":" + QByteArray::number(index) + ',';
}

const QByteArray Created =
    frame("response.created", R"("response":{"id":"resp_1","status":"in_progress","output":[]})");

QByteArray added(int index, const QByteArray &item)
{
    return frame("response.output_item.added", at(index) + "\"item\":" + item);
}

QByteArray done(int index, const QByteArray &item)
{
    return frame("response.output_item.done", at(index) + "\"item\":" + item);
}

QByteArray textDelta(int index, const QByteArray &text)
{
    return frame("response.output_text.delta", at(index) + R"("content_index":0,"delta":")" + text + "\"");
}

QByteArray argumentsDelta(int index, const QByteArray &escaped)
{
    return frame("response.function_call_arguments.delta",
                 at(index) + R"("item_id":"fc_1","delta":")" + escaped + "\"");
}

QByteArray call(const QByteArray &id, const QByteArray &escaped, const QByteArray &status = "completed")
{
    return R"({"type":"function_call","id":"fc_)" + id + R"(","call_id":"call_)" + id
           + R"(","name":"ls","arguments":")" + escaped + R"(","status":")" + status + R"("})";
}

QByteArray message(const QByteArray &text)
{
    return R"({"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":")"
           + text + R"("}]})";
}

const QByteArray OpenMessage = R"({"type":"message","id":"msg_1","role":"assistant","content":[]})";

QByteArray completed(const QByteArray &output = "[]")
{
    return frame("response.completed",
                 R"("response":{"status":"completed","output":)" + output + "," + Figures + "}");
}

QByteArray incomplete(const QByteArray &reason, const QByteArray &output = "[]")
{
    return frame("response.incomplete",
                 R"("response":{"status":"incomplete","incomplete_details":{"reason":")" + reason
                     + R"("},"output":)" + output + "," + Figures + "}");
}

QByteArray failed(const QByteArray &error)
{
    return frame("response.failed", R"("response":{"status":"failed","error":)" + error + "}");
}

} // namespace

class tst_ResponsesStream : public QObject
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

void tst_ResponsesStream::replies_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &body, const QByteArray &expected) {
        QTest::newRow(name) << body << expected + "\nusage 30/20/4";
    };
    row("text",
        Created + added(0, OpenMessage) + textDelta(0, "h") + textDelta(0, "i") + done(0, message("hi"))
            + completed(),
        "text hi\nEndOfTurn");
    row("characters of several bytes", Created + added(0, OpenMessage) + textDelta(0, "é€😀") + completed(),
        "text é€😀\nEndOfTurn");
    row("deltas without an item", Created + textDelta(0, "a") + textDelta(0, "b") + completed(),
        "text ab\nEndOfTurn");
    row("the whole item counts more than its deltas",
        added(0, OpenMessage) + textDelta(0, "x") + done(0, message("whole")) + completed(),
        "text whole\nEndOfTurn");
    row("only the last event", Created + completed("[" + message("a") + "," + call("1", "{}") + "]"),
        "text a\ncall call_1 ls {}\nToolCalls");
    row("no item ended, the last event has them",
        added(0, call("1", "", "in_progress")) + argumentsDelta(0, R"({\"a\")")
            + completed("[" + call("1", R"({\"a\":1})") + "]"),
        "call call_1 ls {\"a\":1}\nToolCalls");
    row("call in pieces",
        Created + added(0, call("1", "", "in_progress")) + argumentsDelta(0, R"({\"pa)")
            + argumentsDelta(0, R"(th\":1})")
            + frame("response.function_call_arguments.done", at(0) + R"("arguments":"{\"path\":1}")")
            + done(0, call("1", R"({\"path\":1})")) + completed(),
        "call call_1 ls {\"path\":1}\nToolCalls");
    row("done arguments count more than their deltas",
        added(0, call("1", "", "in_progress")) + argumentsDelta(0, R"({\"pa)")
            + frame("response.function_call_arguments.done", at(0) + R"("arguments":"{\"path\":2}")")
            + completed(),
        "call call_1 ls {\"path\":2}\nToolCalls");
    row("calls interleaved",
        added(0, call("1", "", "in_progress")) + added(1, call("2", "", "in_progress"))
            + argumentsDelta(0, R"({\"a\")") + argumentsDelta(1, R"({\"b\")") + argumentsDelta(0, ":1}")
            + argumentsDelta(1, ":2}") + completed(),
        "call call_1 ls {\"a\":1}\ncall call_2 ls {\"b\":2}\nToolCalls");
    row("items named by id instead of place",
        frame("response.output_item.added", "\"item\":" + call("1", "", "in_progress"))
            + frame("response.output_item.added", "\"item\":" + call("2", "", "in_progress"))
            + frame("response.function_call_arguments.delta", R"("item_id":"fc_1","delta":"{\"a\":1}")")
            + frame("response.function_call_arguments.delta", R"("item_id":"fc_2","delta":"{\"b\":2}")")
            + completed(),
        "call call_1 ls {\"a\":1}\ncall call_2 ls {\"b\":2}\nToolCalls");
    row("arguments as an object",
        done(0, R"({"type":"function_call","call_id":"c","name":"ls","arguments":{"path":"x"}})")
            + completed(),
        "call c ls {\"path\":\"x\"}\nToolCalls");
    row("arguments empty", done(0, call("1", "")) + completed(), "call call_1 ls {}\nToolCalls");
    row("call without a call_id",
        done(0, R"({"type":"function_call","id":"fc","name":"ls","arguments":"{}"})") + completed(),
        "call call_0 ls {}\nToolCalls");
    row("same call_id twice", done(0, call("x", "{}")) + done(1, call("x", "{}")) + completed(),
        "call call_x ls {}\ncall call_1 ls {}\nToolCalls");
    row("output limit in text", added(0, OpenMessage) + textDelta(0, "a") + incomplete("max_output_tokens"),
        "text a\nOutputLimit");
    row("output limit in arguments",
        added(0, call("1", "", "in_progress")) + argumentsDelta(0, R"({\"a)")
            + incomplete("max_output_tokens"),
        "call call_1 ls {} !" + Cut + "\nOutputLimit");
    row("output limit right after arguments that did not end",
        added(0, call("1", "", "in_progress")) + argumentsDelta(0, "{}") + incomplete("max_output_tokens"),
        "call call_1 ls {} !" + Cut + "\nOutputLimit");
    row("output limit after a call that ended",
        done(0, call("1", "{}")) + added(1, OpenMessage) + textDelta(1, "a")
            + incomplete("max_output_tokens"),
        "call call_1 ls {}\ntext a\nOutputLimit");
    row("arguments cut, but completed", done(0, call("1", R"({\"a)")) + completed(),
        "call call_1 ls {} !" + Cut + "\nToolCalls");
    row("reasoning item and call",
        added(0, R"({"type":"reasoning","id":"rs_1","summary":[]})")
            + frame("response.reasoning_summary_text.delta", at(0) + R"("delta":"th")")
            + done(
                0,
                R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"th"}],"encrypted_content":"E"})")
            + done(1, call("1", "{}")) + completed(),
        R"(reasoning th|{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"th"}],"encrypted_content":"E"})"
        "\ncall call_1 ls {}\nToolCalls");
    row("reasoning item that did not end",
        added(0, R"({"type":"reasoning","id":"rs_1","summary":[]})")
            + frame("response.reasoning_text.delta", at(0) + R"("delta":"th")") + done(1, message("a"))
            + incomplete("max_output_tokens"),
        "reasoning th|\ntext a\nOutputLimit");
    row("items of other tools",
        done(0, R"({"type":"web_search_call","id":"w"})") + done(1, message("a")) + completed(),
        "text a\nEndOfTurn");
    row("events after the last",
        done(0, message("a")) + completed() + done(1, message("b")) + "data: [DONE]\n\n",
        "text a\nEndOfTurn");
    row("error null in events",
        frame("response.created", R"("error":null)") + done(0, message("a")) + completed(),
        "text a\nEndOfTurn");
}

void tst_ResponsesStream::replies()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QCOMPARE(replyOf<ResponsesReader>(body), expected);
    QCOMPARE(replyOf<ResponsesReader>(QByteArray(body).replace('\n', "\r\n"), Cuts{13}), expected);
}

void tst_ResponsesStream::errors_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected"); // The beginning.
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const QByteArray &body, const char *expected,
                        const QByteArray &words) {
        QTest::newRow(name) << body << "error " + QByteArray(expected) << words;
    };
    row("no terminal event", Created + textDelta(0, "half"), "Transport", "in the middle");
    row("no terminal event after a whole call", Created + done(0, call("1", "{}")), "Transport",
        "in the middle");
    row("[DONE] is none", Created + textDelta(0, "half") + "data: [DONE]\n\n", "Transport", "in the middle");
    row("failed", Created + failed(R"({"code":"server_error","message":"boom"})"), "Server", "boom");
    row("failed with a rate limit", failed(R"({"code":"rate_limit_exceeded","message":"slow down"})"),
        "RateLimited", "slow down");
    row("failed, too long",
        failed(R"({"code":"context_length_exceeded","message":"Your input exceeds the context window."})"),
        "ContextTooLong", "context window");
    row("failed without a reason", failed("null"), "Server", "does not say why");
    row("error event", frame("error", R"("code":"server_error","message":"boom","param":null)"), "Server",
        "boom");
    row("error event with an object",
        frame("error", R"("error":{"code":"insufficient_quota","message":"pay"})"), "Quota", "pay");
    row("error event without a name",
        "data: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"boom\"}\n\n", "Server", "boom");
    row("refusal",
        added(0, OpenMessage) + frame("response.refusal.delta", at(0) + R"("delta":"I can't.")")
            + done(0, R"({"type":"message","content":[{"type":"refusal","refusal":"I can't."}]})")
            + completed(),
        "Refused", "refused to answer: I can't.\n");
    row("content filter", added(0, OpenMessage) + textDelta(0, "a") + incomplete("content_filter"), "Refused",
        "usage 30/20/4");
    row("empty", Created + completed(), "EmptyReply", "usage 30/20/4");
    row("empty at the output limit", Created + incomplete("max_output_tokens"), "OutputLimit",
        "output limit");
    row("damaged", Created + "data: {\n\n", "Transport", "damaged");
}

void tst_ResponsesStream::errors()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    QFETCH(QByteArray, words);
    const QByteArray reply = replyOf<ResponsesReader>(body);
    QVERIFY2(reply.startsWith(expected), reply);
    QVERIFY2(reply.contains(words), reply);
}

void tst_ResponsesStream::wholeBodies_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("expected"); // The beginning.
    const auto row = [](const char *name, const QByteArray &body, const char *expected) {
        QTest::newRow(name) << body << QByteArray(expected);
    };
    row("completed",
        R"({"object":"response","error":null,"status":"completed","output":[)" + message("a") + ","
            + call("1", "{}") + "]," + Figures + "}",
        "text a\ncall call_1 ls {}\nToolCalls\nusage 30/20/4");
    row("incomplete",
        R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[)"
            + call("1", R"({\"a)", "incomplete") + "]}",
        "call call_1 ls {} !This call was not run: your output was cut off");
    row("refusal",
        R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})",
        "error Refused");
    row("failed", R"({"status":"failed","output":[],"error":{"code":"server_error","message":"boom"}})",
        "error Server");
    row("still queued", R"({"status":"queued","output":[]})", "error BadReply");
    row("something else", R"({"output":7})", "error BadReply");
}

void tst_ResponsesStream::wholeBodies()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, expected);
    const QByteArray reply = replyOf<ResponsesReader>(body, "application/json");
    QVERIFY2(reply.startsWith(expected), reply);
}

void tst_ResponsesStream::saysWhenItIsDone()
{
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<ResponsesReader>(recorder, redactor), "text/event-stream", redactor);
    stream.feed(Created + done(0, message("a")));
    QCOMPARE(stream.progress(), ReplyProgress::Reading);
    stream.feed(completed());
    QCOMPARE(stream.progress(), ReplyProgress::Complete);
}

void tst_ResponsesStream::tellsWhatComes()
{
    const Redactor redactor;
    Recorder recorder;
    ReplyStream stream(std::make_unique<ResponsesReader>(recorder, redactor), "text/event-stream", redactor);
    stream.feed(frame("response.reasoning_summary_text.delta", at(0) + R"("delta":"th")") + textDelta(1, "a")
                + added(2, call("1", "", "in_progress")));
    QCOMPARE(recorder.reasoning, "th");
    QCOMPARE(recorder.text, "a");
    QCOMPARE(recorder.calls, QList<QByteArray>{"ls"});
}

void tst_ResponsesStream::everyPrefixIsCut()
{
    const QByteArray body = Created + done(0, call("1", "{}")) + completed();
    for (qsizetype size = 0; size < body.size() - 2; ++size) {
        const QByteArray reply = replyOf<ResponsesReader>(body.first(size), Cuts{size + 1});
        QVERIFY2(reply.startsWith("error Transport"), reply);
    }
}

void tst_ResponsesStream::fuzz()
{
    std::mt19937 random(Seed);
    const QByteArray good = Created + added(0, R"({"type":"reasoning","id":"rs_1","summary":[]})")
                            + added(1, OpenMessage) + textDelta(1, "a")
                            + added(2, call("1", "", "in_progress")) + argumentsDelta(2, "{}")
                            + done(2, call("1", "{}")) + completed("[" + message("a") + "]");
    const QList<QByteArray> values{
        "null", "{}", "[]", "1e300", "-1", "\"\"", "true", "[[]]", "\"function_call\""};
    for (int i = 0; i < 4000; ++i) {
        QByteArray body = good;
        for (auto left = 1 + random() % 4; left > 0; --left) {
            const auto place = static_cast<qsizetype>(random() % static_cast<unsigned>(body.size()));
            const qsizetype colon = body.indexOf("\":", place);
            if (random() % 2 == 0 || colon < 0) {
                body[place] = static_cast<char>(random() % 256);
                continue;
            }
            qsizetype last = colon + 2;
            while (last < body.size() && !QByteArrayView(",}\n").contains(body[last])) {
                ++last;
            }
            body.replace(colon + 2, last - colon - 2,
                         values[static_cast<qsizetype>(random() % static_cast<unsigned>(values.size()))]);
        }
        const QByteArray whole = replyOf<ResponsesReader>(body, Cuts{body.size() + 1});
        QVERIFY(!whole.isEmpty());
        QCOMPARE(replyOf<ResponsesReader>(body, Cuts{1 + static_cast<qsizetype>(random() % 30)}), whole);
    }
}

QTEST_APPLESS_MAIN(tst_ResponsesStream)

#include "tst_responsesstream.moc"
