// Edits of a file as a model asks for them: what is found, what is written, and that nothing else changes.

#include "tools/text/ByteSearch.h"
#include "tools/text/EditPlan.h"

#include <QTest>

#include <random>

using namespace spettro;

Q_DECLARE_METATYPE(spettro::MatchKind)

namespace {

constexpr unsigned Seed = 20261130;
constexpr qsizetype BigSize =
    10'000'000; // quadratic work on it would not end within the time limit of this test

template<std::size_t Size>
QByteArray bytes(const char (&text)[Size])
{
    return {text, static_cast<qsizetype>(Size - 1)};
}

EditResult apply(const QByteArray &content, const QByteArray &oldText, const QByteArray &newText)
{
    return applyEdits(content, {{oldText, newText, false, std::nullopt}});
}

EditResult applyToAll(const QByteArray &content, const QByteArray &oldText, const QByteArray &newText)
{
    return applyEdits(content, {{oldText, newText, true, std::nullopt}});
}

QByteArray contentOf(const EditResult &result)
{
    return result.outcome ? result.outcome->content : "ERROR " + result.error.toUtf8();
}

QByteArray utf16Le(QStringView text)
{
    QByteArray out("\xFF\xFE");
    for (const QChar unit : text) {
        out.append(static_cast<char>(unit.unicode() & 0xFFU)).append(static_cast<char>(unit.unicode() >> 8U));
    }
    return out;
}

QByteArray randomText(std::mt19937 &random, std::size_t longest, const QByteArray &alphabet)
{
    QByteArray text(static_cast<qsizetype>(random() % (longest + 1)), Qt::Uninitialized);
    for (char &byte : text)
        byte = alphabet.at(static_cast<qsizetype>(random() % static_cast<std::size_t>(alphabet.size())));
    return text;
}

QList<qsizetype> findNaively(const QByteArray &text, const QByteArray &wanted)
{
    QList<qsizetype> found;
    for (qsizetype i = 0; !wanted.isEmpty() && i + wanted.size() <= text.size(); ++i) {
        if (std::equal(wanted.begin(), wanted.end(), text.begin() + i))
            found.append(i);
    }
    return found;
}

} // namespace

class tst_EditPlan : public QObject
{
    Q_OBJECT

private slots:
    void edits_data();
    void edits();
    void refuses_data();
    void refuses();
    void insertsLiterally();
    void expectsACount();
    void appliesAllOrNothing();
    void followsPlacesThroughEdits();
    void keepsUtf16();
    void findsLikeANaiveSearch();
    void replacesLikeANaiveReplacement();
    void endingsMakeNoDifference();
    void whitespaceNeverTouchesOtherLines();
    void survivesAnything();
    void staysLinear_data();
    void staysLinear();
};

