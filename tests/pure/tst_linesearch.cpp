// Patterns and contents: what is found where, what a pattern may not cross, and that none takes for ever.

#include "tools/search/LineExcerpt.h"
#include "tools/search/LineSearch.h"
#include "tools/search/SearchText.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

struct Found
{
    SearchReport report;
    QList<QByteArray> lines; // "number:column:length:text"
};

LineSearch created(const QByteArray &pattern, PatternSyntax syntax = PatternSyntax::Regex,
                   LetterCase letterCase = LetterCase::Distinguish)
{
    const auto result = LineSearch::create(pattern, syntax, letterCase);
    if (const QString *error = std::get_if<QString>(&result)) {
        qFatal("%s: %s", pattern.constData(), qPrintable(*error));
    }
    return std::get<LineSearch>(result);
}

Found found(const LineSearch &search, const QByteArray &content)
{
    Found all;
    all.report = search.search(content, [&](const LineMatch &match) {
        all.lines << QByteArray::number(match.lineNumber) + ':' + QByteArray::number(match.column) + ':'
                         + QByteArray::number(match.length) + ':' + match.line.toByteArray();
        return true;
    });
    return all;
}

QByteArray numbers(const LineSearch &search, const QByteArray &content)
{
    QByteArray joined;
    for (const QByteArray &line : found(search, content).lines) {
        joined += (joined.isEmpty() ? "" : ",") + line.first(line.indexOf(':'));
    }
    return joined;
}

} // namespace

class tst_LineSearch : public QObject
{
    Q_OBJECT

private slots:
    void places_data();
    void places();
    void lines_data();
    void lines();
    void engine_data();
    void engine();
    void mistakes_data();
    void mistakes();
    void binary();
    void stopsAndCancels();
    void costlyPatterns_data();
    void costlyPatterns();
    void longLines();
    void findsNothingInALargeContent();
    void regexAgreesWithLiteral();
    void excerpts_data();
    void excerpts();
    void excerptsOfEverything();
    void searchableText();
    void fuzz();
};

void tst_LineSearch::places_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QList<QByteArray>>("expected");
    const auto row = [](const char *name, QByteArray pattern, QByteArray content,
                        QList<QByteArray> expected) {
        QTest::newRow(name) << pattern << content << expected;
    };
    row("literal", "b", "ab\nc\nbb", {"1:2:1:ab", "3:1:1:bb"});
    row("regex", "b+", "ab\nc\nbb", {"1:2:1:ab", "3:1:2:bb"});
    row("CRLF", "b$", "ab\r\nb\r\nbc\r\n", {"1:2:1:ab", "2:1:1:b"});
    row("literal, CRLF", "b", "ab\r\n", {"1:2:1:ab"});
    row("empty pattern", "", "a\n\nb", {"1:1:0:a", "2:1:0:", "3:1:0:b"});
    row("empty matches", "x*", "a\nxx\n", {"1:1:0:a", "2:1:2:xx"});
    row("empty lines", "^$", "a\n\r\n\nb\n", {"2:1:0:", "3:1:0:"});
    row("empty content", "x*", "", {});
    row("only a line end", "^", "\n", {"1:1:0:"});
    row("bytes before", "b.?",
        "\xC3\xA9\xFF"
        "b\n",
        {"1:4:1:\xC3\xA9\xFF"
         "b"});
    row("bytes before, wide", "b.",
        "\xF0\x9F\x98\x80\xE2\x82\xAC"
        "b\xC3\xA9\n",
        {"1:8:3:\xF0\x9F\x98\x80\xE2\x82\xAC"
         "b\xC3\xA9"});
    row("latin-1 line", "caf.*x", "caf\xE9 x\n", {});
    row("latin-1 line, ASCII part", "caf", "caf\xE9 x\n", {"1:1:3:caf\xE9 x"});
    row("latin-1 line, bracket", "f[^a] ", "caf\xE9 x\n", {});
    row("after a bad line", "\\bx$", "\xE9\xE9\n\xFF\nx\n", {"3:1:1:x"});
    row("UTF-8 mark", "^a",
        "\xEF\xBB\xBF"
        "a\n",
        {"1:1:1:a"});
    row("UTF-16LE", "a$",
        QByteArray("\xFF\xFE"
                   "b\0\n\0\xE9\0a\0",
                   10),
        {"2:3:1:\xC3\xA9"
         "a"});
    row("UTF-16BE", "a",
        QByteArray("\xFE\xFF"
                   "\0b\0\n\0a",
                   8),
        {"2:1:1:a"});
    row("over lines", "a\\nb", "a\nb\na\nb", {"1:1:1:a", "3:1:1:a"});
}

