// One HTTP exchange against servers that behave badly.

#include "app/http/HttpStream.h"
#include "tests/support/HttpTestServer.h"

#include <QFile>
#include <QPointer>
#include <QProcess>
#include <QSignalSpy>
#include <QSslKey>
#include <QSslServer>
#include <QSslSocket>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

using namespace spettro;
using namespace spettro::test;
using namespace std::chrono_literals;

Q_DECLARE_METATYPE(HttpEnd::Reason)

namespace {

const QByteArray Ok = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

/// Everything that a stream says.
struct Exchange
{
    explicit Exchange(const HttpSettings &settings = {})
    {
        stream = std::make_unique<HttpStream>(settings);
        QObject::connect(stream.get(), &HttpStream::bytesArrived, stream.get(),
                         [this](const QByteArray &more) { bytes += more; });
        QObject::connect(stream.get(), &HttpStream::answered, stream.get(), [this] { ++answers; });
        QObject::connect(stream.get(), &HttpStream::finished, stream.get(), [this](const HttpEnd &last) {
            end = last;
            ++ends;
        });
    }

    bool comesToEnd(int milliseconds = 30'000) const
    {
        return QTest::qWaitFor([this] { return ends > 0; }, milliseconds);
    }

    std::unique_ptr<HttpStream> stream;
    QByteArray bytes;
    HttpEnd end;
    int answers = 0;
    int ends = 0;
};

HttpRequest post(const QUrl &url, const QByteArray &body = R"({"a":1})")
{
    return {url,
            {{"Content-Type", "application/json"}, {"Authorization", "Bearer sk-TESTKEY"}},
            body,
            30'000ms,
            30'000ms};
}

} // namespace

class tst_HttpStream : public QObject
{
    Q_OBJECT

private slots:
    void requestAndAnswer();
    void isSentOnce_data();
    void isSentOnce();
    void brokenAnswers_data();
    void brokenAnswers();
    void redirectionsAreNotFollowed_data();
    void redirectionsAreNotFollowed();
    void reasonOfAnError();
    void endlessErrorIsBounded();
    void manyAtOnce();
    void keepAliveIsNoSilence();
    void silence_data();
    void silence();
    void cancelledAnywhere_data();
    void cancelledAnywhere();
    void destroyedInASlot();
    void headersWithLineEnds();
    void userOfUrlStaysHere();
    void nobodyThere();
    void proxies_data();
    void proxies();
    void throughAProxy();
    void refusingProxy();
    void certificates();
};

void tst_HttpStream::requestAndAnswer()
{
    HttpTestServer server(says(Ok + "Set-Cookie: a=b\r\nConnection: close\r\n\r\ndata: x\n\n"));
    for (int round = 0; round < 2; ++round) {
        Exchange exchange;
        exchange.stream->start(post(server.url("/v1/chat?x=1")));
        QVERIFY(exchange.comesToEnd());
        QCOMPARE(exchange.end.reason, HttpEnd::Reason::Answered);
        QCOMPARE(exchange.end.status, 200);
        QCOMPARE(headerValue(exchange.end.headers, "content-type"), QByteArray("text/event-stream"));
        QCOMPARE(exchange.bytes, QByteArray("data: x\n\n"));
        QCOMPARE(exchange.answers, 1);
        const QByteArray request = server.requests.at(round);
        QVERIFY2(request.startsWith("POST /v1/chat?x=1 HTTP/1.1\r\n"), request);
        QVERIFY2(request.contains("Accept-Encoding: identity\r\n"), request);
        QVERIFY2(request.contains("Authorization: Bearer sk-TESTKEY\r\n"), request);
        QVERIFY2(request.endsWith("\r\n\r\n{\"a\":1}"), request);
        QVERIFY2(!request.contains("Cookie"), request);
    }
    Exchange exchange;
    HttpRequest get = post(server.url("/v1/models"));
    get.body.reset();
    exchange.stream->start(get);
    QVERIFY(exchange.comesToEnd());
    QVERIFY2(server.requests.last().startsWith("GET /v1/models HTTP/1.1\r\n"), server.requests.last());
}

void tst_HttpStream::isSentOnce_data()
{
    QTest::addColumn<qsizetype>("size");
    QTest::addColumn<bool>("isReset");
    for (const bool isReset : {false, true}) {
        QTest::addRow("small body, %s", isReset ? "reset" : "closed") << qsizetype(10) << isReset;
        QTest::addRow("large body, %s", isReset ? "reset" : "closed") << qsizetype(5'000'000) << isReset;
        QTest::addRow("no body content, %s", isReset ? "reset" : "closed") << qsizetype(0) << isReset;
    }
}

/// A server that takes a request and goes away has perhaps begun to work on it.
void tst_HttpStream::isSentOnce()
{
    QFETCH(qsizetype, size);
    QFETCH(bool, isReset);
    const auto leave = [isReset](QTcpSocket *socket) {
        if (isReset) {
            socket->abort();
        } else {
            socket->disconnectFromHost();
        }
    };
    HttpTestServer server(leave);
    Exchange exchange;
    exchange.stream->start(post(server.url(), QByteArray(size, 'x')));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, HttpEnd::Reason::Cut);
    QVERIFY2(exchange.end.message.contains("broke"), qPrintable(exchange.end.message));
    QTest::qWait(100);
    QCOMPARE(server.requests.size(), 1);
    QCOMPARE(exchange.ends, 1);

