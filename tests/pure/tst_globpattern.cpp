// Wildcard patterns as a model writes them: what they find, what is wrong with them, and that none takes for ever.

#include "tools/search/GlobPattern.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

GlobPattern parsed(const QByteArray &text)
{
    const std::variant<GlobPattern, QString> result = GlobPattern::parse(text);
    if (const QString *error = std::get_if<QString>(&result)) {
        qFatal("%s: %s", text.constData(), qPrintable(*error));
    }
    return std::get<GlobPattern>(result);
}

/// The meaning of a pattern without braces, brackets and escapes, told in the slowest and plainest way.
bool plainlyMatches(const QByteArray &pattern, const QByteArray &path)
{
    if (pattern.isEmpty()) {
        return path.isEmpty();
    }
    if (pattern.startsWith("**/")) {
        for (qsizetype i = 0; i <= path.size(); ++i) {
            if ((i == 0 || path[i - 1] == '/') && plainlyMatches(pattern.mid(3), path.mid(i))) {
                return true;
            }
        }
        return false;
    }
    if (pattern == "**") {
        return true;
    }
    if (pattern[0] == '*') {
        for (qsizetype i = 0; i <= path.size(); ++i) {
            // Behind a star `**` is no whole component: a mark keeps the recursion from taking it for one.
            const QByteArray rest = pattern.mid(1);
            qsizetype stars = 0;
            while (stars < rest.size() && rest[stars] == '*') {
                ++stars;
            }
            if (plainlyMatches(rest.mid(stars), path.mid(i))) {
                return true;
            }
            if (i < path.size() && path[i] == '/') {
                return false;
            }
        }
        return false;
    }
    if (path.isEmpty() || (pattern[0] == '?' ? path[0] == '/' : path[0] != pattern[0])) {
        return false;
    }
    // A `**` in the middle of a component is a single star.
    QByteArray rest = pattern.mid(1);
    if (pattern[0] != '/' && rest.startsWith("**")) {
        while (rest.startsWith("**")) {
            rest.remove(0, 1);
        }
    }
    return plainlyMatches(rest, path.mid(1));
}

} // namespace

class tst_GlobPattern : public QObject
{
    Q_OBJECT

private slots:
    void matches_data();
    void matches();
    void findsMistakes_data();
    void findsMistakes();
    void endsOnHardInput_data();
    void endsOnHardInput();
    void agreesWithThePlainMeaning();
    void fuzzBytes();
};

void tst_GlobPattern::matches_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QList<QByteArray>>("yes");
    QTest::addColumn<QList<QByteArray>>("no");
    const auto row = [](const char *pattern, QList<QByteArray> yes, QList<QByteArray> no) {
        QTest::newRow(pattern) << QByteArray(pattern) << yes << no;
    };
    row("*.cpp", {"a.cpp", ".cpp", "x/y/b.cpp", ".github/c.cpp"}, {"a.cppx", "a.h", "a.cpp/b"});
    row("/*.cpp", {"a.cpp"}, {"x/b.cpp"});
    row("./*.cpp", {"a.cpp"}, {"x/b.cpp"});
    row("src/*.cpp", {"src/a.cpp"}, {"src/x/a.cpp", "x/src/a.cpp"});
    row("**/*.cpp", {"a.cpp", "x/a.cpp", "x/y/.a.cpp"}, {"x/a.h"});
    row("src/**", {"src/a", "src/x/y"}, {"src", "srcx/a"});
    row("src/", {"src/a", "src/x/y"}, {"src", "x/src/a"});
    row("src/**/t", {"src/t", "src/a/t", "src/a/b/t"}, {"src/at", "srct", "t"});
    row("**", {"a", "a/b"}, {});
    row("**/**/a", {"a", "x/a", "x/y/z/a"}, {"xa"});
    row("a**b", {"ab", "axxb", "x/axb"}, {"a/b"});
    row("x/a**b/c", {"x/ab/c"}, {"x/a/b/c"});
    row("?", {"a", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xFF", "x/a"}, {"ab", "\xC3\xA9z", "\xFF\xFE", ""});
    row("a?b/c", {"axb/c"}, {"a/b/c", "ab/c"});
    row("[a-c]x", {"ax", "cx"}, {"dx", "x", "-x"});
    row("[!a-c]x", {"dx", "-x", "\xC3\xA9x"}, {"ax", "/x"});
    row("[^a]x", {"bx", "^x"}, {"ax"});
    row("[]a]", {"]", "a"}, {"b"});
    row("[a-]", {"a", "-"}, {"b"});
    row("[\\]\\-b]", {"]", "-", "b"}, {"\\", "a"});
    row("[\xC3\xA0-\xC3\xBC]", {"\xC3\xA9"}, {"\xC3", "e"});
    row("x[!a]y/z", {"xby/z"}, {"x/y/z"});
    row("{a,b}", {"a", "b", "x/a"}, {"c", "ab", "{a,b}"});
    row("*.{h,c{pp,c}}", {"a.h", "a.cpp", "a.cc"}, {"a.c", "a.pp"});
    row("{src,tests/{a,b}}/*.c", {"src/x.c", "tests/a/x.c", "tests/b/x.c"}, {"tests/x.c", "src/a/x.c"});
    row("a{,b}c", {"ac", "abc"}, {"abbc", "a"});
    row("{a}", {"a"}, {"{a}"});
    row("{**/,}x", {"x", "a/b/x"}, {"ax"});
    row("{a/**,b}", {"a/x/y", "b"}, {"x/b", "a"});
    row("a}b,c", {"a}b,c"}, {});
    row("\\*\\{\\[", {"*{["}, {"x{["});
    row("\\\\", {"\\"}, {"\\\\"});
    row(".github/**", {".github/w/x.yml"}, {"github/x"});
    row("bad\xFF.txt", {"bad\xFF.txt", "x/bad\xFF.txt"}, {"bad\xFE.txt", "bad?.txt"});
    row("a\nb", {"a\nb"}, {"a b"});
    row("*", {"a\nb", "x/y", "\xFF"}, {});
}

void tst_GlobPattern::matches()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QList<QByteArray>, yes);
    QFETCH(QList<QByteArray>, no);
    const GlobPattern glob = parsed(pattern);
    for (const QByteArray &path : yes) {
        QVERIFY2(glob.matches(path), path.constData());
    }
    for (const QByteArray &path : no) {
        QVERIFY2(!glob.matches(path), path.constData());
    }
}