void tst_LineSearch::places()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QByteArray, content);
    QFETCH(QList<QByteArray>, expected);
    const Found all = found(created(pattern), content);
    QCOMPARE(all.lines, expected);
    QCOMPARE(all.report.end, SearchReport::End::Complete);
    QCOMPARE(all.report.matchingLines, expected.size());
    QVERIFY(!all.report.isBinary);
}

void tst_LineSearch::lines_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *pattern, QByteArray content, QByteArray expected) {
        QTest::addRow("%s in %s", pattern, content.toPercentEncoding().constData())
            << QByteArray(pattern) << content << expected;
    };
    row("a\\s+b", "a b\na\nb\na\r\nb\na\tb", "1,6");
    row("a[^x]b", "a\nb\na-b\na\r\nb", "3");
    row("a[\\s\\S]*b", "a\nb\na b", "3");
    row("a\\Wb",
        "a\nb\na-b\na\xC2\xA0"
        "b\na\xFF"
        "b",
        "3,4");
    row("\\w+\\s\\d", "a 1\na \xD9\xA1\na\n1", "1,2");
    row("[[:alpha:]]1",
        "a1\n\xC3\xA9"
        "1",
        "1");
    row("[a-z&&[^b]]1", "a1\nb1", "1");
    row("[a-z--b]1", "a1\nb1", "1");
    row("[a[bc]]1", "a1\nc1\nd1", "1,2");
    row("[^a[bc]]1", "a1\nc1\nd1\n1", "3");
    row("[ab~~bc]1", "a1\nb1\nc1", "1,3");
    row("[]a]1", "]1\na1", "1,2");
    row("\\p{Lu}x", "Ax\nax\n\xC3\x89x", "1,3");
    row("\\pLx", "ax\n1x", "1");
    row("\\p{Greek}", "a\n\xCE\xB1", "2");
    row("\\P{L}x", "ax\n1x\n\nx", "2");
    row("(?i)ABC", "abc\nAbC", "1,2");
    row("(?i:a)B", "AB\nab", "1");
    row("\\x41\\x{42}\\u0043", "ABC", "1");
    row("\\bfoo\\b", "foo\nfoobar\n\xC3\xA9 foo\nfoo\xC3\xA9", "1,3");
    row("interface{}", "interface{}\ninterface", "1");
    row("if \\(x\\) {", "if (x) {", "1");
    row("a{2}b", "aab\nab", "1");
    row("a{,2}", "a{,2}", "1");
    row("foo(?=bar)", "foobar\nfoo", "1");
    row("(?<!x)foo\\s*y", "xfoo y\nfoo\ny\nfoo y", "4");
    row("(a)\\1", "aa\nab", "1");
    row("(?P<n>a)b", "ab", "1");
    row("\\Qa.b\\E+", "a.bb\naxb", "1");
    row("\\<foo\\>", "foo\nfoob", "1");
    row("\\Aa", "a\na", "1");
    row("a\\z", "a\na", "2");
    row("[\\w-.]x", "-x\n.x\n!x", "1,2");
    row("[[]x", "[x\nx", "1");
    row("(?x) a b # c", "ab", "1");
    row("\\\"a\\/b", "\"a/b", "1");
    row("[\\x00-\\x7f]b", "\nb\nab", "3");
    row("x$", "x\r\r\nx\r\r\r\nx\rx\nx\r\r", "1,3");
    row("^[^#]*$", "a\n#\nb#\n\n", "1,4");
    row("a[\\r\\n]+b", "a\nb\nc\na\r\nb", "1,4");
    row("a[^\\n]b", "a\nb\na-b", "3");
    row("a|b", "a\nb\nc", "1,2");
    row("\\$x\\.y", "$x.y", "1");
    row(".", "\n\r\n\xFF\n\xC3\xA9", "4");
}