    HttpTestServer control(leave);
    QNetworkAccessManager manager;
    QNetworkRequest plain(control.url());
    plain.setHeader(QNetworkRequest::ContentTypeHeader, "application/json");
    std::unique_ptr<QNetworkReply> reply(manager.post(plain, QByteArray(size, 'x')));
    QSignalSpy finished(reply.get(), &QNetworkReply::finished);
    QVERIFY(finished.wait(30'000));
    QVERIFY2(control.requests.size() > 1, "Qt alone sends once here: nothing is shown");
}

void tst_HttpStream::brokenAnswers_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<HttpEnd::Reason>("reason");
    QTest::newRow("chunked, no last chunk") << Ok + "Transfer-Encoding: chunked\r\n\r\n8\r\ndata: x\n\r\n"
                                            << HttpEnd::Reason::Cut;
    QTest::newRow("shorter than said") << Ok + "Content-Length: 100\r\n\r\ndata: x\n" << HttpEnd::Reason::Cut;
    // Only the protocol in it can tell that this one is not whole.
    QTest::newRow("until the connection ends") << Ok + "Connection: close\r\n\r\ndata: x\n"
                                               << HttpEnd::Reason::Answered;
}

void tst_HttpStream::brokenAnswers()
{
    QFETCH(QByteArray, answer);
    QFETCH(HttpEnd::Reason, reason);
    HttpTestServer server(says(answer));
    Exchange exchange;
    exchange.stream->start(post(server.url()));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, reason);
    QCOMPARE(exchange.bytes, QByteArray("data: x\n"));
    QTest::qWait(100);
    QCOMPARE(exchange.ends, 1);
    QCOMPARE(server.requests.size(), 1);
}

void tst_HttpStream::redirectionsAreNotFollowed_data()
{
    QTest::addColumn<int>("status");
    for (const int status : {301, 302, 303, 307, 308}) {
        QTest::addRow("%d", status) << status;
    }
}

void tst_HttpStream::redirectionsAreNotFollowed()
{
    QFETCH(int, status);
    HttpTestServer other(says(Ok + "Content-Length: 0\r\n\r\n"));
    HttpTestServer server(says("HTTP/1.1 " + QByteArray::number(status) + " Elsewhere\r\nLocation: "
                               + other.url("/x?key=QK42").toEncoded() + "\r\nContent-Length: 0\r\n\r\n"));
    Exchange exchange;
    exchange.stream->start(post(server.url()));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, HttpEnd::Reason::Redirected);
    QVERIFY2(exchange.end.message.contains(QString("127.0.0.1:%1").arg(other.port())),
             qPrintable(exchange.end.message));
    QVERIFY2(!exchange.end.message.contains("QK42"), qPrintable(exchange.end.message));
    QTest::qWait(100);
    QCOMPARE(other.connections(), 0);
    QCOMPARE(exchange.answers, 0);
}