void tst_EditPlan::edits_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("oldText");
    QTest::addColumn<QByteArray>("newText");
    QTest::addColumn<QByteArray>("expected");
    QTest::addColumn<MatchKind>("match");
    const auto row = [](const char *name, const QByteArray &content, const QByteArray &oldText,
                        const QByteArray &newText, const QByteArray &expected,
                        MatchKind match = MatchKind::Exact) {
        QTest::newRow(name) << content << oldText << newText << expected << match;
    };
    constexpr auto Endings = MatchKind::LineEndings;
    constexpr auto Whitespace = MatchKind::Whitespace;

    row("one word", "a b c\n", "b", "x", "a x c\n");
    row("delete", "a b c\n", " b", "", "a c\n");
    row("the whole file", "a\nb", "a\nb", "", "");
    row("no final newline", "a\nb", "b", "c", "a\nc");
    row("an empty file", "", "", "a\r\nb\n", "a\r\nb\n");
    row("an empty file with mark", "\xEF\xBB\xBF", "", "a\n",
        "\xEF\xBB\xBF"
        "a\n");

    row("CRLF, LF wanted", "one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "uno\ndos\nx\n",
        "uno\r\ndos\r\nx\r\nthree\r\n", Endings);
    row("CRLF, no ending", "uno\r\nthree\r\n", "three", "3", "uno\r\n3\r\n");
    row("CRLF wanted and given", "x\r\n3\r\n", "x\r\n3\r\n", "y\r\n", "y\r\n");
    row("CRLF, one line becomes two", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n");
    row("CRLF in LF file", "a\nb\nc\n", "a\r\nb\r\n", "x\r\ny\r\nz\r\n", "x\ny\nz\nc\n", Endings);
    row("CR, LF wanted", "a\rb\rc", "a\nb", "x\ny\nz", "x\ry\rz\rc", Endings);
    row("CR, CRLF wanted", "a\rb\rc", "a\r\nb", "x\r\ny", "x\ry\rc", Endings);
    row("CRLF, begins with an ending", "a\r\nb\r\nc", "\nb", "\nx", "a\r\nx\r\nc", Endings);
    row("CRLF, ends with an ending", "a\r\nb\r\nc", "b\n", "", "a\r\nc", Endings);
    row("CRLF, blank line", "a\r\n\r\nb\r\n", "a\n\nb", "a\nb", "a\r\nb\r\n", Endings);
    row("CRLF, a lone CR is text", "a\rb\r\nc\r\n", "b\nc", "x\ny", "a\rx\r\ny\r\n", Endings);
    row("mixed, each line keeps its ending", "a\r\nb\nc\r\n", "a\nb\nc\n", "x\ny\nz\nw\n",
        "x\r\ny\nz\r\nw\r\n", Endings);
    row("mixed, the commonest for new lines", "a\r\nb\r\nc\n", "c", "c\nd", "a\r\nb\r\nc\r\nd\n");
    row("one line without ending", "abc", "b", "x\r\ny\nz", "ax\r\ny\nzc");
    row("one line of CRLF without its own", "ab\r\n", "b", "b\r\nc", "ab\r\nc\r\n");

    row("mark kept", "\xEF\xBB\xBFsalt\npfeffer\n", "salt", "salz", "\xEF\xBB\xBFsalz\npfeffer\n");
    row("mark in the old text", "\xEF\xBB\xBFsalt\n", "\xEF\xBB\xBFsalt", "salz", "\xEF\xBB\xBFsalz\n");
    row("mark in both", "\xEF\xBB\xBFsalt\n", "\xEF\xBB\xBFsalt", "\xEF\xBB\xBFsalz", "\xEF\xBB\xBFsalz\n");
    row("mark in the new text", "\xEF\xBB\xBFsalt\n", "salt", "\xEF\xBB\xBFsalz", "\xEF\xBB\xBFsalz\n");
    row("mark put into a file without", "salt\n", "salt", "\xEF\xBB\xBFsalt", "\xEF\xBB\xBFsalt\n");
    row("Latin-1", "caf\xE9 one\nsecond\n", "second", "zweite", "caf\xE9 one\nzweite\n");
    row("Latin-1 with CRLF", "const x = 1;\r\n// caf\xE9\r\n", "const x = 1;", "const x = 2;",
        "const x = 2;\r\n// caf\xE9\r\n");
    row("GBK", "\xD6\xD0 x = 1\n", "x = 1", "x = 2", "\xD6\xD0 x = 2\n");
    row("the Makefile with a NUL",
        bytes("all:\n\techo a  \n\n\t\techo b\t\nlast-no-newline \xC3\xA9 e\xCC\x81 \0 end"), "echo a",
        "echo A", bytes("all:\n\techo A  \n\n\t\techo b\t\nlast-no-newline \xC3\xA9 e\xCC\x81 \0 end"));

    row("indented, one tab more", "\tif (x) {\n\t\ty();\n\t}\n", "if (x) {  \n\ty();\n}\n",
        "if (z) {\n\n\ty();\n}\n", "\tif (z) {\n\n\t\ty();\n\t}\n", Whitespace);
    row("indented, two blanks less", "a:\n  b:\n", "  a: \n    b:", "  a:\n    c:", "a:\n  c:\n", Whitespace);
    row("indented unevenly, as given", "\ta\n\t\tb\n", "  a\n    b\n", "  a\n    c\n", "  a\n    c\n",
        Whitespace);
    row("indented less, new line cannot follow", "a\nb\n", "  a\n  b \n", "  a\nc\n", "  a\nc\n", Whitespace);
    row("trailing blanks", "x = 1;  \ny = 2;\t\n", "x = 1;\ny = 2;\n", "z\n", "z\n", Whitespace);
    row("blank lines with blanks", "a\n  \nb\n", "a\n\nb", "a\nb", "a\nb\n", Whitespace);
    row("whitespace and CRLF", "\ta\r\n\tb\r\nc\r\n", "  a\n  b\n", "  x\n", "  x\r\nc\r\n", Whitespace);
    row("whitespace and CR", "\ta \r\tb\rc\r", "\ta\n\tb\n", "\tx\n\ty\n", "\tx\r\ty\rc\r", Whitespace);
    row("whitespace and CR, wanted with CR", "\ta \r\tb\rc\r", "\ta\r\tb\r", "\tx\r\ty\r", "\tx\r\ty\rc\r",
        Whitespace);
    row("whitespace, unfinished last line", "a\n\tb  ", "\tb\n", "\tc\n", "a\n\tc", Whitespace);
    row("whitespace, line deleted", "a\n\tb \nc\n", "b\n", "", "a\nc\n", Whitespace);
}

