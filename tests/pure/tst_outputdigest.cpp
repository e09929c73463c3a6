// The beginning and the end of an output of any length.

#include "tools/text/OutputDigest.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

QByteArray digestOf(const QByteArray &text, qsizetype head, qsizetype tail)
{
    OutputDigest digest(head, tail);
    digest.append(text);
    return digest.text();
}

} // namespace

class tst_OutputDigest : public QObject
{
    Q_OBJECT

private slots:
    void digests_data();
    void digests();
    void counts();
    void cutsBetweenCharacters();
    void fuzzChunks();
    void staysSmall();
};

void tst_OutputDigest::digests_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<int>("head");
    QTest::addColumn<int>("tail");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &input, int head, int tail,
                        const QByteArray &expected) {
        QTest::newRow(name) << input << head << tail << expected;
    };
    row("empty", "", 4, 4, "");
    row("fits exactly", "abcdefgh", 4, 4, "abcdefgh");
    row("one more", "abcdefghi", 4, 4, "abcd\n[... 1 bytes (0 lines) left out ...]\nfghi");
    row("at lines", "1234\n1\nxxxxx\nyyyyy\n2\n5678\n", 8, 8,
        "1234\n1\n[... 12 bytes (2 lines) left out ...]\n2\n5678\n");
    row("lines too far away", "1\nabcdefghijklmnopqrstuvwxyz\n9", 8, 8,
        "1\nabcdef\n[... 14 bytes (0 lines) left out ...]\nuvwxyz\n9");
    row("the last newline is no border", "abcdefghijkl\n", 4, 2,
        "abcd\n[... 7 bytes (0 lines) left out ...]\nl\n");
    row("no head", "abc\ndefg", 0, 4, "[... 4 bytes (1 lines) left out ...]\ndefg");
    row("no tail", "abcd\nefg\n", 4, 0, "abcd\n[... 5 bytes (2 lines) left out ...]\n");
    row("nothing", "abc", 0, -1, "[... 3 bytes (0 lines) left out ...]\n");
    row("negative", "abc", -5, 2, "[... 1 bytes (0 lines) left out ...]\nbc");
}

void tst_OutputDigest::digests()
{
    QFETCH(QByteArray, input);
    QFETCH(int, head);
    QFETCH(int, tail);
    QTEST(digestOf(input, head, tail), "expected");
}

void tst_OutputDigest::counts()
{
    OutputDigest digest(4, 4);
    QCOMPARE(digest.totalLines(), 0);
    QCOMPARE(digest.isTruncated(), false);
    digest.append("ab\nc");
    QCOMPARE(digest.totalLines(), 2);
    digest.append("d\ne");
    digest.append("");
    QCOMPARE(digest.totalBytes(), 7);
    QCOMPARE(digest.isTruncated(), false);
    digest.append("f\n");
    QCOMPARE(digest.totalBytes(), 9);
    QCOMPARE(digest.totalLines(), 3);
    QCOMPARE(digest.isTruncated(), true);
}

void tst_OutputDigest::cutsBetweenCharacters()
{
    const QByteArray emoji = "\xF0\x9F\x99\x82";
    for (const QByteArray &character : {emoji, QByteArray("\xE4\xBD\xA0"), QByteArray("\xC3\xA9")}) {
        for (int count = 0; count < 30; ++count) {
            for (int limit = 0; limit < 30; ++limit) {
                const QByteArray text = digestOf(character.repeated(count), limit, limit);
                QVERIFY(text.isValidUtf8());
                // As much as the limits allow.
                const qsizetype room = 2 * (limit / character.size()) * character.size();
                const bool isWhole = character.size() * count <= 2 * limit;
                QCOMPARE(text.count(character),
                         (isWhole ? character.size() * count : room) / character.size());
            }
        }
    }
}

void tst_OutputDigest::fuzzChunks()
{
    std::mt19937 random(Seed);
    static const QByteArrayList parts{"a",         "bc", "\n", "\xC3\xA9", "\xE4\xBD\xA0", "\xF0\x9F\x99\x82",
                                      "0123456789"};
    for (int i = 0; i < 20000; ++i) {
        QByteArray input;
        for (std::size_t j = random() % 60; j > 0; --j)
            input += parts.at(static_cast<qsizetype>(random() % static_cast<std::size_t>(parts.size())));
        const auto headLimit = static_cast<qsizetype>(random() % 40);
        const auto tailLimit = static_cast<qsizetype>(random() % 40);
        OutputDigest digest(headLimit, tailLimit);
        for (qsizetype at = 0; at < input.size();) {
            const auto size = std::min(static_cast<qsizetype>(random() % 50), input.size() - at);
            digest.append(QByteArrayView(input).sliced(at, size));
            at += size;
        }
        const QByteArray text = digest.text();
        const QByteArray shown = QByteArray::number(Seed) + ": " + QByteArray::number(headLimit) + ' '
                                 + QByteArray::number(tailLimit) + ' ' + input.toHex() + " > " + text;
        QVERIFY2(text == digestOf(input, headLimit, tailLimit) && text.isValidUtf8(), shown.constData());
        QVERIFY2(digest.isTruncated() == (input.size() > headLimit + tailLimit), shown.constData());
        if (!digest.isTruncated()) {
            QVERIFY2(text == input, shown.constData());
            continue;
        }
        // What is said to be left out is what is missing between the two parts.
        const qsizetype note = text.indexOf("[... ");
        const qsizetype noteEnd = text.indexOf("...]\n", note) + 5;
        QByteArray head = text.left(note);
        if (!input.startsWith(head) || head.size() > headLimit)
            head.chop(1);
        const QByteArray tail = text.mid(noteEnd);
        QVERIFY2(input.startsWith(head) && input.endsWith(tail), shown.constData());
        QVERIFY2(head.size() <= headLimit && tail.size() <= tailLimit, shown.constData());
        QVERIFY2(head.size() >= headLimit * 3 / 4 - 3 && tail.size() >= tailLimit * 3 / 4 - 3,
                 shown.constData());
        const QByteArray expected =
            "[... " + QByteArray::number(input.size() - head.size() - tail.size()) + " bytes ("
            + QByteArray::number(input.count('\n') - head.count('\n') - tail.count('\n'))
            + " lines) left out ...]\n";
        const bool isAmbiguous = text.left(note).endsWith('\n') && input.startsWith(text.left(note));
        QVERIFY2(isAmbiguous || text.mid(note, noteEnd - note) == expected, shown.constData());
    }
}

void tst_OutputDigest::staysSmall()
{
    const QByteArray chunk = QByteArray("0123456789abcde\n").repeated(4096);
    OutputDigest digest(1000, 1000);
    constexpr qint64 Chunks = 2000;
    for (qint64 i = 0; i < Chunks; ++i)
        digest.append(chunk);
    QCOMPARE(digest.totalBytes(), Chunks * chunk.size());
    QCOMPARE(digest.totalLines(), Chunks * 4096);
    QVERIFY(digest.text().size() < 2100);
}

QTEST_APPLESS_MAIN(tst_OutputDigest)

#include "tst_outputdigest.moc"
