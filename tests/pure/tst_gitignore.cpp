// Rules of .gitignore files against tables and against git itself.

#include "tools/search/GitIgnore.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <cstdio>
#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

void writeBytes(const QByteArray &path, const QByteArray &content)
{
    std::FILE *file = std::fopen(path.constData(), "wb");
    if (file == nullptr) {
        qFatal("cannot write %s", path.constData());
    }
    std::fwrite(content.constData(), 1, static_cast<std::size_t>(content.size()), file);
    std::fclose(file);
}

/// Runs git apart from everybody's settings; its output, or a fatal error.
QByteArray git(const QString &folder, const QStringList &arguments)
{
    QProcess process;
    process.setWorkingDirectory(folder);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", folder);
    environment.insert("XDG_CONFIG_HOME", folder);
    environment.insert("GIT_CONFIG_NOSYSTEM", "1");
    process.setProcessEnvironment(environment);
    process.start("git", arguments);
    if (!process.waitForStarted()) {
        qFatal("git does not start: apt-get install git");
    }
    process.closeWriteChannel();
    if (!process.waitForFinished(60'000) || process.exitCode() != 0) {
        qFatal("git: %s", process.readAllStandardError().constData());
    }
    return process.readAllStandardOutput();
}

/// A temporary folder that is also removed when names in it are not UTF-8, which QDir does not see.
class Folder
{
public:
    Folder() { m_folder.setAutoRemove(false); }
    ~Folder() { QProcess::execute("rm", {"-rf", "--", m_folder.path()}); }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    bool isValid() const { return m_folder.isValid(); }
    QString path() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
};

class Maker
{
public:
    QByteArray pick(const QList<QByteArray> &from)
    {
        return from[static_cast<qsizetype>(m_random() % static_cast<unsigned>(from.size()))];
    }
    unsigned below(unsigned end) { return static_cast<unsigned>(m_random() % end); }

    QByteArray rules()
    {
        static const QList<QByteArray> parts{
            "a",     "b",      "ab",          "a",     "b",    "*",        "*",     "**",    "**/",
            "/**",   "/",      "/",           "?",     "[ab]", "[!a]",     "[^b]",  " ",     "\\",
            "[a-c]", "[]a]",   "[a-",         "[b-",   "\\a",  "\\*",      "!",     "#",     "\\ ",
            "\t",    "\r",     "[[:alpha:]]", "{a,b}", ".",    "\xC3\xA9", "-",     "\xFF",  "[\\]",
            "]",     "[!\\a]", "[[:x:]]",     "[[:]",  "a/",   "[a/b]",    "[--b]", "[\xC3]"};
        QByteArray text = below(10) == 0 ? "\xEF\xBB\xBF" : "";
        for (unsigned lines = below(4) + 1; lines > 0; --lines) {
            text += below(4) == 0 ? "!" : "";
            text += below(5) == 0 ? "/" : "";
            for (unsigned count = below(5) + 1; count > 0; --count) {
                text += pick(parts);
            }
            text += below(5) == 0 ? "/" : "";
            text += below(8) == 0 ? " " : "";
            text += below(6) == 0 ? "\r\n" : "\n";
        }
        if (below(4) == 0) {
            text.chop(1);
        }
        return text;
    }

    QByteArray name()
    {
        static const QList<QByteArray> names{"a",   "b",   "ab",  "ba",   "a b",        "a ",    "#a",
                                             "!a",  "[a]", "*",   "c",    "\xC3\xA9",   "a\xFF", "-",
                                             "\\a", "a.b", "aab", "[a-",  "{a,b}",      "a\nb",  "a\r",
                                             "a\t", ".a",  "\\",  "abab", "[[:alpha:]]"};
        return below(3) == 0 ? pick(names) : pick({"a", "b", "ab", "aab"});
    }

private:
    std::mt19937 m_random{Seed};
};

} // namespace

class tst_GitIgnore : public QObject
{
    Q_OBJECT

private slots:
    void verdict_data();
    void verdict();
    void endsOnHardInput_data();
    void endsOnHardInput();
    void agreesWithGit();
};