void tst_EditPlan::edits()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, oldText);
    QFETCH(QByteArray, newText);
    QFETCH(QByteArray, expected);
    const EditResult result = apply(content, oldText, newText);
    QCOMPARE(contentOf(result), expected);
    QTEST(result.outcome->weakestMatch, "match");
    QCOMPARE(result.outcome->replacements, 1);
    QCOMPARE(result.outcome->lines.size(), 1);
    QVERIFY(result.error.isEmpty());
}

void tst_EditPlan::refuses_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("oldText");
    QTest::addColumn<QByteArray>("newText");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const QByteArray &content, const QByteArray &oldText,
                        const QByteArray &newText, const char *reason) {
        QTest::newRow(name) << content << oldText << newText << QString(reason);
    };
    const QByteArray ports = "east:\n  port: 81\nwest:\n  port: 81\n";
    row("twice", ports, "  port: 81", "  port: 82", "2 times (lines 2, 4)");
    row("inner blanks differ", ports, "port:  81", "x", "0 times");
    row("empty", ports, "", "x", "old text is empty");
    row("same", ports, "east", "east", "are the same");
    row("whole lines only", "value = foo()\n", " value =\n", "x", "0 times");
    row("twice but for whitespace", ports, "port: 81 ", "x",
        "0 times; with other whitespace its lines were found 2 times (lines 2, 4)");
    row("more than ten", QByteArray("ab\n").repeated(12), "a", "x",
        "12 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more)");
    row("overlapping", "xaaax", "aa", "b", "2 times in places that overlap (lines 1, 1)");
    row("hint", "a\nfirst line\nb\n", "first line\nc\n", "x", "0 times; its first line occurs in line 2");
    row("hint after blank lines", "a\nfirst line\nfirst line\n", "\n  first line\nc\n", "x",
        "its first line occurs in lines 2, 3.");
    row("only blank lines", "a\n \nb\n", "  \n", "x", "0 times");
    row("a lone CR is no ending", "a\nb\n", "a\r", "a", "0 times");
    row("only endings differ", "a\r\nb\r\n", "a\nb", "a\r\nb", "differ only");
    row("Latin-1, new", "caf\xE9\n", "caf", "th\xC3\xA9", "not UTF-8");
    row("Latin-1, old", "caf\xE9\n", "caf\xC3\xA9", "the", "not UTF-8");
    row("binary",
        bytes("\x7F"
              "ELF\0\0\0\0\0\0\0"),
        "ELF", "x", "binary");
    row("broken new text", "abc\n", "abc", "\xFF", "not valid UTF-8");
    row("UTF-16 with half a pair", bytes("\xFF\xFEh\0\x3D\xD8"), "h", "x", "binary");
    row("case", "abc\n", "ABC", "x", "0 times");
    row("composed characters", "e\xCC\x81\n", "\xC3\xA9", "x", "0 times");
    row("longer than the file", "abc", "abcd", "x", "0 times");
}

void tst_EditPlan::refuses()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, oldText);
    QFETCH(QByteArray, newText);
    QFETCH(QString, reason);
    const EditResult result = apply(content, oldText, newText);
    QVERIFY2(!result.outcome, contentOf(result).constData());
    QVERIFY2(result.error.contains(reason), qPrintable(result.error));
    QVERIFY2(result.error.startsWith("Nothing was changed"), qPrintable(result.error));
}

