// The records of a session: what is written is read again, and nothing that stands in a log stops a session.

#include "app/agent/session/MessageRecord.h"
#include "app/agent/session/RecordText.h"
#include "app/agent/session/SessionHistory.h"
#include "app/agent/session/sessionMarkdown.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

Message randomMessage(std::mt19937 &random)
{
    static const QByteArrayList texts{"",
                                      "plain",
                                      "caf\xc3\xa9 \xf0\x9f\x98\x80",
                                      "{\"a\": [1, \"\\n\"]}",
                                      "```\n````\n",
                                      "\"\\\x01\x7f\n\t"};
    const auto text = [&] { return texts[static_cast<qsizetype>(random() % 6)]; };
    Message message{random() % 2 == 0 ? Message::Role::User : Message::Role::Assistant, {}};
    for (auto count = random() % 5; count > 0; --count) {
        const QByteArray id = "id-" + QByteArray::number(static_cast<int>(random() % 100));
        switch (random() % 4) {
        case 0:
            message.parts.append(TextPart{text()});
            break;
        case 1:
            message.parts.append(ReasoningPart{text(), text(), text(), static_cast<Protocol>(random() % 3)});
            break;
        case 2:
            message.parts.append(CallPart{id, text(), text(), text()});
            break;
        default:
            message.parts.append(ResultPart{id, text(), random() % 2 == 0});
        }
    }
    return message;
}

/// As a log gives it back.
Json throughLog(Json record)
{
    record["type"] = "message";
    const std::optional<QByteArray> text = textOfRecord(record);
    return text ? recordOf(*text).value_or(Json()) : Json();
}

Json record(const char *text)
{
    return Json::parse(text);
}

} // namespace

class tst_SessionHistory : public QObject
{
    Q_OBJECT

private slots:
    void messagesComeBack();
    void badMessages_data();
    void badMessages();
    void goal();
    void compaction();
    void unknownRecords();
    void markdownHoldsItsBlocks();
    void anything();
};

void tst_SessionHistory::messagesComeBack()
{
    std::mt19937 random(1);
    SessionHistory history;
    Conversation all;
    for (int round = 0; round < 2000; ++round) {
        const Message message = randomMessage(random);
        const Json read = throughLog(messageJson(message));
        QCOMPARE(messageOf(read), std::optional(message));
        history.take(read);
        all.append(message);
    }
    QCOMPARE(history.conversation(), all);
    QCOMPARE(history.unknownRecords(), 0);
}

void tst_SessionHistory::badMessages_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<int>("parts"); // -1: no message
    QTest::newRow("no object") << QByteArray("[]") << -1;
    QTest::newRow("no role") << QByteArray(R"({"parts":[]})") << -1;
    QTest::newRow("unknown role") << QByteArray(R"({"role":"system","parts":[]})") << -1;
    QTest::newRow("no parts") << QByteArray(R"({"role":"user"})") << -1;
    QTest::newRow("parts are none") << QByteArray(R"({"role":"user","parts":{}})") << -1;
    QTest::newRow("unknown part") << QByteArray(
        R"({"role":"user","parts":[{"kind":"image"},{"kind":"text","text":"a"}]})")
                                  << 1;
    QTest::newRow("part is no object")
        << QByteArray(R"({"role":"user","parts":[1,null,{"kind":"text"}]})") << 1;
    QTest::newRow("call without id") << QByteArray(
        R"({"role":"assistant","parts":[{"kind":"call","tool":"ls"}]})")
                                     << 0;
    QTest::newRow("result without id")
        << QByteArray(R"({"role":"user","parts":[{"kind":"result","text":"x"}]})") << 0;
    QTest::newRow("unknown protocol")
        << QByteArray(R"({"role":"assistant","parts":[{"kind":"reasoning","protocol":"x"}]})") << 0;
    QTest::newRow("wrong types") << QByteArray(
        R"({"role":"user","parts":[{"kind":"result","id":"a","text":5,"is_error":"yes"}]})")
                                 << 1;
}

void tst_SessionHistory::badMessages()
{
    QFETCH(QByteArray, json);
    QFETCH(int, parts);
    const std::optional<Message> message = messageOf(Json::parse(json.toStdString()));
    QCOMPARE(message ? static_cast<int>(message->parts.size()) : -1, parts);
}

