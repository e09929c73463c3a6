// A model behind a server: three protocols, and servers on a bad day.

#include "app/llm/ServerModel.h"
#include "tests/support/HttpTestServer.h"

#include <QElapsedTimer>
#include <QTest>

using namespace spettro;
using namespace spettro::test;
using namespace std::chrono_literals;

namespace {

const QByteArray Ok = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

QByteArray chunk(const QByteArray &delta, const QByteArray &finish = "null")
{
    return R"(data: {"choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + finish + "}]}\n\n";
}

const QByteArray Done = "data: [DONE]\n\n";
const QByteArray Hello =
    Ok + chunk(R"({"content":"Hel"})") + chunk(R"({"content":"lo"})") + chunk("{}", R"("stop")") + Done;

QByteArray failure(int status, const QByteArray &body, const QByteArray &headers = {})
{
    return "HTTP/1.1 " + QByteArray::number(status) + " No\r\nContent-Type: application/json\r\n" + headers
           + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

/// Gives the answers in their order, the last one again and again.
HttpTestServer::Answer inTurn(QByteArrayList answers)
{
    auto left = std::make_shared<QByteArrayList>(std::move(answers));
    return [left](QTcpSocket *socket) {
        socket->write(left->size() > 1 ? left->takeFirst() : left->first());
        socket->disconnectFromHost();
    };
}

ServerSettings settingsFor(const HttpTestServer &server, Protocol protocol = Protocol::ChatCompletions)
{
    ServerSettings settings;
    settings.protocol = protocol;
    settings.baseUrl = server.url("/v1");
    settings.key = "sk-TESTKEY123";
    settings.title = "test";
    settings.firstWait = 10ms;
    return settings;
}

ModelRequest request()
{
    return {"m", "be brief", {}, {{Message::Role::User, {TextPart{"hi"}}}}, 100};
}

/// What came of one question.
struct Answer
{
    std::optional<ModelOutcome> outcome;
    QByteArray shown; ///< Since the last retry.
    int retries = 0;

    QByteArray text() const
    {
        const auto *reply = outcome ? std::get_if<ModelReply>(&*outcome) : nullptr;
        const auto *part = reply && !reply->message.parts.isEmpty()
                               ? std::get_if<TextPart>(&reply->message.parts.first())
                               : nullptr;
        return part ? part->text : QByteArray();
    }
    ModelError error() const
    {
        const auto *error = outcome ? std::get_if<ModelError>(&*outcome) : nullptr;
        return error ? *error : ModelError{ModelError::Kind::BadReply, "there is an answer", {}, {}};
    }
};

/// `during`: what happens once the request runs.
Answer ask(ServerModel &model, const std::function<void()> &during = {})
{
    Answer answer;
    QObject context;
    QObject::connect(&model, &Model::textArrived, &context,
                     [&](const QByteArray &text) { answer.shown += text; });
    QObject::connect(&model, &Model::retrying, &context, [&] {
        ++answer.retries;
        answer.shown.clear();
    });
    QObject::connect(&model, &Model::finished, &context, [&](const ModelOutcome &outcome) {
        if (answer.outcome) {
            qFatal("a second end");
        }
        answer.outcome = outcome;
    });
    model.ask(request());
    if (during) {
        during();
    }
    if (!QTest::qWaitFor([&] { return answer.outcome.has_value(); }, 30'000)) {
        qFatal("no end");
    }
    QTest::qWait(20); // for a second end
    return answer;
}

} // namespace

Q_DECLARE_METATYPE(Protocol)

class tst_ServerModel : public QObject
{
    Q_OBJECT

private slots:
    void protocols_data();
    void protocols();
    void doneBeforeTheConnectionEnds();
    void brokenStreamLeavesNothing();
    void healing_data();
    void healing();
    void notHealing_data();
    void notHealing();
    void givesUp();
    void waitsAsTold();
    void learnsTheDialectOnce();
    void silence();
    void cancelled_data();
    void cancelled();
    void keyFromAFile();
    void secretsDoNotShow();
    void askedAgainFromASlot();
};

void tst_ServerModel::protocols_data()
{
    QTest::addColumn<Protocol>("protocol");
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("key");
    QTest::newRow("chat completions")
        << Protocol::ChatCompletions << Hello << QByteArray("POST /v1/chat/completions HTTP/1.1")
        << QByteArray("Authorization: Bearer sk-TESTKEY123\r\n");
    QTest::newRow("messages")
        << Protocol::Messages
        << Ok
               + "event: message_start\ndata: "
                 "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\n"
               + "event: content_block_start\ndata: "
                 "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
                 "\"text\",\"text\":\"\"}}\n\n"
               + "event: content_block_delta\ndata: "
                 "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_"
                 "delta\",\"text\":\"Hello\"}}\n\n"
               + "event: message_delta\ndata: "
                 "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_"
                 "tokens\":2}}\n\n"
               + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
        << QByteArray("POST /v1/messages HTTP/1.1") << QByteArray("x-api-key: sk-TESTKEY123\r\n");
    QTest::newRow("responses")
        << Protocol::Responses
        << Ok + "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n"
               + "event: response.output_text.delta\ndata: "
                 "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hello\"}\n\n"
               + "event: response.completed\ndata: "
                 "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{"
                 "\"type\":\"message\","
                 "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]}],"
                 "\"usage\":{\"input_"
                 "tokens\":3,\"output_tokens\":2}}}\n\n"
        << QByteArray("POST /v1/responses HTTP/1.1") << QByteArray("Authorization: Bearer sk-TESTKEY123\r\n");
}

void tst_ServerModel::protocols()
{
    QFETCH(Protocol, protocol);
    QFETCH(QByteArray, answer);
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, key);
    HttpTestServer server(inTurn({answer}));
    ServerModel model(settingsFor(server, protocol));
    for (int round = 1; round <= 2; ++round) {
        const Answer came = ask(model);
        QVERIFY2(came.text() == "Hello", came.error().message);
        QCOMPARE(came.shown, QByteArray("Hello"));
        QCOMPARE(server.requests.size(), round);
        QVERIFY2(server.requests.last().startsWith(line), server.requests.last());
        QVERIFY2(server.requests.last().toLower().contains(key.toLower()), server.requests.last());
        QVERIFY2(server.requests.last().contains("be brief"), server.requests.last());
    }
}

void tst_ServerModel::doneBeforeTheConnectionEnds()
{
    HttpTestServer server([](QTcpSocket *socket) { socket->write(Hello); });
    ServerModel model(settingsFor(server));
    QCOMPARE(ask(model).text(), QByteArray("Hello"));
}

/// What the first try said is void, its call too.
void tst_ServerModel::brokenStreamLeavesNothing()
{
    const QByteArray call =
        R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"echo x >>n"}}]})";
    HttpTestServer server(inTurn({Ok + chunk(R"({"content":"He"})") + chunk(call), Hello}));
    ServerModel model(settingsFor(server));
    const Answer answer = ask(model);
    QCOMPARE(answer.text(), QByteArray("Hello"));
    QCOMPARE(answer.shown, QByteArray("Hello"));
    QCOMPARE(answer.retries, 1);
    QCOMPARE(std::get<ModelReply>(*answer.outcome).message.parts.size(), 1);
    QCOMPARE(server.requests.size(), 2);
}