void tst_EditPlan::insertsLiterally()
{
    const QByteArray marks = "$1 \\1 & \\n $& %1 %2 \\0";
    QCOMPARE(contentOf(apply("a b\n", "b", marks)), "a " + marks + "\n");
    const EditResult both = applyToAll("p: 81\nq\np: 81\n", "81", "82");
    QCOMPARE(contentOf(both), QByteArray("p: 82\nq\np: 82\n"));
    QCOMPARE(both.outcome->replacements, 2);
    QCOMPARE(both.outcome->lines, (QList<qsizetype>{1, 3}));
    QCOMPARE(contentOf(applyToAll("aaaaa", "aa", "a")), QByteArray("aaa"));
    QCOMPARE(contentOf(applyToAll("a\r\nb\r\na\r\nb\r\n", "a\nb\n", "x\n")), QByteArray("x\r\nx\r\n"));
    QVERIFY(!applyToAll("\ta \n\ta \n", "  a\n", "b\n").outcome);
}

void tst_EditPlan::expectsACount()
{
    const auto expect = [](const QByteArray &content, const QByteArray &oldText, int count, bool replaceAll) {
        return applyEdits(content, {{oldText, "x", replaceAll, count}});
    };
    QCOMPARE(contentOf(expect("a b a", "a", 2, false)), QByteArray("x b x"));
    QCOMPARE(contentOf(expect("a b a", "a", 2, true)), QByteArray("x b x"));
    QCOMPARE(contentOf(expect("a b", "a", 1, false)), QByteArray("x b"));
    for (const bool replaceAll : {false, true}) {
        const EditResult result = expect("a b a\na", "a", 2, replaceAll);
        QVERIFY(!result.outcome);
        QVERIFY2(result.error.contains("3 times (lines 1, 1, 2), not 2 times"), qPrintable(result.error));
    }
    QVERIFY(!expect("aaa", "aa", 1, false).outcome);
    QVERIFY(expect("aaa", "aa", 1, true).outcome);
    QVERIFY(!expect("aaa", "a", 0, false).outcome);
    QVERIFY(!expect("aaa", "b", 0, false).outcome);
    QVERIFY(!expect("aaa", "a", -1, true).outcome);
    QVERIFY(!expect("\ta \n", "  a", 2, false).outcome);
    QVERIFY(expect("\ta \n", "  a", 1, false).outcome);
}

void tst_EditPlan::appliesAllOrNothing()
{
    const EditResult good = applyEdits("a\nb\n", {{"a", "b", false, {}}, {"b\nb", "c\r\nd", false, {}}});
    QCOMPARE(contentOf(good), QByteArray("c\nd\n"));
    const EditResult bad = applyEdits("a\nb\n", {{"a", "b", false, {}}, {"a", "c", false, {}}});
    QVERIFY(!bad.outcome);
    QVERIFY2(bad.error.contains("Edit 2 of 2"), qPrintable(bad.error));
    QVERIFY(!applyEdits("a", {}).outcome);
    const EditResult weak = applyEdits("\ta \nb\n", {{"  a", "a", false, {}}, {"b", "c", false, {}}});
    QCOMPARE(weak.outcome->weakestMatch, MatchKind::Whitespace);
}

void tst_EditPlan::followsPlacesThroughEdits()
{
    const EditResult result = applyEdits(
        "one\ntwo\nthree\n",
        {{"three", "3", false, {}}, {"one\n", "1\n1\n1\n", false, {}}, {"two", "2\n2", false, {}}});
    QCOMPARE(contentOf(result), QByteArray("1\n1\n1\n2\n2\n3\n"));
    QCOMPARE(result.outcome->lines, (QList<qsizetype>{1, 4, 6}));
    QCOMPARE(result.outcome->replacements, 3);
    const EditResult inside = applyEdits("a\nb\nc\n", {{"b", "x", false, {}}, {"a\nx\nc", "y", false, {}}});
    QCOMPARE(inside.outcome->lines, (QList<qsizetype>{1, 1}));
    QCOMPARE(applyToAll("a\rb\ra", "a", "x").outcome->lines, (QList<qsizetype>{1, 3}));
}