void tst_LineSearch::lines()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, expected);
    QCOMPARE(numbers(created(pattern), content), expected);
}

void tst_LineSearch::engine_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<bool>("needsOwn");
    for (const char *pattern :
         {"abc", "a.*b", "\\bfoo\\b", "[a-z&&[^b]]", "(?i)x", "(?P<n>x)", "\\p{Greek}", "a{2,3}", "a{2,}?",
          "\\.\\*\\{", "[[:alpha:]]", "}", "]", "^x$", "x??", "^"}) {
        QTest::addRow("rg %s", pattern) << QByteArray(pattern) << false;
    }
    for (const char *pattern :
         {"a(?=b)", "a(?<=b)", "(a)\\1", "a{",      "{a}", "x{}",      "a\\nb",      "a\\r", "(?<n>x)",
          "a*+",    "\\/",     "\\<a",   "[\\w-.]", "[[]", "\\h",      "(?>a)",      "\\Aa", "(?x)a",
          "(?-u)a", "a{,2}",   "$",      "^\\s*$",  "x|$", "[\\r\\n]", "(?i)\\p{Lu}"}) {
        QTest::addRow("own %s", pattern) << QByteArray(pattern) << true;
    }
}

void tst_LineSearch::engine()
{
    QFETCH(QByteArray, pattern);
    QFETCH(bool, needsOwn);
    QCOMPARE(created(pattern).needsOwnEngine(), needsOwn);
    QVERIFY(!created("a(?=\\/{", PatternSyntax::FixedString).needsOwnEngine());
    QVERIFY(!created("a(?=\\/{", PatternSyntax::FixedString, LetterCase::Ignore).needsOwnEngine());
}

void tst_LineSearch::mistakes_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QString>("words");
    QTest::newRow("group") << QByteArray("(a") << "parenthesis";
    QTest::newRow("class") << QByteArray("[a") << "no closing ]";
    QTest::newRow("star") << QByteArray("*.cpp") << "nothing stands before *";
    QTest::newRow("backslash") << QByteArray("a\\") << "single \\";
    QTest::newRow("range") << QByteArray("[z-a]") << "backwards";
    QTest::newRow("hexadecimal") << QByteArray("\\xZZ") << "hexadecimal";
    QTest::newRow("verb") << QByteArray("(*LIMIT_MATCH=9)a") << "(* is not supported";
    QTest::newRow("half a pair") << QByteArray("\\x{D800}") << "hexadecimal";
    QTest::newRow("single unit") << QByteArray("\\C") << "not supported";
    QTest::newRow("property") << QByteArray("\\p{x}y{}\\p{nosuchscript}") << "no regular expression";
    QTest::newRow("no UTF-8") << QByteArray("a\xFF.") << "not UTF-8";
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << "NUL";
    QTest::newRow("long") << QByteArray(20'000, 'a') << "longer than";
    QTest::newRow("deep") << QByteArray(300, '[') + 'a' + QByteArray(300, ']') + "["
                          << "]";
    QTest::newRow("huge") << QByteArray("((a{9999}){9999}){9999}") << "no regular expression";
}

void tst_LineSearch::mistakes()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QString, words);
    const auto result = LineSearch::create(pattern, PatternSyntax::Regex, LetterCase::Distinguish);
    const QString *error = std::get_if<QString>(&result);
    QVERIFY(error);
    QVERIFY2(error->contains(words), qPrintable(*error));
}

