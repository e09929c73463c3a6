// What ripgrep is called with, and what it says: read strictly, whatever comes.

#include "tools/search/RipgrepOutput.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;
constexpr qsizetype NoLimit = 1'000'000;

const QByteArray Begin = R"({"type":"begin","data":{"path":{"text":"./a/b.c"}}})"
                         "\n";
const QByteArray Match =
    R"({"type":"match","data":{"path":{"text":"./a/b.c"},"lines":{"text":"x foo\r\n"},)"
    R"("line_number":3,"absolute_offset":9,"submatches":[{"match":{"text":"foo"},"start":2,"end":5}]}})"
    "\n";
const QByteArray End = R"({"type":"end","data":{"path":{"text":"./a/b.c"},"binary_offset":null,"stats":{}}})"
                       "\n";
const QByteArray Binary =
    R"({"type":"begin","data":{"path":{"bytes":"Li9iYWT/"}}})"
    "\n"
    R"({"type":"match","data":{"path":{"bytes":"Li9iYWT/"},"lines":{"bytes":"/2EK"},"line_number":1,)"
    R"("absolute_offset":0,"submatches":[{"match":{"text":"a"},"start":1,"end":2}]}})"
    "\n"
    R"({"type":"end","data":{"path":{"bytes":"Li9iYWT/"},"binary_offset":7,"stats":{}}})"
    "\n";
const QByteArray Summary = R"({"data":{"stats":{}},"type":"summary"})"
                           "\n";
const QByteArray Whole = Begin + Match + End + Binary + Summary;

RipgrepResult parsed(const QByteArray &output, const std::optional<GlobPattern> &glob = {},
                     qsizetype limit = NoLimit)
{
    const auto result = parseRipgrepOutput(output, glob, limit);
    if (const QString *error = std::get_if<QString>(&result)) {
        qFatal("%s", qPrintable(*error));
    }
    return std::get<RipgrepResult>(result);
}

GlobPattern glob(const QByteArray &text)
{
    return std::get<GlobPattern>(GlobPattern::parse(text));
}

} // namespace

class tst_RipgrepOutput : public QObject
{
    Q_OBJECT

private slots:
    void arguments();
    void reads();
    void bytes();
    void limit();
    void filter();
    void cutAnywhere();
    void findsMistakes_data();
    void findsMistakes();
    void fuzz();
};

void tst_RipgrepOutput::arguments()
{
    const QList<QByteArray> plain = ripgrepArguments({"-x", ""});
    QVERIFY(plain.contains("--no-ignore-parent"));
    QVERIFY(!plain.contains("--ignore-case"));
    QVERIFY(!plain.contains("--fixed-strings"));
    QCOMPARE(plain.last(3), (QList<QByteArray>{"--regexp=-x", "--", "./"}));
    const QList<QByteArray> other = ripgrepArguments(
        {"x", "-a/\xFF", PatternSyntax::FixedString, LetterCase::Ignore, ParentRules::Honour});
    QVERIFY(!other.contains("--no-ignore-parent"));
    QVERIFY(other.contains("--ignore-case"));
    QVERIFY(other.contains("--fixed-strings"));
    QCOMPARE(other.last(), QByteArray("./-a/\xFF"));
}

void tst_RipgrepOutput::reads()
{
    const RipgrepResult all = parsed(Whole);
    QCOMPARE(all.lines, (QList<FoundLine>{{"a/b.c", 3, 3, 3, "x foo"}}));
    QCOMPARE(all.binaryFiles, (QList<QByteArray>{"bad\xFF"}));
    QCOMPARE(all.leftOutLines, 0);
    QVERIFY(all.isComplete);
    QVERIFY(parsed(Summary).isComplete);
    QVERIFY(!parsed("").isComplete);
}

void tst_RipgrepOutput::bytes()
{
    QByteArray output = Binary;
    output.replace("\"binary_offset\":7", "\"binary_offset\":null");
    const RipgrepResult all = parsed(output);
    QCOMPARE(all.lines, (QList<FoundLine>{{"bad\xFF", 1, 2, 1,
                                           "\xFF"
                                           "a"}}));
    QVERIFY(all.binaryFiles.isEmpty());
    QVERIFY(!all.isComplete);
}

void tst_RipgrepOutput::limit()
{
    QByteArray matches;
    for (int number = 1; number <= 10; ++number) {
        QByteArray match = Match;
        matches += match.replace("\"line_number\":3", "\"line_number\":" + QByteArray::number(number));
    }
    const RipgrepResult all = parsed(Begin + matches + End + Binary + Summary, {}, 4);
    QCOMPARE(all.lines.size(), 4);
    QCOMPARE(all.lines.last().lineNumber, 4);
    QCOMPARE(all.leftOutLines, 6);
    QCOMPARE(all.binaryFiles.size(), 1);
}