void tst_EditPlan::keepsUtf16()
{
    QCOMPARE(contentOf(apply(bytes("\xFF\xFEh\0i\0\n\0"), "hi", "ho")), bytes("\xFF\xFEh\0o\0\n\0"));
    QCOMPARE(
        contentOf(apply(utf16Le(u"na\u00EFve \U0001F642\r\nb\r\n"), "\xF0\x9F\x99\x82\nb", "\xC3\xA9\nc")),
        utf16Le(u"na\u00EFve \u00E9\r\nc\r\n"));
    // A second mark is a character of the text.
    QCOMPARE(contentOf(apply(utf16Le(u"\uFEFFab"), "a", "b")), utf16Le(u"\uFEFFbb"));
}

void tst_EditPlan::findsLikeANaiveSearch()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 20000; ++i) {
        const QByteArray alphabet = i % 2 == 0 ? "ab" : "abcdefgh";
        const QByteArray text = randomText(random, i % 50 == 0 ? 2000 : 60, alphabet);
        const QByteArray wanted = randomText(random, i % 50 == 0 ? 30 : 6, alphabet);
        const auto shown = QByteArray::number(Seed) + ": " + text + " / " + wanted;
        QVERIFY2(findAll(text, wanted) == findNaively(text, wanted), shown.constData());
    }
    for (const qsizetype size : {2, 3, 100, 999}) { // These use up the budget of the quick search.
        const QByteArray text = QByteArray(1000, 'a') + 'b' + QByteArray(1000, 'a');
        QCOMPARE(findAll(text, QByteArray(size, 'a')), findNaively(text, QByteArray(size, 'a')));
        QCOMPARE(findAll(text, 'b' + QByteArray(size, 'a')), findNaively(text, 'b' + QByteArray(size, 'a')));
    }
}

void tst_EditPlan::replacesLikeANaiveReplacement()
{
    std::mt19937 random(Seed);
    int applied = 0;
    for (int i = 0; i < 20000; ++i) {
        const QByteArray content = randomText(random, 40, "abc\n");
        const QByteArray oldText = randomText(random, 4, "abc\n");
        const QByteArray newText = randomText(random, 4, "abcd\n");
        if (oldText.isEmpty() || oldText == newText)
            continue;
        const QByteArray shown = QByteArray::number(Seed) + ": " + content.toHex() + ' ' + oldText.toHex();
        const EditResult result = applyToAll(content, oldText, newText);
        if (!result.outcome || result.outcome->weakestMatch != MatchKind::Exact) {
            QVERIFY2(!content.contains(oldText), shown.constData());
            continue;
        }
        QVERIFY2(result.outcome->content == QByteArray(content).replace(oldText, newText), shown.constData());
        QCOMPARE(result.outcome->lines.size(), result.outcome->replacements);
        const bool isUnique = findNaively(content, oldText).size() == 1;
        QVERIFY2(bool(apply(content, oldText, newText).outcome) == isUnique, shown.constData());
        ++applied;
    }
    QVERIFY(applied > 3000);
}

/// A file with CRLF or CR, with a mark or in UTF-16, is edited as the same file with LF.
void tst_EditPlan::endingsMakeNoDifference()
{
    std::mt19937 random(Seed);
    int applied = 0;
    for (int i = 0; i < 8000; ++i) {
        const QByteArray content = randomText(random, 40, "ab \n\n");
        const QByteArray oldText = randomText(random, 6, "ab \n\n");
        const QByteArray newText = randomText(random, 6, "ab \n\n");
        if (!content.contains('\n'))
            continue; // Nothing says which ending the file would have.
        const EditResult expected = applyToAll(content, oldText, newText);
        const auto with = [](QByteArray text, const char *ending) { return text.replace("\n", ending); };
        const auto check = [&](const QByteArray &before, const QByteArray &wanted, const QByteArray &inserted,
                               const QByteArray &after) {
            const EditResult result = applyToAll(before, wanted, inserted);
            const QByteArray shown = QByteArray::number(Seed) + ": " + before.toHex() + ' ' + wanted.toHex()
                                     + ' ' + inserted.toHex() + ": " + contentOf(result).toHex();
            QVERIFY2(bool(result.outcome) == bool(expected.outcome), shown.constData());
            QVERIFY2(!result.outcome || result.outcome->content == after, shown.constData());
            QVERIFY2(!result.outcome || result.outcome->lines == expected.outcome->lines, shown.constData());
        };
        const QByteArray after = expected.outcome ? expected.outcome->content : QByteArray();
        for (const char *wish : {"\n", "\r\n"}) {
            for (const char *ending : {"\n", "\r\n", "\r"})
                check(with(content, ending), with(oldText, wish), with(newText, wish), with(after, ending));
        }
        check("\xEF\xBB\xBF" + content, oldText, newText, "\xEF\xBB\xBF" + after);
        check(utf16Le(QString::fromUtf8(content)), oldText, newText, utf16Le(QString::fromUtf8(after)));
        applied += expected.outcome ? 1 : 0;
    }
    QVERIFY(applied > 1200);
}

