// Unified diffs: applied to the old text they give the new one, whatever the two are.

#include "tools/text/UnifiedDiff.h"

#include <QTest>

#include <optional>
#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

QByteArrayList linesOf(const QByteArray &text)
{
    QByteArrayList lines;
    for (qsizetype start = 0; start < text.size();) {
        const qsizetype ending = text.indexOf('\n', start);
        const qsizetype end = ending < 0 ? text.size() : ending + 1;
        lines << text.mid(start, end - start);
        start = end;
    }
    return lines;
}

/// The two numbers of a hunk's range; nothing if it is not in the shortest form.
std::optional<std::pair<qsizetype, qsizetype>> parseRange(QByteArray range, char sign)
{
    if (!range.startsWith(sign))
        return std::nullopt;
    range.remove(0, 1);
    const QByteArrayList parts = range.split(',');
    const qsizetype count = parts.size() == 2 ? parts.at(1).toLongLong() : 1;
    if (parts.size() > 2 || (parts.size() == 2 && count == 1))
        return std::nullopt;
    return std::pair(parts.at(0).toLongLong(), count);
}

/// A strict `patch`: no fuzz, every context line and every number has to be right, and there are three of
/// those lines before and behind, but for the ends of the file. Nothing when something is not.
std::optional<QByteArray> applied(const QByteArray &before, const QByteArray &diff)
{
    const QByteArrayList old = linesOf(before);
    QByteArrayList lines = linesOf(diff);
    if (lines.size() < 3 || lines.takeFirst() != "--- a/f\n" || lines.takeFirst() != "+++ b/f\n")
        return std::nullopt;
    QByteArrayList out;
    qsizetype oldAt = 0;
    while (!lines.isEmpty()) {
        const QByteArrayList header = lines.takeFirst().split(' ');
        if (header.size() != 4 || header.at(0) != "@@" || header.at(3) != "@@\n")
            return std::nullopt;
        const auto from = parseRange(header.at(1), '-');
        const auto to = parseRange(header.at(2), '+');
        if (!from || !to)
            return std::nullopt;
        const qsizetype start = from->first - (from->second > 0 ? 1 : 0);
        if (start < oldAt || start > old.size())
            return std::nullopt;
        while (oldAt < start)
            out << old.at(oldAt++);
        if (to->first - (to->second > 0 ? 1 : 0) != out.size())
            return std::nullopt;
        qsizetype leading = 0;
        qsizetype trailing = 0;
        bool isLeading = true;
        qsizetype oldLeft = from->second;
        qsizetype newLeft = to->second;
        while (oldLeft > 0 || newLeft > 0) {
            if (lines.isEmpty())
                return std::nullopt;
            QByteArray line = lines.takeFirst();
            const char kind = line.at(0);
            line.remove(0, 1);
            if (!lines.isEmpty() && lines.first() == "\\ No newline at end of file\n") {
                lines.removeFirst();
                line.chop(1);
            }
            isLeading = isLeading && kind == ' ';
            leading += isLeading ? 1 : 0;
            trailing = kind == ' ' ? trailing + 1 : 0;
            if (kind != '+') {
                if (oldAt == old.size() || old.at(oldAt++) != line || --oldLeft < 0)
                    return std::nullopt;
            }
            if (kind != '-') {
                out << line;
                if (--newLeft < 0)
                    return std::nullopt;
            }
        }
        if (leading > 3 || (leading < 3 && start > 0))
            return std::nullopt;
        if (trailing > 3 || (trailing < 3 && oldAt < old.size()))
            return std::nullopt;
    }
    while (oldAt < old.size())
        out << old.at(oldAt++);
    return out.join();
}

qsizetype changedLines(const QByteArray &diff)
{
    qsizetype count = 0;
    for (const QByteArray &line : linesOf(diff).mid(2))
        count += line.startsWith('+') || line.startsWith('-') ? 1 : 0;
    return count;
}

/// The fewest removed and added lines, by the plain table.
qsizetype fewestChanges(const QByteArrayList &before, const QByteArrayList &after)
{
    QList<qsizetype> row(after.size() + 1, 0);
    for (const QByteArray &line : before) {
        qsizetype diagonal = 0;
        for (qsizetype j = 1; j <= after.size(); ++j) {
            const qsizetype above = row.at(j);
            row[j] = line == after.at(j - 1) ? diagonal + 1 : std::max(above, row.at(j - 1));
            diagonal = above;
        }
    }
    return before.size() + after.size() - 2 * row.last();
}