void tst_ServerModel::healing_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::newRow("429") << failure(429, R"({"error":{"message":"slow down"}})");
    QTest::newRow("500") << failure(500, "{}");
    QTest::newRow("529") << failure(
        529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
    QTest::newRow("closed without a word") << QByteArray();
    QTest::newRow("error in the stream")
        << Ok + "data: {\"error\":{\"message\":\"overloaded\",\"code\":529}}\n\n";
    QTest::newRow("nothing said") << Ok + chunk(R"({"content":""})") + chunk("{}", R"("stop")") + Done;
}

void tst_ServerModel::healing()
{
    QFETCH(QByteArray, first);
    HttpTestServer server(inTurn({first, Hello}));
    ServerModel model(settingsFor(server));
    const Answer answer = ask(model);
    QVERIFY2(answer.text() == "Hello", answer.error().message);
    QCOMPARE(server.requests.size(), 2);
    QCOMPARE(answer.retries, 1);
}

void tst_ServerModel::notHealing_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("wrong key") << failure(401, R"({"error":{"message":"no such key"}})")
                               << QByteArray("no such key");
    QTest::newRow("nothing left to pay with")
        << failure(429, R"({"error":{"code":"insufficient_quota","message":"pay first"}})")
        << QByteArray("pay first");
    QTest::newRow("too large") << failure(413, "<html>too large</html>") << QByteArray("413");
    QTest::newRow("bad request") << failure(400, R"({"error":{"message":"what is this"}})")
                                 << QByteArray("what is this");
    QTest::newRow("elsewhere") << failure(307, "", "Location: http://other.invalid/\r\n")
                               << QByteArray("other.invalid");
    QTest::newRow("a page") << QByteArray(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>login</html>")
                            << QByteArray("login");
}