void tst_EditPlan::whitespaceNeverTouchesOtherLines()
{
    std::mt19937 random(Seed);
    int applied = 0;
    const auto normal = [](const QByteArray &text) {
        QByteArrayList lines = text.split('\n');
        for (QByteArray &line : lines)
            line = line.trimmed();
        return lines;
    };
    for (int i = 0; i < 30000; ++i) {
        const QByteArray content = randomText(random, 30, "ab \t\n\n");
        const QByteArray oldText = randomText(random, 8, "ab \t\n\n");
        const EditResult result = apply(content, oldText, "Z");
        if (!result.outcome || result.outcome->weakestMatch != MatchKind::Whitespace)
            continue;
        // Before and behind the Z stand the lines that stood there, and the lines between were those asked
        // for.
        const QByteArray &after = result.outcome->content;
        const qsizetype at = after.indexOf('Z');
        const qsizetype start = after.left(at).lastIndexOf('\n') + 1;
        const QByteArray head = after.left(start);
        const QByteArray tail = after.mid(at + 1);
        const QByteArray shown = QByteArray::number(Seed) + ": " + content.toHex() + ' ' + oldText.toHex();
        QVERIFY2(content.startsWith(head) && content.endsWith(tail), shown.constData());
        const QByteArray replaced = content.mid(start, content.size() - head.size() - tail.size());
        QByteArrayList wanted = normal(oldText);
        QByteArrayList found = normal(replaced);
        if (oldText.endsWith('\n') && !replaced.endsWith('\n'))
            wanted.removeLast();
        QVERIFY2(wanted == found, shown.constData());
        ++applied;
    }
    QVERIFY(applied > 250);
}

void tst_EditPlan::survivesAnything()
{
    std::mt19937 random(Seed);
    const QByteArray alphabet = bytes("ab \t\n\r\0\xEF\xBB\xBF\xFF\xFE\xC3\xA9");
    for (int i = 0; i < 20000; ++i) {
        const QByteArray content = randomText(random, 30, alphabet);
        QList<TextEdit> edits;
        for (std::size_t j = random() % 3; j < 3; ++j)
            edits.append(
                {randomText(random, 5, alphabet), randomText(random, 5, alphabet), random() % 2 == 0, {}});
        const EditResult result = applyEdits(content, edits);
        QVERIFY(bool(result.outcome) == result.error.isEmpty());
        QVERIFY(!result.outcome || result.outcome->content != content || edits.size() > 1);
    }
}

void tst_EditPlan::staysLinear_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("oldText");
    QTest::newRow("blank lines") << QByteArray(BigSize, '\n') << QByteArray(5000, '\n') + "x";
    QTest::newRow("x, then blank lines") << QByteArray(BigSize, '\n') << "x" + QByteArray(5000, '\n');
    QTest::newRow("blanks") << QByteArray(BigSize, ' ') << QByteArray(5000, ' ') + "\nx";
    QTest::newRow("blank lines, CRLF")
        << QByteArray("\r\n").repeated(BigSize / 2) << QByteArray(5000, '\n') + "x";
    QTest::newRow("equal lines") << QByteArray("abc\n").repeated(BigSize / 4)
                                 << QByteArray(" abc\n").repeated(2000) + "x";
    QTest::newRow("overlaps") << QByteArray(BigSize, 'a') << QByteArray(5000, 'a');
    QTest::newRow("everywhere") << QByteArray(BigSize, 'a') << QByteArray("a");
    QTest::newRow("long lines") << (QByteArray(1000, 'a') + "\n").repeated(BigSize / 1000)
                                << (' ' + QByteArray(1000, 'a') + "\n").repeated(50) + "b";
}

void tst_EditPlan::staysLinear()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, oldText);
    QVERIFY(!apply(content, oldText, "new").outcome);
}

QTEST_APPLESS_MAIN(tst_EditPlan)

#include "tst_editplan.moc"
