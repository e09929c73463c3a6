// What is taken for a key, and for which server a stored one is.

#include "app/keys/KeyText.h"

#include <QRandomGenerator>
#include <QTest>

using namespace spettro;

class tst_KeyText : public QObject
{
    Q_OBJECT

private slots:
    void keys_data();
    void keys();
    void anyBytes();
    void names_data();
    void names();
    void readable_data();
    void readable();
};

void tst_KeyText::keys_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("key"); // empty where it is refused
    QTest::newRow("plain") << QByteArray("sk-a") << QByteArray("sk-a");
    QTest::newRow("line end") << QByteArray("sk-a\n") << QByteArray("sk-a");
    QTest::newRow("line end of DOS") << QByteArray("  sk-a\r\n\r\n") << QByteArray("sk-a");
    QTest::newRow("blank within") << QByteArray("sk a") << QByteArray("sk a");
    QTest::newRow("a header behind it") << QByteArray("sk-a\r\nX-Evil: 1") << QByteArray();
    QTest::newRow("two lines") << QByteArray("sk-a\nsk-b\n") << QByteArray();
    QTest::newRow("tab") << QByteArray("sk\ta") << QByteArray();
    QTest::newRow("zero byte") << QByteArray("sk\0a", 4) << QByteArray();
    QTest::newRow("DEL") << QByteArray("sk\x7f") << QByteArray();
    QTest::newRow("beyond ASCII") << QByteArray("sk-\xe2\x80\xa6") << QByteArray();
    QTest::newRow("nothing") << QByteArray("") << QByteArray();
    QTest::newRow("blank") << QByteArray(" \r\n\t") << QByteArray();
    QTest::newRow("as long as can be") << QByteArray(8192, 'k') << QByteArray(8192, 'k');
    QTest::newRow("longer") << QByteArray(8193, 'k') << QByteArray();
}

void tst_KeyText::keys()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, key);
    const sandbox::Result<QByteArray> read = keyFrom(text);
    QCOMPARE(bool(read), !key.isEmpty());
    if (read) {
        QCOMPARE(*read, key);
    } else if (!text.trimmed().isEmpty()) {
        QVERIFY(read.error().message.find(text.trimmed().toStdString()) == std::string::npos);
    }
}

void tst_KeyText::anyBytes()
{
    QRandomGenerator random(20261201);
    for (int round = 0; round < 20'000; ++round) {
        QByteArray text(random.bounded(1, 12), 'k');
        text[random.bounded(static_cast<int>(text.size()))] = static_cast<char>(random.bounded(256));
        const sandbox::Result<QByteArray> key = keyFrom(text);
        if (key) {
            QVERIFY(!key->isEmpty() && *key == key->trimmed());
            QVERIFY(
                std::all_of(key->begin(), key->end(), [](char byte) { return byte >= 0x20 && byte < 0x7f; }));
        }
    }
}

void tst_KeyText::names_data()
{
    QTest::addColumn<QString>("server");
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("own") << "https://api.example.com/v1" << QByteArray("p");
    QTest::newRow("own with its port") << "https://API.example.com:443/other?x" << QByteArray("p");
    QTest::newRow("own without TLS") << "http://api.example.com:443/v1"
                                     << QByteArray("p@http:api.example.com:443");
    QTest::newRow("own at another port")
        << "https://api.example.com:8443/v1" << QByteArray("p@https:api.example.com:8443");
    QTest::newRow("below") << "https://a.api.example.com/v1" << QByteArray("p@https:a.api.example.com:443");
    QTest::newRow("with a user") << "https://api.example.com@evil.invalid/v1"
                                 << QByteArray("p@https:evil.invalid:443");
    QTest::newRow("IPv6") << "http://[::1]:8080/v1" << QByteArray("p@http:::1:8080");
    QTest::newRow("umlaut") << QString::fromUtf8("https://m\xc3\xbcller.example/v1")
                            << QByteArray("p@https:xn--mller-kva.example:443");
}

void tst_KeyText::names()
{
    QFETCH(QString, server);
    QFETCH(QByteArray, name);
    const QByteArray made = storedName("p", QUrl("https://api.example.com/v1"), QUrl(server));
    QCOMPARE(made, name);
    QVERIFY(!made.contains('/'));
}

void tst_KeyText::readable_data()
{
    QTest::addColumn<QString>("server");
    QTest::addColumn<bool>("isReadable");
    QTest::newRow("TLS") << "https://h/v1" << false;
    QTest::newRow("plain") << "http://h/v1" << true;
    QTest::newRow("network at home") << "http://192.168.1.2:8080/v1" << true;
    QTest::newRow("this machine") << "http://127.0.0.1:8080/v1" << false;
    QTest::newRow("all of 127") << "http://127.9.9.9/v1" << false;
    QTest::newRow("IPv6") << "http://[::1]/v1" << false;
    QTest::newRow("localhost") << "http://localhost/v1" << false;
    QTest::newRow("below localhost") << "http://a.localhost/v1" << false;
    QTest::newRow("no localhost") << "http://localhost.example/v1" << true;
    QTest::newRow("no address") << "http://127.0.0.1.example/v1" << true;
}

void tst_KeyText::readable()
{
    QFETCH(QString, server);
    QFETCH(bool, isReadable);
    QCOMPARE(isReadableOnTheWay(QUrl(server)), isReadable);
}

QTEST_APPLESS_MAIN(tst_KeyText)

#include "tst_keytext.moc"