QByteArray numbered(int count)
{
    QByteArray text;
    for (int i = 1; i <= count; ++i)
        text += QByteArray::number(i) + '\n';
    return text;
}

class RandomFiles
{
public:
    QByteArray file(std::size_t mostLines, std::size_t kinds)
    {
        QByteArray text;
        for (std::size_t i = m_random() % (mostLines + 1); i > 0; --i)
            text += line(kinds);
        return withoutEnding(text);
    }

    QByteArray edited(const QByteArray &text, std::size_t mostEdits, std::size_t kinds)
    {
        QByteArrayList lines = linesOf(text);
        for (std::size_t i = m_random() % (mostEdits + 1); i > 0; --i) {
            const auto at = static_cast<qsizetype>(m_random() % static_cast<std::size_t>(lines.size() + 1));
            if (m_random() % 2 == 0)
                lines.insert(at, line(kinds));
            else if (at < lines.size())
                lines.removeAt(at);
        }
        return withoutEnding(lines.join());
    }

private:
    QByteArray line(std::size_t kinds)
    {
        return QByteArray::number(static_cast<uint>(m_random() % kinds)) + '\n';
    }

    QByteArray withoutEnding(QByteArray text)
    {
        if (m_random() % 3 == 0)
            text.chop(1);
        return text;
    }

    std::mt19937 m_random{Seed};
};

} // namespace

class tst_UnifiedDiff : public QObject
{
    Q_OBJECT

private slots:
    void looksAsExpected_data();
    void looksAsExpected();
    void namesPaths();
    void leadsFromOneToTheOther_data();
    void leadsFromOneToTheOther();
    void findsTheFewestChanges();
    void keepsContextAcrossTrimming();
    void limitsItsSize();
    void largeText_data();
    void largeText();
};

