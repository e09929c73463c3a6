// Server-sent events, however the network cuts them and whatever a server or a proxy makes of the format.

#include "app/llm/SseParser.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

/// Events as text: `type=data;` each.
QByteArray eventsOf(const QByteArray &body, const std::function<qsizetype()> &nextSize,
                    bool *isRead = nullptr)
{
    SseParser parser(1000);
    QByteArray events;
    const auto sink = [&](const SseEvent &event) { events += event.type + '=' + event.data + ';'; };
    bool isGood = true;
    for (qsizetype at = 0; at < body.size();) {
        const qsizetype size = std::min(nextSize(), body.size() - at);
        isGood = parser.feed(QByteArrayView(body).sliced(at, size), sink) && isGood;
        at += size;
    }
    parser.finish(sink);
    if (isRead) {
        *isRead = isGood;
    }
    return events;
}

} // namespace

class tst_SseParser : public QObject
{
    Q_OBJECT

private slots:
    void events_data();
    void events();
    void lineEnds();
    void tooLong_data();
    void tooLong();
    void keepsNothingOfWhatIsTooLong();
    void fuzz();
};

void tst_SseParser::events_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("events");
    const auto row = [](const char *name, const QByteArray &body, const char *events) {
        QTest::newRow(name) << body << QByteArray(events);
    };
    row("one", "data: a\n\n", "=a;");
    row("type", "event: t\ndata: a\n\ndata: b\n\n", "t=a;=b;");
    row("type after data", "data: a\nevent: t\n\n", "t=a;");
    row("type without data", "event: t\n\ndata: a\n\n", "=a;");
    row("no space", "data:a\n\n", "=a;");
    row("two spaces", "data:  a\n\n", "= a;");
    row("several data lines", "data: a\ndata:\ndata: b\n\n", "=a\n\nb;");
    row("empty data", "data\n\ndata:\n\ndata: a\n\n", "=a;");
    row("comments", ":hello\n\n: ping\n\n:\ndata: a\n: in between\n\n", "=a;");
    row("other fields", "id: 7\nretry: 5\nfoo: bar\nDATA: x\ndata2: x\n data: x\ndata: a\n\n", "=a;");
    row("byte order mark",
        "\xEF\xBB\xBF"
        "data: a\n\n",
        "=a;");
    row("byte order mark before an empty line", "\xEF\xBB\xBF\ndata: a\n\n", "=a;");
    row("byte order mark only at the start",
        "data: a\n\n\xEF\xBB\xBF"
        "data: b\n\n",
        "=a;");
    row("colon in data", "data: a: b\n\n", "=a: b;");
    row("no final blank line", "data: a\n\ndata: b\n", "=a;=b;");
    row("no final line end", "data: a\n\ndata: b", "=a;=b;");
    row("CR", "data: a\rdata: b\r\rdata: c\r\r", "=a\nb;=c;");
    row("CR LF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", "=a\nb;=c;");
    row("line ends mixed", "data: a\r\ndata: b\n\r\ndata: c\r\n\ndata: d\n\n", "=a\nb;=c;=d;");
    row("CR, then LF of the next line", "data: a\r\r\n\ndata: b\n\n", "=a;=b;");
    row("several bytes a character", "data: \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n\n",
        "=\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80;");
    row("not UTF-8", "data: \xFF\xFE\n\n", "=\xFF\xFE;");
    row("only blank lines", "\n\n\r\n\r\r\n", "");
    row("nothing", "", "");
}

void tst_SseParser::events()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, events);
    QCOMPARE(eventsOf(body, [&] { return body.size(); }), events);
    QCOMPARE(eventsOf(body, [] { return qsizetype(1); }), events);
    for (qsizetype offset = 1; offset < body.size(); ++offset) {
        bool isFirst = true;
        QCOMPARE(eventsOf(body, [&] { return std::exchange(isFirst, false) ? offset : body.size(); }),
                 events);
    }
}

/// Whatever ends the lines, line by line, the events are the same.
void tst_SseParser::lineEnds()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> lines{"event: t", "data: a", "data: b", "", ": c", "data: d", "", ""};
    const QList<QByteArray> ends{"\n", "\r\n", "\r"};
    for (int i = 0; i < 2000; ++i) {
        QByteArray body;
        for (const QByteArray &line : lines) {
            // A CR before an empty line that ends in LF would be one line end.
            const bool isAfterCr = line.isEmpty() && body.endsWith('\r');
            body += line
                    + ends[isAfterCr ? 1 + static_cast<qsizetype>(random() % 2)
                                     : static_cast<qsizetype>(random() % 3)];
        }
        QCOMPARE(eventsOf(body, [&] { return 1 + static_cast<qsizetype>(random() % 5); }), "t=a\nb;=d;");
    }
}

void tst_SseParser::tooLong_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("isRead");
    const auto row = [](const char *name, const QByteArray &body, bool isRead) {
        QTest::newRow(name) << body << isRead;
    };
    row("longest line", "data: " + QByteArray(994, 'x') + "\n\n", true);
    row("longer line", "data: " + QByteArray(995, 'x') + "\n\n", false);
    row("line without an end", "data: " + QByteArray(5000, 'x'), false);
    row("comment", ':' + QByteArray(5000, 'x') + "\n\n", false);
    row("many comments", QByteArray(": ping\n\n").repeated(5000), true);
    row("many events", QByteArray("data: 0123456789\n\n").repeated(5000), true);
    row("many data lines", QByteArray("data: 0123456789\n").repeated(500), false);
    row("many empty data lines", QByteArray("data:\n").repeated(5000), false);
}

void tst_SseParser::tooLong()
{
    QFETCH(QByteArray, body);
    QFETCH(bool, isRead);
    for (const qsizetype size : {qsizetype(1), qsizetype(7), body.size()}) {
        bool isGood = true;
        const QByteArray events = eventsOf(
            body + "\n\ndata: later\n\n", [size] { return size; }, &isGood);
        QCOMPARE(isGood, isRead);
        QCOMPARE(events.contains("later"), isRead);
    }
}

/// 100 MB in one line, in pieces: what is kept stays small, and it takes no time.
void tst_SseParser::keepsNothingOfWhatIsTooLong()
{
    SseParser parser;
    const QByteArray piece = QByteArray(1024 * 1024, 'x');
    const auto sink = [](const SseEvent &) { QFAIL("an event"); };
    int accepted = 0;
    for (int i = 0; i < 100; ++i) {
        accepted += parser.feed(piece, sink) ? 1 : 0;
    }
    QCOMPARE(accepted, int(SseParser::DefaultMaximum / piece.size()));
    parser.finish(sink);
}

/// Cuts never matter, and nothing is read that is not there.
void tst_SseParser::fuzz()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> words{"data",         ":",    " ",     "\n",  "\r", "\r\n", "event", "x",
                                  "\xEF\xBB\xBF", "\n\n", "id: 1", "\xFF"};
    for (int i = 0; i < 20000; ++i) {
        QByteArray body;
        for (auto left = random() % 30; left > 0; --left) {
            body += words[static_cast<qsizetype>(random() % static_cast<unsigned>(words.size()))];
        }
        const QByteArray whole = eventsOf(body, [&] { return body.size(); });
        QCOMPARE(eventsOf(body, [] { return qsizetype(1); }), whole);
        QCOMPARE(eventsOf(body, [&] { return 1 + static_cast<qsizetype>(random() % 6); }), whole);
        QVERIFY(whole.count('x') <= body.count('x'));
    }
}

QTEST_APPLESS_MAIN(tst_SseParser)

#include "tst_sseparser.moc"