void tst_SessionHistory::goal()
{
    SessionHistory history;
    QVERIFY(!history.goal());
    history.take(record(R"({"type":"usage","input":7})")); // before any goal: of none
    history.take(record(R"({"type":"goal","text":"first"})"));
    history.take(record(R"({"type":"iteration","number":1,"time_ms":0})"));
    history.take(record(R"({"type":"usage","input":10,"cached_input":4,"output":2})"));
    history.take(record(R"({"type":"iteration","number":2,"time_ms":500})"));
    history.take(record(R"({"type":"usage","input":20,"output":3})"));
    QCOMPARE(history.goal(), std::optional(GoalProgress{
                                 "first", 2, std::chrono::milliseconds(500), {30, 4, 5, true}, false}));
    history.take(record(R"({"type":"end","result":"limit reached","number":2,"time_ms":900})"));
    QVERIFY(!history.goal()->isComplete);
    QCOMPARE(history.goal()->time.count(), 900);
    history.take(record(R"({"type":"end","result":"complete","number":3,"time_ms":1000})"));
    QVERIFY(history.goal()->isComplete);
    history.take(record(R"({"type":"goal","text":"second"})"));
    QCOMPARE(history.goal(), std::optional(GoalProgress{"second", 0, {}, {}, false}));
    history.take(
        record(R"({"type":"iteration","number":"x","time_ms":1e300})")); // of other types: as if absent
    QCOMPARE(history.goal()->iterations, 0);
}

void tst_SessionHistory::compaction()
{
    SessionHistory history;
    history.take(record(R"({"type":"message","role":"user","parts":[{"kind":"text","text":"old"}]})"));
    history.take(record(R"({"type":"compaction","messages":[{"role":"nobody"}]})")); // with a hole: not taken
    QCOMPARE(history.conversation().size(), 1);
    history.take(record(
        R"({"type":"compaction","messages":[{"role":"user","parts":[{"kind":"text","text":"sum"}]}]})"));
    QCOMPARE(history.conversation(), (Conversation{{Message::Role::User, {TextPart{"sum"}}}}));
    history.take(record(R"({"type":"message","role":"assistant","parts":[]})"));
    QCOMPARE(history.conversation().size(), 2);
    QCOMPARE(history.unknownRecords(), 1);
}

void tst_SessionHistory::unknownRecords()
{
    SessionHistory history;
    for (const char *text :
         {R"({"type":"future"})", R"({"type":5})", R"({"type":"message"})", "{}", "[]", "3"}) {
        history.take(record(text));
    }
    QCOMPARE(history.unknownRecords(), 6);
    for (const char *type : {"session", "run", "call", "result", "approval", "turn", "end", "iteration"}) {
        history.take(Json{{"type", type}});
    }
    QCOMPARE(history.unknownRecords(), 6);
}

/// Whatever a result holds, the block that shows it ends where Spettro ends it.
void tst_SessionHistory::markdownHoldsItsBlocks()
{
    std::mt19937 random(2);
    for (int round = 0; round < 500; ++round) {
        QByteArray text;
        for (auto count = random() % 12; count > 0; --count) {
            static const QByteArrayList pieces{"`", "``", "```", "\n", "a", "\x1b[2J", "````\n"};
            text += pieces[static_cast<qsizetype>(random() % 7)];
        }
        const Message message{Message::Role::User, {ResultPart{"a", text, false}}};
        const QByteArray shown = sessionMarkdown(throughLog(messageJson(message)));
        QVERIFY(!shown.contains('\x1b'));
        const QByteArrayList lines = shown.trimmed().split('\n');
        const QByteArray fence = lines.last();
        QVERIFY(fence.size() >= 3 && fence.count('`') == fence.size());
        QCOMPARE(lines.count(fence), 2);
    }
}

/// Records of any form: no crash, and nothing is taken for a message that is none.
void tst_SessionHistory::anything()
{
    std::mt19937 random(3);
    const QByteArrayList good{
        R"({"type":"message","role":"user","parts":[{"kind":"result","id":"a","text":"x","is_error":true}]})",
        R"({"type":"iteration","number":2,"time_ms":500,"checkpoint":3})",
        R"({"type":"compaction","messages":[{"role":"user","parts":[]}],"summary":"s"})",
        R"({"type":"end","result":"complete","message":"m","changed_files":["a"]})",
        R"({"type":"approval","tool":"bash","what":"x","answer":"once"})",
        R"({"type":"session","workspace":"/a%20b","version":1,"time":"t"})"};
    for (int round = 0; round < 20'000; ++round) {
        QByteArray text = good[static_cast<qsizetype>(random() % 6)];
        for (auto count = random() % 4; count > 0; --count) {
            const auto at = static_cast<qsizetype>(random() % static_cast<std::size_t>(text.size()));
            static const QByteArrayList pieces{"null", "[]", "{}", "1e400", "-1", "\"\"", "}", "\xff", ","};
            text.replace(at, static_cast<qsizetype>(random() % 6),
                         pieces[static_cast<qsizetype>(random() % 9)]);
        }
        if (const std::optional<Json> json = recordOf(text)) {
            SessionHistory history;
            history.take(*json);
            sessionMarkdown(*json);
            QVERIFY(history.conversation().size() <= 1);
        }
    }
}

QTEST_GUILESS_MAIN(tst_SessionHistory)

#include "tst_sessionhistory.moc"