void tst_HttpStream::reasonOfAnError()
{
    HttpTestServer server(says("HTTP/1.1 400 Bad Request\r\nContent-Length: 45\r\nx-request-id: r1\r\n\r\n"
                               R"({"error":{"message":"model foo not loaded"}})"
                               "\n"));
    Exchange exchange;
    exchange.stream->start(post(server.url()));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, HttpEnd::Reason::Answered);
    QCOMPARE(exchange.end.status, 400);
    QVERIFY2(exchange.end.errorBody.contains("model foo not loaded"), exchange.end.errorBody);
    QCOMPARE(headerValue(exchange.end.headers, "X-Request-Id"), QByteArray("r1"));
    QCOMPARE(exchange.bytes, QByteArray());
    QCOMPARE(exchange.answers, 0);
}

void tst_HttpStream::endlessErrorIsBounded()
{
    HttpTestServer server(says("HTTP/1.1 500 Oh\r\nConnection: close\r\n\r\n" + QByteArray(1'000'000, 'e')));
    Exchange exchange;
    exchange.stream->start(post(server.url()));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.status, 500);
    QCOMPARE(exchange.end.errorBody.size(), 64 * 1024);
}

void tst_HttpStream::manyAtOnce()
{
    HttpTestServer server(hold);
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (int count = 0; count < 12; ++count) {
        exchanges.push_back(std::make_unique<Exchange>());
        exchanges.back()->stream->start(post(server.url()));
    }
    QTRY_COMPARE_WITH_TIMEOUT(server.requests.size(), 12, 30'000);
}

void tst_HttpStream::keepAliveIsNoSilence()
{
    HttpTestServer server([](QTcpSocket *socket) {
        socket->write(Ok + "Connection: close\r\n\r\n");
        auto *timer = new QTimer(socket);
        auto count = std::make_shared<int>(0);
        QObject::connect(timer, &QTimer::timeout, socket, [=] {
            socket->write(": ping\n\n");
            if (++*count == 20) {
                socket->write("data: late\n\n");
                socket->disconnectFromHost();
            }
        });
        timer->start(100);
    });
    Exchange exchange;
    HttpRequest request = post(server.url());
    request.idleLimit = 1000ms;
    exchange.stream->start(request);
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, HttpEnd::Reason::Answered);
    QVERIFY2(exchange.bytes.endsWith("data: late\n\n"), exchange.bytes);
}

void tst_HttpStream::silence_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QString>("words");
    QTest::newRow("nothing at all") << QByteArray() << "sent nothing for 0.4 s";
    QTest::newRow("only a status") << Ok + "\r\n"
                                   << "sent nothing for 0.4 s";
    QTest::newRow("in the middle") << Ok + "\r\ndata: x\n\n"
                                   << "sent nothing more for 0.2 s";
}

void tst_HttpStream::silence()
{
    QFETCH(QByteArray, first);
    QFETCH(QString, words);
    HttpTestServer server([first](QTcpSocket *socket) { socket->write(first); });
    Exchange exchange;
    HttpRequest request = post(server.url());
    request.firstByteLimit = 400ms;
    request.idleLimit = 200ms;
    exchange.stream->start(request);
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, HttpEnd::Reason::TimedOut);
    QVERIFY2(exchange.end.message.contains(words), qPrintable(exchange.end.message));
    QCOMPARE(server.requests.size(), 1);
}

void tst_HttpStream::cancelledAnywhere_data()
{
    QTest::addColumn<int>("when");
    QTest::newRow("at once") << 0;
    QTest::newRow("when it is answered") << 1;
    QTest::newRow("at the first bytes, twice") << 2;
    QTest::newRow("after its end") << 3;
}

