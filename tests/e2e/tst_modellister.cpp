// Asking a server for its models where the list alone does not tell whether a key is right.

#include "app/llm/ModelLister.h"
#include "tests/support/HttpTestServer.h"

#include <QTest>

using namespace spettro;
using namespace spettro::test;

namespace {

const QByteArray Head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
const QByteArray List = Head + R"({"data":[{"id":"b"},{"id":"a"}]})";

ServerSettings settingsFor(const HttpTestServer &server)
{
    ServerSettings settings;
    settings.baseUrl = server.url("/api/v1/");
    settings.key = "sk-TESTKEY123";
    return settings;
}

} // namespace

class tst_ModelLister : public QObject
{
    Q_OBJECT

private slots:
    void rightKey();
    void wrongKey();
    void listOnly();
};

void tst_ModelLister::rightKey()
{
    QByteArrayList answers{Head + "{}", List};
    HttpTestServer server([&](QTcpSocket *socket) {
        socket->write(answers.takeFirst());
        socket->disconnectFromHost();
    });
    const ModelListOutcome outcome = listModels(settingsFor(server), "/key");
    QVERIFY(std::holds_alternative<QList<OfferedModel>>(outcome));
    QCOMPARE(std::get<QList<OfferedModel>>(outcome), (QList<OfferedModel>{{"a", 0}, {"b", 0}}));
    QCOMPARE(server.requests.size(), 2);
    QVERIFY2(server.requests[0].startsWith("GET /api/v1/key HTTP/1.1\r\n"), server.requests[0]);
    QVERIFY2(server.requests[1].startsWith("GET /api/v1/models HTTP/1.1\r\n"), server.requests[1]);
    for (const QByteArray &request : server.requests) {
        QVERIFY2(request.contains("Authorization: Bearer sk-TESTKEY123\r\n"), request);
    }
}

void tst_ModelLister::wrongKey()
{
    const QByteArray body = R"({"error":{"message":"sk-TESTKEY123? No such user","code":401}})";
    HttpTestServer server(
        says("HTTP/1.1 401 No\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body));
    const ModelListOutcome outcome = listModels(settingsFor(server), "/key");
    QVERIFY(std::holds_alternative<ModelError>(outcome));
    const ModelError &error = std::get<ModelError>(outcome);
    QCOMPARE(error.kind, ModelError::Kind::Authentication);
    QVERIFY2(error.message.contains("No such user") && !error.message.contains("TESTKEY"), error.message);
    QCOMPARE(server.requests.size(), 1);
}

void tst_ModelLister::listOnly()
{
    HttpTestServer server(says(List));
    QVERIFY(std::holds_alternative<QList<OfferedModel>>(listModels(settingsFor(server))));
    QCOMPARE(server.requests.size(), 1);
}

QTEST_GUILESS_MAIN(tst_ModelLister)

#include "tst_modellister.moc"