void tst_GlobPattern::findsMistakes_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QString>("words");
    QTest::newRow("empty") << QByteArray() << "empty";
    QTest::newRow("only the top") << QByteArray("/") << "empty";
    QTest::newRow("bracket") << QByteArray("a[bc") << "no closing ]";
    QTest::newRow("bracket at once") << QByteArray("[]") << "no closing ]";
    QTest::newRow("bracket, range") << QByteArray("[a-") << "no closing ]";
    QTest::newRow("bracket, escape") << QByteArray("[\\") << "no closing ]";
    QTest::newRow("brace") << QByteArray("{a,b") << "no closing }";
    QTest::newRow("inner brace") << QByteArray("{a,{b}") << "no closing }";
    QTest::newRow("backslash") << QByteArray("a\\") << "single \\";
    QTest::newRow("backwards") << QByteArray("[z-a]") << "backwards";
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << "NUL";
    QTest::newRow("long") << QByteArray(5000, 'a') << "longer than 4096";
    QTest::newRow("deep") << QByteArray(100, '{') + "a" + QByteArray(100, '}') << "nested too deeply";
}

void tst_GlobPattern::findsMistakes()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QString, words);
    const std::variant<GlobPattern, QString> result = GlobPattern::parse(pattern);
    const QString *error = std::get_if<QString>(&result);
    QVERIFY(error);
    QVERIFY2(error->contains(words), qPrintable(*error));
}

void tst_GlobPattern::endsOnHardInput_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::newRow("stars") << QByteArray("a*").repeated(40) + "b";
    QTest::newRow("folders") << QByteArray("**/").repeated(200) + "b";
    QTest::newRow("braces") << QByteArray("{a,aa,*}").repeated(100) + "b";
    QTest::newRow("nested") << QByteArray("{*a,").repeated(30) + "b" + QByteArray("}").repeated(30);
}

void tst_GlobPattern::endsOnHardInput()
{
    QFETCH(QByteArray, pattern);
    const GlobPattern glob = parsed(pattern);
    QVERIFY(!glob.matches(QByteArray(4000, 'a') + "c"));
}

void tst_GlobPattern::agreesWithThePlainMeaning()
{
    std::mt19937 random(Seed);
    const auto text = [&](const QList<QByteArray> &parts, unsigned most) {
        QByteArray joined;
        for (auto count = random() % most + 1; count > 0; --count) {
            joined += parts[static_cast<qsizetype>(random() % static_cast<unsigned>(parts.size()))];
        }
        return joined;
    };
    int matching = 0;
    for (int i = 0; i < 60'000; ++i) {
        // The first component keeps the pattern from being one for names.
        QByteArray pattern = "x/" + text({"a", "b", "*", "**", "?", "/", "**/", "/**"}, 6);
        while (pattern.contains("***")) {
            pattern.replace("***", "**");
        }
        const QByteArray path = "x/" + text({"a", "b", "/", "ab"}, 5);
        if (pattern.endsWith('/') || path.endsWith('/') || pattern.contains("//") || path.contains("//")) {
            continue;
        }
        const bool expected = plainlyMatches(pattern, path);
        matching += expected ? 1 : 0;
        QVERIFY2(parsed(pattern).matches(path) == expected, pattern + " " + path);
    }
    QVERIFY(matching > 3'000);
}

void tst_GlobPattern::fuzzBytes()
{
    std::mt19937 random(Seed);
    constexpr QByteArrayView Bytes("ab/*?[]{},\\!^-.\xC3\xA9\xFF\n");
    for (int i = 0; i < 30'000; ++i) {
        const auto text = [&] {
            QByteArray bytes;
            for (auto count = random() % 24; count > 0; --count) {
                bytes += Bytes[static_cast<qsizetype>(random() % static_cast<unsigned>(Bytes.size()))];
            }
            return bytes;
        };
        const std::variant<GlobPattern, QString> result = GlobPattern::parse(text());
        if (const GlobPattern *glob = std::get_if<GlobPattern>(&result)) {
            glob->matches(text());
        } else {
            QVERIFY(!std::get<QString>(result).isEmpty());
        }
    }
}

QTEST_GUILESS_MAIN(tst_GlobPattern)

#include "tst_globpattern.moc"