void tst_RipgrepOutput::filter()
{
    QCOMPARE(parsed(Whole, glob("*.c")).lines.size(), 1);
    QVERIFY(parsed(Whole, glob("*.c")).binaryFiles.isEmpty());
    QCOMPARE(parsed(Whole, glob("*.h")).lines.size(), 0);
    QCOMPARE(parsed(Whole, glob("bad?")).binaryFiles.size(), 1);
    QCOMPARE(parsed(Whole, glob("a/**")).lines.size(), 1);
}

void tst_RipgrepOutput::cutAnywhere()
{
    for (qsizetype size = 0; size < Whole.size(); ++size) {
        const RipgrepResult some = parsed(Whole.first(size));
        QVERIFY(!some.isComplete);
        QCOMPARE(some.lines.size(), size >= (Begin + Match + End).size() ? 1 : 0);
    }
}

void tst_RipgrepOutput::findsMistakes_data()
{
    QTest::addColumn<QByteArray>("output");
    const auto changed = [](const char *before, const char *after) {
        QByteArray output = Whole;
        if (!output.contains(before)) {
            qFatal("%s is not in the output", before);
        }
        return output.replace(before, after);
    };
    QTest::newRow("no JSON") << QByteArray("rg: error\n");
    QTest::newRow("empty line") << QByteArray("\n");
    QTest::newRow("array") << QByteArray("[]\n");
    QTest::newRow("unknown type") << changed("summary", "other");
    QTest::newRow("no data") << QByteArray("{\"type\":\"summary\"}\n");
    QTest::newRow("match before begin") << Match;
    QTest::newRow("end before begin") << End;
    QTest::newRow("begin twice") << Begin + Begin;
    QTest::newRow("summary inside") << Begin + Summary;
    QTest::newRow("after the summary") << Summary + Begin;
    QTest::newRow("another file") << Begin + Binary.mid(Binary.indexOf('\n') + 1);
    QTest::newRow("line number 0") << changed("\"line_number\":3", "\"line_number\":0");
    QTest::newRow("line number null") << changed("\"line_number\":3", "\"line_number\":null");
    QTest::newRow("line number 1.5") << changed("\"line_number\":3", "\"line_number\":1.5");
    QTest::newRow("line twice") << Begin + Match + Match + End;
    QTest::newRow("start negative") << changed("\"start\":2", "\"start\":-1");
    QTest::newRow("end outside") << changed("\"end\":5", "\"end\":8");
    QTest::newRow("end before start") << changed("\"end\":5", "\"end\":1");
    QTest::newRow("huge") << changed("\"end\":5", "\"end\":1e300");
    QTest::newRow("base64") << changed("Li9iYWT/", "Li9iY*");
    QTest::newRow("path a number") << changed("{\"text\":\"./a/b.c\"}", "7");
    QTest::newRow("path empty") << changed("./a/b.c", "./");
    QTest::newRow("no binary_offset") << changed("\"binary_offset\":null,", "");
    QTest::newRow("no lines") << changed("\"lines\"", "\"line\"");
}

void tst_RipgrepOutput::findsMistakes()
{
    QFETCH(QByteArray, output);
    const auto result = parseRipgrepOutput(output, {}, NoLimit);
    const QString *error = std::get_if<QString>(&result);
    QVERIFY(error);
    QVERIFY(error->startsWith("the output of ripgrep cannot be read: "));
}

void tst_RipgrepOutput::fuzz()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> pieces{"null", "-1",   "1e9",     "{}",       "[]",        "\"\"",
                                   "\n",   "\xFF", "\\u0000", "\"text\"", "\"bytes\"", ","};
    int good = 0;
    for (int i = 0; i < 20'000; ++i) {
        QByteArray output = Whole;
        for (auto count = random() % 3; count > 0; --count) {
            const auto place = static_cast<qsizetype>(random() % static_cast<unsigned>(output.size()));
            const QByteArray &piece =
                pieces[static_cast<qsizetype>(random() % static_cast<unsigned>(pieces.size()))];
            output.replace(place, static_cast<qsizetype>(random() % 6), piece);
        }
        const auto result = parseRipgrepOutput(output, {}, 1);
        if (const RipgrepResult *some = std::get_if<RipgrepResult>(&result)) {
            ++good;
            for (const FoundLine &line : some->lines) {
                QVERIFY(!line.path.isEmpty());
                QVERIFY(line.lineNumber > 0 && line.column > 0 && line.length >= 0);
                QVERIFY(line.column - 1 + line.length <= line.line.size() + 2);
            }
        }
    }
    QVERIFY(good > 5'000 && good < 19'000);
}

QTEST_GUILESS_MAIN(tst_RipgrepOutput)

#include "tst_ripgrepoutput.moc"