void tst_LineSearch::binary()
{
    for (const char *pattern : {"abc", "ab[c]"}) {
        const Found yes = found(created(pattern), QByteArray("abc\nabc\n\0x", 10));
        QCOMPARE(yes.report, (SearchReport{SearchReport::End::Complete, 1, true}));
        QVERIFY(yes.lines.isEmpty());
        const Found no = found(created(pattern), QByteArray("ab\0c\n", 5));
        QCOMPARE(no.report, (SearchReport{SearchReport::End::Complete, 0, true}));
        const Found late = found(created(pattern), "abc\n" + QByteArray(3'000'000, 'x') + '\0');
        QCOMPARE(late.report, (SearchReport{SearchReport::End::Complete, 1, true}));
    }
    QCOMPARE(found(created("a.b"), QByteArray("a\0b", 3)).report.matchingLines, 0);
    QCOMPARE(found(created("^b"), QByteArray("a\0b", 3)).report.matchingLines, 1);
}

void tst_LineSearch::stopsAndCancels()
{
    const QByteArray content = QByteArray("abc\n").repeated(1'000'000);
    for (const char *pattern : {"b", "[b]"}) {
        int seen = 0;
        const SearchReport stopped =
            created(pattern).search(content, [&](const LineMatch &) { return ++seen < 3; });
        QCOMPARE(stopped, (SearchReport{SearchReport::End::Stopped, 3, false}));
        int asked = 0;
        const SearchReport cancelled = created(pattern).search(
            content, [](const LineMatch &) { return true; }, [&] { return ++asked == 3; });
        QCOMPARE(cancelled.end, SearchReport::End::Cancelled);
        QVERIFY(cancelled.matchingLines < 1'000'000);
    }
}

void tst_LineSearch::costlyPatterns_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<bool>("isTooCostly");
    const QByteArray many(5'000, 'a');
    QTest::newRow("(a+)+$") << QByteArray("(a+)+$") << many + "b" << true;
    QTest::newRow("(a|a)*c") << QByteArray("(a|a)*c") << many + "bc" << true;
    QTest::newRow("(a+)+$, non-ASCII") << QByteArray("(a+)+$") << many + "\xC3\xA9" << true;
    QTest::newRow("(.+)*xy") << QByteArray("(.+)*xy") << many + "y" << true;
    QTest::newRow("recursion") << QByteArray("(a(?1)?a)+b") << many + "cb" << true;
    QTest::newRow("squares") << QByteArray("[a-z]+=") << many.repeated(2) + "\n" + "a=" << false;
    QTest::newRow("squares, long") << QByteArray("[a-z]+=") << many.repeated(400) << false;
}

void tst_LineSearch::costlyPatterns()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QByteArray, content);
    QFETCH(bool, isTooCostly);
    const Found all = found(created(pattern), content);
    if (isTooCostly) {
        QCOMPARE(all.report.end, SearchReport::End::TooCostly);
    }
}