void tst_ServerModel::notHealing()
{
    QFETCH(QByteArray, answer);
    QFETCH(QByteArray, words);
    HttpTestServer server(inTurn({answer}));
    ServerModel model(settingsFor(server));
    const Answer came = ask(model);
    QVERIFY2(came.error().message.contains(words), came.error().message);
    QCOMPARE(server.requests.size(), 1);
    QCOMPARE(came.retries, 0);
}

void tst_ServerModel::givesUp()
{
    HttpTestServer server(inTurn({failure(503, R"({"error":{"message":"down"}})")}));
    ServerSettings settings = settingsFor(server);
    settings.mostTries = 3;
    ServerModel model(settings);
    const Answer answer = ask(model);
    QVERIFY2(answer.error().message.contains("down"), answer.error().message);
    QCOMPARE(server.requests.size(), 3);

    HttpTestServer empty(inTurn({Ok + chunk("{}", R"("stop")") + Done}));
    ServerModel silent(settingsFor(empty));
    QCOMPARE(ask(silent).error().kind, ModelError::Kind::EmptyReply);
    QCOMPARE(empty.requests.size(), 3);
}

void tst_ServerModel::waitsAsTold()
{
    HttpTestServer server(inTurn({failure(429, "{}", "retry-after-ms: 600\r\n"), Hello}));
    ServerModel model(settingsFor(server));
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(ask(model).text(), QByteArray("Hello"));
    QVERIFY(timer.elapsed() >= 600);

    HttpTestServer patient(inTurn({failure(429, "{}", "Retry-After: 999999\r\n")}));
    ServerModel other(settingsFor(patient));
    const Answer answer = ask(other);
    QVERIFY2(answer.error().message.contains("left alone for 999999 s"), answer.error().message);
    QCOMPARE(patient.requests.size(), 1);
}

void tst_ServerModel::learnsTheDialectOnce()
{
    HttpTestServer server(inTurn(
        {failure(
             400,
             R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use )"
             R"('max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}})"),
         Hello}));
    ServerModel model(settingsFor(server));
    QCOMPARE(ask(model).text(), QByteArray("Hello"));
    QCOMPARE(ask(model).text(), QByteArray("Hello"));
    QCOMPARE(server.requests.size(), 3);
    QVERIFY(server.requests.at(0).contains("\"max_tokens\""));
    for (int later : {1, 2}) {
        QVERIFY2(server.requests.at(later).contains("max_completion_tokens")
                     && !server.requests.at(later).contains("\"max_tokens\""),
                 server.requests.at(later));
    }
}