void tst_HttpStream::cancelledAnywhere()
{
    QFETCH(int, when);
    HttpTestServer server([when](QTcpSocket *socket) {
        socket->write(Ok + "Connection: close\r\n\r\ndata: x\n\n");
        if (when == 3) {
            socket->disconnectFromHost();
        }
    });
    Exchange exchange;
    HttpStream *stream = exchange.stream.get();
    connect(stream, &HttpStream::answered, stream, [=] {
        if (when == 1) {
            stream->cancel();
        }
    });
    connect(stream, &HttpStream::bytesArrived, stream, [=] {
        if (when == 2) {
            stream->cancel();
            stream->cancel();
        }
    });
    stream->start(post(server.url()));
    if (when == 0) {
        stream->cancel();
    }
    QVERIFY(exchange.comesToEnd());
    if (when == 3) {
        stream->cancel();
    }
    QTest::qWait(50);
    QCOMPARE(exchange.ends, 1);
    QCOMPARE(exchange.end.reason, when == 3 ? HttpEnd::Reason::Answered : HttpEnd::Reason::Cancelled);
}

void tst_HttpStream::destroyedInASlot()
{
    HttpTestServer server([](QTcpSocket *socket) { socket->write(Ok + "\r\ndata: x\n\n"); });
    auto *stream = new HttpStream(HttpSettings{});
    QPointer<HttpStream> guard(stream);
    int ends = 0;
    connect(stream, &HttpStream::finished, this, [&] { ++ends; });
    connect(stream, &HttpStream::bytesArrived, this, [=] { stream->deleteLater(); });
    stream->start(post(server.url()));
    QTRY_VERIFY_WITH_TIMEOUT(guard.isNull(), 30'000);
    QTest::qWait(50);
    QCOMPARE(ends, 0);
}

void tst_HttpStream::headersWithLineEnds()
{
    HttpTestServer server(says(Ok + "Content-Length: 0\r\n\r\n"));
    for (const char *value : {"sk-a\r\nX-Evil: 1", "sk-a\n", "sk\x7f"}) {
        Exchange exchange;
        HttpRequest request = post(server.url());
        request.headers = {{"Authorization", value}};
        exchange.stream->start(request);
        QVERIFY(exchange.comesToEnd());
        QCOMPARE(exchange.end.reason, HttpEnd::Reason::NotSent);
        QVERIFY2(exchange.end.message.contains("Authorization") && !exchange.end.message.contains("sk"),
                 qPrintable(exchange.end.message));
    }
    QTest::qWait(50);
    QCOMPARE(server.connections(), 0);
}

void tst_HttpStream::userOfUrlStaysHere()
{
    HttpTestServer server(
        says("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"));
    Exchange exchange;
    HttpRequest request = post(QUrl(QString("http://u:pw9@127.0.0.1:%1/v1?key=QK42").arg(server.port())));
    request.headers = {{"Content-Type", "application/json"}};
    exchange.stream->start(request);
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.status, 401);
    QCOMPARE(exchange.end.errorBody, QByteArray("no"));
    QCOMPARE(server.requests.size(), 1);
    QVERIFY2(!server.requests.first().contains("Authorization"), server.requests.first());
    QVERIFY2(!exchange.end.message.contains("pw9") && !exchange.end.message.contains("QK42"),
             qPrintable(exchange.end.message));
}

void tst_HttpStream::nobodyThere()
{
    QTcpServer closed;
    QVERIFY(closed.listen(QHostAddress::LocalHost));
    const quint16 port = closed.serverPort();
    closed.close();
    Exchange refused;
    refused.stream->start(post(QUrl(QString("http://127.0.0.1:%1/v1?key=QK42").arg(port))));
    QVERIFY(refused.comesToEnd());
    QCOMPARE(refused.end.reason, HttpEnd::Reason::NotReached);
    QCOMPARE(refused.end.message,
             QString("nothing answers at 127.0.0.1:%1: the connection was refused").arg(port));

    Exchange unknown;
    unknown.stream->start(post(QUrl("http://no-such-host.invalid/v1")));
    QVERIFY(unknown.comesToEnd());
    QCOMPARE(unknown.end.reason, HttpEnd::Reason::NotReached);
    QCOMPARE(unknown.end.message, QString("the host no-such-host.invalid is not known"));
}