void tst_LineSearch::longLines()
{
    const QByteArray filler = QByteArray("x").repeated(5'000'000);
    const QByteArray wide = QByteArray("\xE2\x82\xAC").repeated(100'000);
    for (const char *pattern : {"needle", "ne+dle", "\\bneedle\\b"}) {
        const QByteArray content = "a\n" + filler + " needle " + filler + "\nneedle";
        const Found all = found(created(pattern), content);
        QCOMPARE(all.lines.size(), 2);
        QVERIFY(all.lines[0].startsWith("2:" + QByteArray::number(filler.size() + 2) + ":6:xx"));
        QVERIFY(all.lines[1] == "3:1:6:needle");
    }
    for (const char *pattern : {"needl[e]", "needl[e]$", "n.*dle$"}) {
        const Found all = found(created(pattern), wide + "needle\r\nb\n");
        QCOMPARE(all.lines.size(), 1);
        QVERIFY(all.lines[0].startsWith("1:300001:6:"));
    }
    // Neither the beginning nor the end of a window is one of a line.
    QCOMPARE(found(created("^.{0,20000}b|[x]$"), filler + "b\n").lines.size(), 0);
    QCOMPARE(found(created("^[x]"), filler + "\n").lines.size(), 1);
    QCOMPARE(found(created("(?<!x)x"), "y" + filler).lines[0].left(6), QByteArray("1:2:1:"));
    QCOMPARE(found(created("(?<![xy])x"), "y" + filler).lines.size(), 0);
    // Everywhere around the borders of windows.
    for (qsizetype place = 12'000; place < 17'000; place += 7) {
        const QByteArray content = QByteArray(place, 'x')
                                   + "n\xC3\xA9"
                                     "dle"
                                   + QByteArray(20'000, 'x');
        QCOMPARE(found(created("n.dl[e]"), content).lines.size(), 1);
    }
}

void tst_LineSearch::findsNothingInALargeContent()
{
    const QByteArray content = QByteArray("int main() { return 0; } // some code\n").repeated(1'000'000);
    QCOMPARE(found(created("needle"), content).report.matchingLines, 0);
}

void tst_LineSearch::regexAgreesWithLiteral()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> parts{"a",        "b",    "ab",       "\n", "\r\n",
                                  "\xC3\xA9", "\xFF", "\xE2\x82", " ",  "\xF0\x9F\x98\x80"};
    const auto text = [&](unsigned most, qsizetype kinds) {
        QByteArray joined;
        for (auto count = random() % most + 1; count > 0; --count) {
            joined += parts[static_cast<qsizetype>(random() % static_cast<unsigned>(kinds))];
        }
        return joined;
    };
    for (int i = 0; i < 3'000; ++i) {
        const QByteArray pattern = text(3, 3);
        const QByteArray content = text(60, parts.size());
        const Found literal = found(created(pattern), content);
        const Found regex = found(created("(?:" + pattern + ")"), content);
        QCOMPARE(regex.lines, literal.lines);
        QByteArray expected;
        qsizetype number = 0;
        for (const QByteArray &line : content.split('\n')) {
            ++number;
            if (line.contains(pattern)) {
                expected += (expected.isEmpty() ? "" : ",") + QByteArray::number(number);
            }
        }
        QCOMPARE(numbers(created(pattern), content), expected);
    }
}

void tst_LineSearch::excerpts_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<int>("matchStart");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("before");
    QTest::addColumn<int>("after");
    QTest::newRow("short") << QByteArray("abc") << 1 << QByteArray("abc") << 0 << 0;
    QTest::newRow("beginning") << QByteArray("0123456789ab") << 1 << QByteArray("01234567") << 0 << 4;
    QTest::newRow("middle") << QByteArray("0123456789abcdef") << 6 << QByteArray("456789ab") << 4 << 4;
    QTest::newRow("end") << QByteArray("0123456789ab") << 11 << QByteArray("456789ab") << 4 << 0;
    QTest::newRow("characters") << QByteArray("\xE2\x82\xAC").repeated(6) << 9
                                << QByteArray("\xE2\x82\xAC").repeated(2) << 9 << 3;
    QTest::newRow("bytes") << QByteArray(20, '\x82') << 10 << QByteArray(8, '\x82') << 8 << 4;
}

void tst_LineSearch::excerpts()
{
    QFETCH(QByteArray, line);
    QFETCH(int, matchStart);
    QFETCH(QByteArray, text);
    QFETCH(int, before);
    QFETCH(int, after);
    const LineExcerpt piece = excerpt(line, matchStart, 8);
    QCOMPARE(piece.text, text);
    QCOMPARE(piece.leftOutBefore, before);
    QCOMPARE(piece.leftOutAfter, after);
}

