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
    HttpTestServer server([&](QTcpSocket *socket) { // by path: Qt may send a GET twice
        socket->write(server.requests.last().contains("/key HTTP") ? Head + "{}" : List);
        socket->disconnectFromHost();
    });
    const ModelListOutcome outcome = listModels(settingsFor(server), "/key");
    QVERIFY(std::holds_alternative<QList<OfferedModel>>(outcome));
    QCOMPARE(std::get<QList<OfferedModel>>(outcome), (QList<OfferedModel>{{"a", 0}, {"b", 0}}));
    QVERIFY2(server.requests.first().startsWith("GET /api/v1/key HTTP/1.1\r\n"), server.requests.first());
    QVERIFY2(server.requests.last().startsWith("GET /api/v1/models HTTP/1.1\r\n"), server.requests.last());
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
    for (const QByteArray &request : server.requests) {
        QVERIFY2(request.contains("/key HTTP"), request); // the list was not asked for
    }
}

void tst_ModelLister::listOnly()
{
    HttpTestServer server(says(List));
    QVERIFY(std::holds_alternative<QList<OfferedModel>>(listModels(settingsFor(server))));
    for (const QByteArray &request : server.requests) {
        QVERIFY2(request.contains("/models HTTP"), request);
    }
}

QTEST_GUILESS_MAIN(tst_ModelLister)

#include "tst_modellister.moc"