void tst_HttpStream::proxies_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QStringList>("environment");
    QTest::addColumn<QString>("proxy"); // as TYPE USER:PASSWORD@HOST:PORT
    const QString https = "https://llm.corp.test/v1";
    const auto row = [](const char *name, const QString &url, const QStringList &environment,
                        const QString &proxy) { QTest::newRow(name) << url << environment << proxy; };
    row("none", https, {}, "none");
    row("without a scheme", https, {"HTTPS_PROXY=h:81"}, "http :@h:81");
    row("with a scheme", https, {"https_proxy=http://h:81"}, "http :@h:81");
    row("no port", https, {"https_proxy=http://h"}, "http :@h:80");
    row("user and password", https, {"https_proxy=http://u:p%40w@h:81"}, "http u:p@w@h:81");
    row("small letters first", https, {"https_proxy=a:1", "HTTPS_PROXY=b:2"}, "http :@a:1");
    row("for all", https, {"ALL_PROXY=socks5h://h:9"}, "socks :@h:9");
    row("no port for socks", https, {"ALL_PROXY=socks5://h"}, "socks :@h:1080");
    row("http in capitals", "http://llm.test", {"HTTP_PROXY=h:1"}, "none");
    row("http", "http://llm.test", {"http_proxy=h:1"}, "http :@h:1");
    row("that of https is not for http", "http://llm.test", {"https_proxy=h:1"}, "none");
    row("excepted by name", https, {"https_proxy=h:1", "NO_PROXY=llm.corp.test"}, "none");
    row("excepted by domain", https, {"https_proxy=h:1", "NO_PROXY=x, corp.test"}, "none");
    row("excepted by domain with a dot", https, {"https_proxy=h:1", "NO_PROXY=.corp.test"}, "none");
    row("another domain's end", https, {"https_proxy=h:1", "NO_PROXY=orp.test"}, "http :@h:1");
    row("all excepted", https, {"https_proxy=h:1", "no_proxy=*"}, "none");
    row("excepted network", "https://10.1.2.3/", {"https_proxy=h:1", "no_proxy=10.0.0.0/8"}, "none");
    row("another network", "https://11.1.2.3/", {"https_proxy=h:1", "no_proxy=10.0.0.0/8"}, "http :@h:1");
    row("excepted address", "https://10.1.2.3/", {"https_proxy=h:1", "no_proxy=10.1.2.3"}, "none");
    row("this machine", "http://127.0.0.1:80/", {"http_proxy=h:1"}, "none");
    row("this machine by name", "http://localhost/", {"http_proxy=h:1"}, "none");
    row("this machine, IPv6", "http://[::1]/", {"http_proxy=h:1"}, "none");
    row("unknown scheme", https, {"https_proxy=ftp://h:1"}, "https_proxy");
    row("TLS to the proxy", https, {"HTTPS_PROXY=https://h:1"}, "HTTPS_PROXY");
    row("nonsense", https, {"ALL_PROXY=http://"}, "ALL_PROXY");
}

void tst_HttpStream::proxies()
{
    QFETCH(QString, url);
    QFETCH(QStringList, environment);
    QFETCH(QString, proxy);
    const auto found = proxyFor(QUrl(url), [&](const char *name) {
        for (const QString &entry : environment) {
            if (entry.startsWith(QString(name) + '=')) {
                return entry.section('=', 1).toUtf8();
            }
        }
        return QByteArray();
    });
    if (const auto *error = std::get_if<QString>(&found)) {
        QVERIFY2(error->startsWith(proxy + " is no proxy"), qPrintable(*error));
        return;
    }
    const auto &taken = std::get<QNetworkProxy>(found);
    const QString kind = taken.type() == QNetworkProxy::NoProxy     ? "none"
                         : taken.type() == QNetworkProxy::HttpProxy ? "http"
                                                                    : "socks";
    QCOMPARE(kind == "none" ? kind
                            : QString("%1 %2:%3@%4:%5")
                                  .arg(kind, taken.user(), taken.password(), taken.hostName())
                                  .arg(taken.port()),
             proxy);
}