void tst_ServerModel::silence()
{
    HttpTestServer server([](QTcpSocket *socket) { socket->write(Ok + chunk(R"({"content":"He"})")); });
    ServerSettings settings = settingsFor(server);
    settings.idleLimit = 200ms;
    settings.mostTries = 2;
    ServerModel model(settings);
    const Answer answer = ask(model);
    QVERIFY2(answer.error().message.contains("nothing more for 0.2 s"), answer.error().message);
    QCOMPARE(server.requests.size(), 2);
}

void tst_ServerModel::cancelled_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::newRow("before an answer") << QByteArray();
    QTest::newRow("in the answer") << Ok + chunk(R"({"content":"He"})");
    QTest::newRow("while it waits") << failure(429, "{}", "Retry-After: 50\r\n");
}

void tst_ServerModel::cancelled()
{
    QFETCH(QByteArray, answer);
    HttpTestServer server([answer](QTcpSocket *socket) { socket->write(answer); });
    ServerModel model(settingsFor(server));
    QElapsedTimer timer;
    const Answer came = ask(model, [&] {
        QTRY_COMPARE(server.requests.size(), 1);
        QTest::qWait(100);
        timer.start();
        model.cancel();
        model.cancel();
    });
    QCOMPARE(came.error().kind, ModelError::Kind::Interrupted);
    QVERIFY(timer.elapsed() < 5'000);
    QCOMPARE(server.requests.size(), 1);
    model.cancel(); // nothing runs
}

void tst_ServerModel::keyFromAFile()
{
    HttpTestServer server(inTurn({Hello}));
    ServerSettings settings = settingsFor(server);
    settings.key = "sk-a\n";
    ServerModel model(settings);
    QCOMPARE(ask(model).text(), QByteArray("Hello"));
    QVERIFY2(server.requests.first().contains("Authorization: Bearer sk-a\r\n"), server.requests.first());

    settings.key = "sk-a\r\nX-Evil: 1";
    ServerModel evil(settings);
    QVERIFY2(ask(evil).error().message.contains("Authorization"), "the header is named");
    QCOMPARE(server.requests.size(), 1);
}

void tst_ServerModel::secretsDoNotShow()
{
    for (const int status : {500, 401, 0}) {
        const QByteArray body = R"({"error":{"message":"key sk-TESTKEY123 of u:pw9 with QK42 is wrong"}})";
        HttpTestServer server(inTurn({status == 0 ? QByteArray() : failure(status, body)}));
        ServerSettings settings = settingsFor(server);
        settings.baseUrl = QUrl(QString("http://u:pw9@127.0.0.1:%1/v1?key=QK42").arg(server.port()));
        settings.mostTries = 1;
        ServerModel model(settings);
        const QByteArray message = ask(model).error().message;
        QVERIFY2(!message.isEmpty() && !message.contains("TESTKEY123") && !message.contains("pw9")
                     && !message.contains("QK42"),
                 message);
        QVERIFY2(server.requests.first().startsWith("POST /v1/chat/completions?key=QK42 "),
                 server.requests.first());
    }
}

/// As the loop does: the next question comes out of the last answer's signal.
void tst_ServerModel::askedAgainFromASlot()
{
    HttpTestServer server([](QTcpSocket *socket) { socket->write(Hello); });
    ServerModel model(settingsFor(server));
    int answers = 0;
    connect(&model, &Model::finished, this, [&](const ModelOutcome &outcome) {
        QVERIFY(std::holds_alternative<ModelReply>(outcome));
        if (++answers < 20) {
            model.ask(request());
        }
    });
    model.ask(request());
    QTRY_COMPARE_WITH_TIMEOUT(answers, 20, 30'000);
    QCOMPARE(server.requests.size(), 20);
}

QTEST_GUILESS_MAIN(tst_ServerModel)

#include "tst_servermodel.moc"