void tst_UnifiedDiff::looksAsExpected_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<QByteArray>("hunks");
    const auto row = [](const char *name, const QByteArray &before, const QByteArray &after,
                        const QByteArray &hunks) { QTest::newRow(name) << before << after << hunks; };
    row("new file", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n");
    row("new file, one line", "", "a\n", "@@ -0,0 +1 @@\n+a\n");
    row("emptied", "a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n");
    row("one line", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n");
    row("newline added", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    row("newline removed", "a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
    row("no newline in the context", "x\nb", "y\nb",
        "@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n");
    row("CRLF", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
    row("bytes", "\xE9\xFF\n", "\xE9\n", "@@ -1 +1 @@\n-\xE9\xFF\n+\xE9\n");
    row("three lines of context", numbered(20), numbered(20).replace("10\n", "x\n"),
        "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n");
    row("inserted", numbered(9), numbered(9).replace("5\n", "5\nx\n"),
        "@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+x\n 6\n 7\n 8\n");
    row("six lines between", numbered(8), numbered(8).replace("1\n", "").replace("8\n", ""),
        "@@ -1,8 +1,6 @@\n-1\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n");
    row("seven lines between", numbered(9), numbered(9).replace("1\n", "").replace("9\n", ""),
        "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -6,4 +5,3 @@\n 6\n 7\n 8\n-9\n");
}

void tst_UnifiedDiff::looksAsExpected()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QFETCH(QByteArray, hunks);
    QCOMPARE(unifiedDiff(before, after, "f"), "--- a/f\n+++ b/f\n" + hunks);
    QCOMPARE(unifiedDiff(before, before, "f"), QByteArray());
}

void tst_UnifiedDiff::namesPaths()
{
    const auto names = [](const char *path) { return unifiedDiff("", "a\n", path).split('@').first(); };
    QCOMPARE(names("src/a b.c"), QByteArray("--- a/src/a b.c\n+++ b/src/a b.c\n"));
    QCOMPARE(names("h\xC3\xA9"), QByteArray("--- a/h\xC3\xA9\n+++ b/h\xC3\xA9\n"));
    QCOMPARE(names("x\n+++ b/y"), QByteArray("--- \"a/x\\012+++ b/y\"\n+++ \"b/x\\012+++ b/y\"\n"));
    QCOMPARE(names("q\"\\"), QByteArray("--- \"a/q\\\"\\\\\"\n+++ \"b/q\\\"\\\\\"\n"));
}

void tst_UnifiedDiff::leadsFromOneToTheOther_data()
{
    QTest::addColumn<int>("files");
    QTest::addColumn<int>("mostLines");
    QTest::addColumn<int>("kinds");
    QTest::addColumn<int>("mostEdits");
    QTest::newRow("small, few kinds of lines") << 6000 << 12 << 3 << 5;
    QTest::newRow("middle") << 1500 << 60 << 40 << 10;
    QTest::newRow("many equal lines") << 300 << 200 << 2 << 60;
    QTest::newRow("beyond the search") << 6 << 3000 << 3 << 3000;
    QTest::newRow("large") << 6 << 20000 << 100000 << 40;
}

void tst_UnifiedDiff::leadsFromOneToTheOther()
{
    QFETCH(int, files);
    QFETCH(int, mostLines);
    QFETCH(int, kinds);
    QFETCH(int, mostEdits);
    RandomFiles random;
    const auto lines = static_cast<std::size_t>(mostLines);
    const auto values = static_cast<std::size_t>(kinds);
    for (int i = 0; i < files; ++i) {
        const QByteArray before = random.file(lines, values);
        const QByteArray after = i % 4 == 0
                                     ? random.file(lines, values)
                                     : random.edited(before, static_cast<std::size_t>(mostEdits), values);
        if (before == after)
            continue;
        const QByteArray shown = QByteArray::number(Seed) + ": " + before.left(300).toPercentEncoding()
                                 + " > " + after.left(300).toPercentEncoding();
        QVERIFY2(applied(before, unifiedDiff(before, after, "f")) == after, shown.constData());
        QVERIFY2(applied(after, unifiedDiff(after, before, "f")) == before, shown.constData());
    }
}

void tst_UnifiedDiff::findsTheFewestChanges()
{
    RandomFiles random;
    for (int i = 0; i < 3000; ++i) {
        const QByteArray before = random.file(25, 4);
        const QByteArray after = random.file(25, 4);
        if (before != after)
            QCOMPARE(changedLines(unifiedDiff(before, after, "f")),
                     fewestChanges(linesOf(before), linesOf(after)));
    }
}

/// Where the equal bytes at both ends overlap, or end inside a line.
void tst_UnifiedDiff::keepsContextAcrossTrimming()
{
    const QByteArray many = numbered(3000);
    for (const char *inserted : {"1500\n", "1499\n1500\n", "15\n", "150", "\n", "1500\n1501\n1502\n1503\n"}) {
        const QByteArray more = QByteArray(many).insert(many.indexOf("\n1500\n") + 1, inserted);
        QCOMPARE(applied(many, unifiedDiff(many, more, "f")), more);
        QCOMPARE(applied(more, unifiedDiff(more, many, "f")), many);
        QVERIFY(unifiedDiff(many, more, "f").size() < 200);
    }
}

void tst_UnifiedDiff::limitsItsSize()
{
    const QByteArray after = numbered(1000) + "end";
    const QByteArray whole = unifiedDiff("", after, "f");
    QCOMPARE(unifiedDiff("", after, "f", whole.size()), whole);
    for (const qsizetype limit :
         {qsizetype(0), qsizetype(10), qsizetype(100), qsizetype(1000), whole.size() - 1}) {
        const QByteArray part = unifiedDiff("", after, "f", limit);
        const qsizetype kept = part.lastIndexOf("... ");
        QVERIFY(kept <= limit);
        QCOMPARE(part.left(kept), whole.left(kept));
        QCOMPARE(part.mid(kept), "... " + QByteArray::number(whole.mid(kept).count('\n')) + " more lines\n");
    }
}

void tst_UnifiedDiff::largeText_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QByteArray big;
    for (int i = 0; big.size() < 5'000'000; ++i)
        big += "    line number " + QByteArray::number(i) + " of a large file\n";
    QByteArray changed = big;
    changed.replace("number 7 ", "number seven ").replace("number 100000 ", "number many ");
    QTest::newRow("two changes") << big << changed;
    QTest::newRow("everything new") << big << QByteArray(big).replace("line", "LINE");
    QTest::newRow("every line indented") << big << QByteArray(big).replace("    line", "  line");
    QTest::newRow("blank lines") << QByteArray(5'000'000, '\n') << QByteArray(4'999'000, '\n') + "x";
    RandomFiles random;
    QTest::newRow("nothing in order") << random.file(60000, 5) << random.file(60000, 5);
    QTest::newRow("one long line") << QByteArray(5'000'000, 'x') << QByteArray(5'000'001, 'x');
}

void tst_UnifiedDiff::largeText()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QVERIFY(!unifiedDiff(before, after, "f").isEmpty());
}

QTEST_APPLESS_MAIN(tst_UnifiedDiff)

#include "tst_unifieddiff.moc"