void tst_LineSearch::excerptsOfEverything()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> parts{"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (int i = 0; i < 20'000; ++i) {
        QByteArray line;
        for (auto count = random() % 20; count > 0; --count) {
            line += parts[static_cast<qsizetype>(random() % 4)];
        }
        const auto limit = static_cast<qsizetype>(random() % 30);
        const auto start = static_cast<qsizetype>(random() % static_cast<unsigned>(line.size() + 1));
        const LineExcerpt piece = excerpt(line, start, limit);
        QVERIFY(piece.text.size() <= limit);
        QVERIFY(QByteArrayView(piece.text).isValidUtf8());
        QVERIFY(line.sliced(piece.leftOutBefore).startsWith(piece.text));
        QCOMPARE(piece.leftOutBefore + piece.text.size() + piece.leftOutAfter, line.size());
    }
}

void tst_LineSearch::searchableText()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> parts{
        "a",        "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xFF",         "\x80",
        "\xE2\x82", "\xF0\x9F", "\xEF\xBF\xBF", "\xEF\xBB\xBF",     "\xED\xA0\x80", "\xC0\xAF"};
    for (int i = 0; i < 20'000; ++i) {
        QByteArray bytes;
        for (auto count = random() % 12; count > 0; --count) {
            bytes += parts[static_cast<qsizetype>(random() % static_cast<unsigned>(parts.size()))];
        }
        const QString text = toSearchable(bytes);
        QVERIFY(text.isValidUtf16());
        QCOMPARE(byteCount(text), bytes.size());
        QCOMPARE(isAscii(bytes), byteCount(text) == text.size() && !text.contains(QChar(ForeignByte)));
        if (QByteArrayView(bytes).isValidUtf8()) {
            QByteArray plain = bytes;
            QCOMPARE(text.toUtf8(), plain.replace("\xEF\xBF\xBF", "\xEF\xBF\xBF\xEF\xBF\xBF\xEF\xBF\xBF"));
        }
    }
}

void tst_LineSearch::fuzz()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> parts{"a",    "b",      "(",     ")",   "(?:", "(?=",      "(?<!",
                                  "[",    "]",      "[^",    "&&",  "--",  "-",        "\\w",
                                  "\\S",  "\\b",    "\\",    "{",   "}",   "{2}",      "{1,",
                                  ",",    "*",      "+",     "?",   "|",   "^",        "$",
                                  ".",    "\\p{L}", "\\p",   "\\x", "41",  "\\1",      "\\Q",
                                  "\\E",  "(?i)",   "(?x)",  "#",   "\n",  " ",        "[:alpha:]",
                                  "(?P<", ">",      "\\K",   "\\G", "\\R", "\xC3\xA9", "\xF0\x9F\x98\x80",
                                  "(?R)", "(?1)",   "\\g{1}"};
    const QByteArray content("aab b\nba\xC3\xA9\xFF\r\n\xF0\x9F\x98\x80 A41\n\nabab");
    int valid = 0;
    for (int i = 0; i < 20'000; ++i) {
        QByteArray pattern;
        for (auto count = random() % 9; count > 0; --count) {
            pattern += parts[static_cast<qsizetype>(random() % static_cast<unsigned>(parts.size()))];
        }
        const auto result = LineSearch::create(pattern, PatternSyntax::Regex, LetterCase::Distinguish);
        if (const LineSearch *search = std::get_if<LineSearch>(&result)) {
            ++valid;
            qsizetype last = 0;
            search->search(content, [&](const LineMatch &match) {
                const bool isOrdered = match.lineNumber > last && match.lineNumber <= 5;
                const bool isInside = match.column >= 1 && match.column <= match.line.size() + 2;
                if (!isOrdered || !isInside) {
                    qFatal("%s: line %lld, column %lld", pattern.constData(), qlonglong(match.lineNumber),
                           qlonglong(match.column));
                }
                last = match.lineNumber;
                return true;
            });
        } else {
            QVERIFY(!std::get<QString>(result).isEmpty());
        }
    }
    QVERIFY(valid > 4'000);
}

QTEST_GUILESS_MAIN(tst_LineSearch)

#include "tst_linesearch.moc"