void tst_GitIgnore::verdict_data()
{
    QTest::addColumn<QByteArray>("rules");
    QTest::addColumn<QByteArray>("path"); // a folder if it ends with a slash
    QTest::addColumn<int>("expected");    // 1 ignored, 0 brought back, -1 no line applies
    const auto row = [](const char *name, QByteArray rules, QByteArray path, int expected) {
        QTest::newRow(name) << rules << path << expected;
    };
    row("name", "a\n", "a", 1);
    row("name below", "a\n", "x/a", 1);
    row("other", "a\n", "b", -1);
    row("part of a name", "a\n", "ab", -1);
    row("comment", "#a\n", "#a", -1);
    row("escaped hash", "\\#a\n", "#a", 1);
    row("negated", "a\n!a\n", "a", 0);
    row("last wins", "!a\na\n", "a", 1);
    row("escaped mark", "\\!a\n", "!a", 1);
    row("anchored", "/a\n", "x/a", -1);
    row("anchored at the top", "/a\n", "a", 1);
    row("a slash anchors", "x/a\n", "y/x/a", -1);
    row("folder only, file", "a/\n", "a", -1);
    row("folder only, folder", "a/\n", "x/a/", 1);
    row("blank", "a \n", "a", 1);
    row("kept blank", "a\\ \n", "a ", 1);
    row("kept blank, one cut", "a\\  \n", "a ", 1);
    row("tab stays", "a\t\n", "a\t", 1);
    row("CRLF", "a\r\nb\r\n", "b", 1);
    row("no line end", "a", "a", 1);
    row("CR at the end stays out", "a\r", "a", 1);
    row("mark",
        "\xEF\xBB\xBF"
        "a\n",
        "a", 1);
    row("star", "*.o\n", "x/y.o", 1);
    row("star and slash", "x/*\n", "x/a/b", -1);
    row("any folders", "**/a\n", "x/y/a", 1);
    row("any folders, none", "**/a\n", "a", 1);
    row("everything below", "a/**\n", "a/x/y", 1);
    row("not itself", "a/**\n", "a/", -1);
    row("in between", "a/**/b\n", "a/x/y/b", 1);
    row("in between, none", "a/**/b\n", "a/b", 1);
    row("stars in a name", "a**b/c\n", "axb/c", 1);
    row("class", "[a-c]\n", "b", 1);
    row("class, negated", "[!a-c]\n", "b", -1);
    row("unclosed", "[a\n", "[a", -1);
    row("bytes", "\xFF?\n", "\xFF\xFE", 1);
    row("class of bytes", "[\xF0-\xFF]\n", "\xFE", 1);
    row("single slash", "/\n", "a/", -1);
    row("empty lines", "\n\r\n  \n!\n", "a", -1);
    row("backslash at the end", "a\\\n", "a\\", -1);
    row("NUL ends a line", QByteArray("a\0b\n", 4), "a", 1);
}

void tst_GitIgnore::verdict()
{
    QFETCH(QByteArray, rules);
    QFETCH(QByteArray, path);
    QFETCH(int, expected);
    const bool isFolder = path.endsWith('/');
    const std::optional<bool> verdict =
        GitIgnore::parse(rules).verdict(isFolder ? path.chopped(1) : path, isFolder);
    QCOMPARE(verdict ? int{*verdict} : -1, expected);
}

void tst_GitIgnore::endsOnHardInput_data()
{
    QTest::addColumn<QByteArray>("rules");
    QTest::newRow("stars") << QByteArray("a*").repeated(40) + "b";
    QTest::newRow("folders") << QByteArray("**/").repeated(200) + "b";
    QTest::newRow("classes") << QByteArray("*[ab]").repeated(100) + "c";
}

void tst_GitIgnore::endsOnHardInput()
{
    QFETCH(QByteArray, rules);
    const GitIgnore ignore = GitIgnore::parse(rules);
    QVERIFY(!ignore.verdict(QByteArray("a/").repeated(1000) + QByteArray(1000, 'a'), false));
}

void tst_GitIgnore::agreesWithGit()
{
    constexpr int Cases = 400;
    const Folder folder;
    QVERIFY(folder.isValid());
    git(folder.path(), {"init", "-q"});
    const QByteArray root = folder.path().toUtf8() + '/';

    Maker maker;
    QList<QByteArray> allRules;
    QSet<QByteArray> expected;
    qsizetype fileCount = 0;
    for (int number = 0; number < Cases; ++number) {
        const QByteArray top = "case" + QByteArray::number(number) + '/';
        const QByteArray rules = maker.rules();
        const GitIgnore ignore = GitIgnore::parse(rules);
        allRules << rules;
        ::mkdir((root + top).constData(), 0777);
        writeBytes(root + top + ".gitignore", rules);
        if (!ignore.verdict(".gitignore", false).value_or(false)) {
            expected << top + ".gitignore";
        }
        for (int file = 0; file < 14; ++file) {
            QByteArray path = maker.name();
            bool isIgnored = false;
            bool isUsable = true;
            for (unsigned depth = maker.below(3); depth > 0; --depth) {
                isIgnored = isIgnored || ignore.verdict(path, true).value_or(false);
                struct stat status = {};
                ::mkdir((root + top + path).constData(), 0777);
                isUsable = isUsable && ::stat((root + top + path).constData(), &status) == 0
                           && S_ISDIR(status.st_mode);
                path += '/' + maker.name();
            }
            struct stat status = {};
            if (!isUsable || ::stat((root + top + path).constData(), &status) == 0) {
                continue;
            }
            writeBytes(root + top + path, "x");
            ++fileCount;
            if (!isIgnored && !ignore.verdict(path, false).value_or(false)) {
                expected << top + path;
            }
        }
    }
    QSet<QByteArray> found;
    for (const QByteArray &path :
         git(folder.path(), {"ls-files", "-o", "-z", "--exclude-standard"}).split('\0')) {
        if (!path.isEmpty()) {
            found << path;
        }
    }
    QVERIFY(fileCount > 2'000);
    QVERIFY(found.size() < fileCount && found.size() > fileCount / 4);
    for (const QByteArray &path : (expected - found) + (found - expected)) {
        const qsizetype number = path.mid(4, path.indexOf('/') - 4).toInt();
        QFAIL(path.toPercentEncoding(" /[]*!") + (found.contains(path) ? " is not" : " is")
              + " ignored by git; rules: " + allRules[number].toPercentEncoding(" /[]*!"));
    }
}

QTEST_GUILESS_MAIN(tst_GitIgnore)

#include "tst_gitignore.moc"