void tst_HttpStream::throughAProxy()
{
    HttpTestServer proxy(says(Ok + "Content-Length: 2\r\n\r\nhi"));
    Exchange exchange({QNetworkProxy(QNetworkProxy::HttpProxy, "127.0.0.1", proxy.port()), {}});
    exchange.stream->start(post(QUrl("http://llm.invalid/v1")));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.bytes, QByteArray("hi"));
    QVERIFY2(proxy.requests.first().startsWith("POST http://llm.invalid/v1 "), proxy.requests.first());

    HttpTestServer tunnel(says("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"));
    Exchange tls({QNetworkProxy(QNetworkProxy::HttpProxy, "127.0.0.1", tunnel.port()), {}});
    tls.stream->start(post(QUrl("https://llm.invalid/v1")));
    QVERIFY(tls.comesToEnd());
    QVERIFY2(tunnel.requests.first().startsWith("CONNECT llm.invalid:443 "), tunnel.requests.first());
    QVERIFY2(!tunnel.requests.first().contains("TESTKEY"), tunnel.requests.first());
}

void tst_HttpStream::refusingProxy()
{
    HttpTestServer proxy(
        says("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"));
    Exchange exchange({QNetworkProxy(QNetworkProxy::HttpProxy, "127.0.0.1", proxy.port()), {}});
    exchange.stream->start(post(QUrl("https://llm.invalid/v1")));
    QVERIFY(exchange.comesToEnd());
    QCOMPARE(exchange.end.reason, HttpEnd::Reason::NotReached);
    QCOMPARE(exchange.end.message,
             QString("the proxy 127.0.0.1 does not let the connection to llm.invalid through"));
}

void tst_HttpStream::certificates()
{
    QTemporaryDir folder;
    const QString key = folder.filePath("key.pem");
    const QString certificate = folder.filePath("certificate.pem");
    QProcess openssl;
    openssl.start("openssl", {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                              "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj",
                              "/CN=Test Authority", "-addext", "subjectAltName=IP:127.0.0.1"});
    QVERIFY2(openssl.waitForFinished(30'000) && openssl.exitCode() == 0,
             "making a certificate failed; Debian package: openssl\n" + openssl.readAllStandardError());

    QFile keyFile(key);
    QVERIFY(keyFile.open(QIODevice::ReadOnly));
    QSslConfiguration tls;
    tls.setPrivateKey(QSslKey(&keyFile, QSsl::Ec));
    tls.setLocalCertificate(QSslCertificate::fromPath(certificate).first());
    auto listener = std::make_unique<QSslServer>();
    listener->setSslConfiguration(tls);
    HttpTestServer server(says(Ok + "Content-Length: 2\r\n\r\nhi"), std::move(listener));
    const QUrl url(QString("https://127.0.0.1:%1/v1").arg(server.port()));

    Exchange stranger;
    stranger.stream->start(post(url));
    QVERIFY(stranger.comesToEnd());
    QCOMPARE(stranger.end.reason, HttpEnd::Reason::NotReached);
    QVERIFY2(stranger.end.message.contains("Test Authority")
                 && stranger.end.message.contains("SSL_CERT_FILE"),
             qPrintable(stranger.end.message));
    QCOMPARE(server.requests.size(), 0);

    const auto authorities = readAuthorities(certificate);
    QVERIFY(std::holds_alternative<QList<QSslCertificate>>(authorities));
    Exchange known({QNetworkProxy(QNetworkProxy::NoProxy), std::get<QList<QSslCertificate>>(authorities)});
    known.stream->start(post(url));
    QVERIFY(known.comesToEnd());
    QVERIFY2(known.end.reason == HttpEnd::Reason::Answered, qPrintable(known.end.message));
    QCOMPARE(known.bytes, QByteArray("hi"));

    QVERIFY(std::get<QString>(readAuthorities(key)).endsWith("holds no certificate in PEM form"));
    QVERIFY(std::get<QString>(readAuthorities("/no/such")).startsWith("/no/such: "));
}

QTEST_GUILESS_MAIN(tst_HttpStream)

#include "tst_httpstream.moc"
