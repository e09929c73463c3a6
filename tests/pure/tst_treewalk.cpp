// Walks over real folders: what is visited and in which order, what is never followed, and that walk and search
// together find what git and ripgrep find.

#include "tools/search/LineSearch.h"
#include "tools/search/RipgrepOutput.h"
#include "tools/search/TreeWalk.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;
constexpr qsizetype NoLimit = 1'000'000;

/// A temporary folder that is also removed when names in it are not UTF-8, which QDir does not see.
class Folder
{
public:
    Folder() : m_folder(place()), m_path(m_folder.path().toUtf8() + '/')
    {
        m_folder.setAutoRemove(false);
        m_descriptor = open(m_path.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    ~Folder()
    {
        close(m_descriptor);
        QProcess::execute("rm", {"-rf", "--", m_folder.path()});
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    int descriptor() const { return m_descriptor; }
    QByteArray at(const QByteArray &path) const { return m_path + path; }

    /// Makes a folder and those above it; an error if it cannot be there is none.
    void makeFolder(const QByteArray &path) const
    {
        for (qsizetype slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            mkdir(at(path.first(slash)).constData(), 0777);
        }
        mkdir(at(path).constData(), 0777);
    }

    /// False if something is in the way.
    bool write(const QByteArray &path, const QByteArray &content) const
    {
        if (path.contains('/')) {
            makeFolder(path.first(path.lastIndexOf('/')));
        }
        std::FILE *file = std::fopen(at(path).constData(), "wbx");
        if (file == nullptr) {
            return false;
        }
        std::fwrite(content.constData(), 1, static_cast<std::size_t>(content.size()), file);
        std::fclose(file);
        return true;
    }

    QByteArray run(const QString &program, const QStringList &arguments) const
    {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("HOME", m_folder.path());
        environment.insert("XDG_CONFIG_HOME", m_folder.path());
        environment.insert("GIT_CONFIG_NOSYSTEM", "1");
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        if (!process.waitForStarted()) {
            qFatal("%s does not start: apt-get install git ripgrep", qPrintable(program));
        }
        process.closeWriteChannel();
        // Ripgrep says 1 when it finds nothing.
        if (!process.waitForFinished(60'000) || process.exitCode() > 1) {
            qFatal("%s %s: %s", qPrintable(program), qPrintable(arguments.join(' ')),
                   process.readAllStandardError().constData());
        }
        return process.readAllStandardOutput();
    }

private:
    /// In memory where there is such a place: a disk takes its time for ten thousand folders.
    static QString place()
    {
        const QString memory = "/dev/shm";
        return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) + "/tst_treewalk-XXXXXX";
    }

    QTemporaryDir m_folder;
    QByteArray m_path;
    int m_descriptor = -1;
};

QByteArray described(const WalkEntry &entry)
{
    constexpr QByteArrayView Signs("f/l?");
    return Signs[static_cast<qsizetype>(entry.kind)] + entry.path.toByteArray();
}

struct Walked
{
    WalkSummary summary;
    QList<QByteArray> entries;
};

Walked walked(const Folder &folder, const WalkOptions &options = {})
{
    Walked all;
    all.summary = walkTree(folder.descriptor(), options, [&](const WalkEntry &entry) {
        all.entries << described(entry);
        return WalkAction::Continue;
    });
    return all;
}

int openDescriptors()
{
    int count = 0;
    DIR *stream = opendir("/proc/self/fd");
    while (readdir(stream) != nullptr) {
        ++count;
    }
    closedir(stream);
    return count;
}

/// Makes `depth` folders named d in each other, the innermost with a file; every one also with a file z.
void makeDeep(const Folder &folder, int depth)
{
    int current = dup(folder.descriptor());
    for (int i = 0; i < depth; ++i) {
        mkdirat(current, "d", 0777);
        const int next = openat(current, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(openat(current, "z", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        close(current);
        current = next;
    }
    close(current);
}

/// Walk and search together.
struct Searched
{
    QList<FoundLine> lines;
    QList<QByteArray> binaryFiles;
};

Searched searched(const Folder &folder, const LineSearch &search)
{
    Searched all;
    walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        if (entry.kind != WalkEntry::Kind::File) {
            return WalkAction::Continue;
        }
        const QByteArray path = entry.path.toByteArray();
        const auto content = readWalkedFile(entry.parentDescriptor, entry.name.toByteArray(), NoLimit * 100);
        const SearchReport report = search.search(content.value(), [&](const LineMatch &match) {
            all.lines << FoundLine{path, match.lineNumber, match.column, match.length,
                                   match.line.toByteArray()};
            return true;
        });
        if (report.isBinary && report.matchingLines > 0) {
            all.binaryFiles << path;
        }
        return WalkAction::Continue;
    });
    return all;
}

class Maker
{
public:
    unsigned below(unsigned end) { return static_cast<unsigned>(m_random() % end); }
    QByteArray pick(const QList<QByteArray> &from)
    {
        return from[static_cast<qsizetype>(below(static_cast<unsigned>(from.size())))];
    }

    QByteArray name()
    {
        return pick({"a", "b", "ab", "src", "x.log", "b.log", "a b", "new\nline", "bad\xFF.txt", "\xC3\xA9",
                     ".hidden", "c.txt", "build", " x", "-a", "a.txt"});
    }

    /// Lines that git and ripgrep read alike.
    QByteArray rules()
    {
        QByteArray text;
        for (unsigned lines = below(3) + 1; lines > 0; --lines) {
            text += pick({"", "", "!"}) + pick({"", "", "/"})
                    + pick({"*.log", "a", "b/", "build/", "a*", "**/x.log", "src/**", "src/*.txt", "?",
                            "[ab].log", "*.txt", "ab", "a\\ b", "# a", "\xC3\xA9", ".*", "src/*/a", "**/src",
                            "[!a]"})
                    + pick({"\n", "\n", "\r\n"});
        }
        return text;
    }

    QByteArray content()
    {
        QByteArray text = pick({"", "", "", "", "\xEF\xBB\xBF"});
        const bool isBinary = below(15) == 0;
        for (unsigned count = below(60); count > 0; --count) {
            text += pick({"foo",
                          "bar",
                          "foobar",
                          "Foo",
                          "FOO",
                          " ",
                          "\t",
                          "\n",
                          "\n",
                          "\r\n",
                          "x",
                          "1",
                          "42",
                          "a",
                          "b",
                          "_",
                          "\xC3\xA9",
                          "\xC3\x89",
                          "\xFF",
                          "\xE9",
                          "\xCE\xB1",
                          "caf\xC3\xA9",
                          "(x)",
                          "{",
                          "}",
                          "\"",
                          "foo.bar",
                          "\xD9\xA1",
                          "\xCC\x81",
                          "\xE2\x80\x8D",
                          "\xC2\xA0",
                          "\xF0\x9F\x98\x80",
                          "aaa",
                          "\r",
                          "-",
                          "$x",
                          "\\",
                          "\xC5\xBF",
                          "\xE2\x84\xAA",
                          "k",
                          "\xC2\xB2",
                          "\xE2\x85\xA7",
                          "[a]",
                          "\xE2\x80\xA8"});
            text += isBinary && below(30) == 0 ? QByteArray(1, '\0') : "";
        }
        return text;
    }

private:
    std::mt19937 m_random{Seed};
};

/// A random tree; the paths of its files.
QList<QByteArray> makeTree(const Folder &folder, Maker &maker, int files, const QByteArray &top)
{
    QList<QByteArray> paths;
    for (int i = 0; i < files; ++i) {
        QByteArray path = top;
        for (unsigned depth = maker.below(4); depth > 0; --depth) {
            path += maker.name() + '/';
        }
        const bool isRules = maker.below(6) == 0;
        path += isRules ? ".gitignore" : maker.name();
        if (folder.write(path, isRules ? maker.rules() : maker.content())) {
            paths << path;
        }
    }
    return paths;
}

} // namespace

class tst_TreeWalk : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_openBefore = openDescriptors(); }
    void cleanup() { QCOMPARE(openDescriptors(), m_openBefore); }

    void order();
    void kinds();
    void actions();
    void emptyAndClosed();
    void ignoreFiles();
    void ignoreFilesOfParents();
    void nestedRepositories();
    void deep();
    void movedWhileDeep();
    void unreadable();
    void swappedForALink();
    void readsFiles();
    void agreesWithGit();
    void agreesWithRipgrep();

private:
    int m_openBefore = 0;
};

void tst_TreeWalk::order()
{
    const Folder folder;
    for (const char *path :
         {"b", "a/b", "a-b", "a/a/x", "B", "\xC3\xA9", "bad\xFF.txt", "a\nb", ".x/y", "a.b"}) {
        QVERIFY(folder.write(path, "x"));
    }
    const Walked all = walked(folder);
    QCOMPARE(all.entries, (QList<QByteArray>{"/.x", "f.x/y", "fB", "/a", "/a/a", "fa/a/x", "fa/b", "fa\nb",
                                             "fa-b", "fa.b", "fb", "fbad\xFF.txt", "f\xC3\xA9"}));
    QCOMPARE(all.summary, (WalkSummary{WalkSummary::End::Complete, 13, 0, 0}));
}

void tst_TreeWalk::kinds()
{
    const Folder folder;
    folder.write("d/f", "x");
    folder.write(".git/config", "x");
    folder.write("d/.git", "gitdir: x");
    QCOMPARE(symlink("d", folder.at("folderlink").constData()), 0);
    QCOMPARE(symlink("d/f", folder.at("filelink").constData()), 0);
    QCOMPARE(symlink("..", folder.at("d/loop").constData()), 0);
    QCOMPARE(symlink("nowhere", folder.at("dangling").constData()), 0);
    QCOMPARE(mkfifo(folder.at("fifo").constData(), 0666), 0);
    const Walked all = walked(folder);
    QCOMPARE(all.entries,
             (QList<QByteArray>{"/d", "fd/f", "ld/loop", "ldangling", "?fifo", "lfilelink", "lfolderlink"}));
}

void tst_TreeWalk::actions()
{
    const Folder folder;
    for (const char *path : {"a/x", "b/x", "c"}) {
        folder.write(path, "x");
    }
    QList<QByteArray> seen;
    WalkSummary summary = walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        seen << entry.path.toByteArray();
        return entry.path == "a" ? WalkAction::SkipFolder : WalkAction::Continue;
    });
    QCOMPARE(seen, (QList<QByteArray>{"a", "b", "b/x", "c"}));
    QCOMPARE(summary.end, WalkSummary::End::Complete);

    seen.clear();
    summary = walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        seen << entry.path.toByteArray();
        return entry.path == "a/x" ? WalkAction::Stop : WalkAction::Continue;
    });
    QCOMPARE(seen, (QList<QByteArray>{"a", "a/x"}));
    QCOMPARE(summary.end, WalkSummary::End::Stopped);

    WalkOptions options;
    int asked = 0;
    options.isCancelled = [&] { return ++asked > 3; };
    const Walked all = walked(folder, options);
    QCOMPARE(all.entries, (QList<QByteArray>{"/a", "fa/x", "/b"}));
    QCOMPARE(all.summary.end, WalkSummary::End::Cancelled);
}

void tst_TreeWalk::emptyAndClosed()
{
    const Folder folder;
    QCOMPARE(walked(folder).summary, (WalkSummary{WalkSummary::End::Complete, 0, 0, 0}));
    const WalkSummary summary = walkTree(-1, {}, [](const WalkEntry &) { return WalkAction::Continue; });
    QCOMPARE(summary, (WalkSummary{WalkSummary::End::Complete, 0, 0, 1}));
}

void tst_TreeWalk::ignoreFiles()
{
    const Folder folder;
    folder.write(".gitignore", "*.log\nbuild/\n/top\n");
    folder.write("a.log", "x");
    folder.write("build/.gitignore", "!kept\n");
    folder.write("build/kept", "x");
    folder.write("sub/.gitignore", "!b.log\nown\n");
    folder.write("sub/b.log", "x");
    folder.write("sub/c.log", "x");
    folder.write("sub/own", "x");
    folder.write("sub/top", "x");
    folder.write("top", "x");
    folder.write("zz/own", "x");
    folder.write(".ignore", "zz\n");
    folder.write(".rgignore", "zz\n");
    const Walked all = walked(folder);
    QCOMPARE(all.entries, (QList<QByteArray>{"f.gitignore", "f.ignore", "f.rgignore", "/sub",
                                             "fsub/.gitignore", "fsub/b.log", "fsub/top", "/zz", "fzz/own"}));
    QCOMPARE(all.summary.ignored, 5);

    WalkOptions options;
    options.ignoreFiles = IgnoreFiles::Disregard;
    QCOMPARE(walked(folder, options).entries.size(), 16);
}

void tst_TreeWalk::ignoreFilesOfParents()
{
    const Folder folder;
    for (const char *path : {"a.log", "b.log", "x/c", "d"}) {
        folder.write(path, "x");
    }
    WalkOptions options;
    options.parents = {{"in/here", GitIgnore::parse("*.log\n/in/here/x/c\n/d\n")},
                       {"here", GitIgnore::parse("!b.log\n")}};
    QCOMPARE(walked(folder, options).entries, (QList<QByteArray>{"fb.log", "fd", "/x"}));
    folder.write(".gitignore", "!a.log\n");
    QCOMPARE(walked(folder, options).entries,
             (QList<QByteArray>{"f.gitignore", "fa.log", "fb.log", "fd", "/x"}));
}

void tst_TreeWalk::nestedRepositories()
{
    const Folder folder;
    folder.write(".gitignore", "*.log\n");
    folder.write(".git/info/exclude", "secret\n*.tmp\n");
    folder.write("sub/.gitignore", "!b.tmp\n");
    for (const char *path : {"a.log", "secret", "sub/secret", "sub/a.tmp", "sub/b.tmp", "inner/a.log",
                             "inner/secret", "inner/own", "linked/a.log", "z.log"}) {
        folder.write(path, "x");
    }
    folder.write("inner/.git/info/exclude", "own\n");
    folder.write("linked/.git", "gitdir: elsewhere\n");
    QCOMPARE(walked(folder).entries,
             (QList<QByteArray>{"f.gitignore", "/inner", "finner/a.log", "finner/secret", "/linked",
                                "flinked/a.log", "/sub", "fsub/.gitignore", "fsub/b.tmp"}));
}

void tst_TreeWalk::deep()
{
    constexpr int Depth = 5'000;
    const Folder folder;
    makeDeep(folder, Depth);
    rlimit before = {};
    QCOMPARE(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit lowered = before;
    lowered.rlim_cur = 64;
    QCOMPARE(setrlimit(RLIMIT_NOFILE, &lowered), 0);
    int most = 0;
    int files = 0;
    int reachable = 0;
    const WalkSummary summary = walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        most = files % 100 == 0 ? std::max(most, openDescriptors()) : most;
        if (entry.kind == WalkEntry::Kind::File) {
            ++files;
            const auto content = readWalkedFile(entry.parentDescriptor, entry.name.toByteArray(), 10);
            reachable += content ? 1 : 0;
        }
        return WalkAction::Continue;
    });
    QCOMPARE(setrlimit(RLIMIT_NOFILE, &before), 0);
    QCOMPARE(summary, (WalkSummary{WalkSummary::End::Complete, 2 * Depth, 0, 0}));
    QCOMPARE(files, Depth);
    QCOMPARE(reachable, Depth);
    QVERIFY2(most <= m_openBefore + MaximumOpenFolders + 5, qPrintable(QString::number(most)));
}

void tst_TreeWalk::movedWhileDeep()
{
    constexpr int Depth = 100;
    const Folder folder;
    makeDeep(folder, Depth);
    folder.write("other/z", "x");
    // While the walk is at the bottom, the upper half is cut off from the way back.
    const QByteArray middle = QByteArray("d/").repeated(Depth / 2) + 'd';
    int files = 0;
    bool hasOther = false;
    const WalkSummary summary = walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        if (entry.path.size() == 2 * Depth - 1 && entry.kind == WalkEntry::Kind::Folder) {
            rename(folder.at(middle).constData(), folder.at("other/moved").constData());
        }
        files += entry.kind == WalkEntry::Kind::File ? 1 : 0;
        hasOther = hasOther || entry.path.startsWith("other");
        return WalkAction::Continue;
    });
    QCOMPARE(summary.end, WalkSummary::End::Complete);
    // 51 levels are below the cut; above it the way up leads elsewhere for all 50.
    QVERIFY(files >= Depth / 2 - 1 && files < Depth);
    QVERIFY(summary.unreadableFolders > 0);
    QVERIFY(!hasOther);
}

void tst_TreeWalk::unreadable()
{
    const Folder folder;
    folder.write("a/x", "x");
    folder.write("b", "x");
    folder.makeFolder("c");
    chmod(folder.at("").constData(), 0755);
    chmod(folder.at("a").constData(), 0);
    // Root reads everything.
    constexpr uid_t Nobody = 65534;
    const bool isRoot = geteuid() == 0;
    QVERIFY(!isRoot || seteuid(Nobody) == 0);
    const Walked all = walked(folder);
    QVERIFY(!isRoot || seteuid(0) == 0);
    chmod(folder.at("a").constData(), 0755);
    QCOMPARE(all.entries, (QList<QByteArray>{"/a", "fb", "/c"}));
    QCOMPARE(all.summary, (WalkSummary{WalkSummary::End::Complete, 3, 0, 1}));
}

void tst_TreeWalk::swappedForALink()
{
    const Folder outside;
    outside.write("secret", "x");
    const Folder folder;
    folder.write("a/x", "x");
    folder.write("b", "x");
    QList<QByteArray> seen;
    const WalkSummary summary = walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        seen << entry.path.toByteArray();
        if (entry.path == "a") {
            rename(folder.at("a").constData(), folder.at("moved").constData());
            [[maybe_unused]] const int result =
                symlink(outside.at("").constData(), folder.at("a").constData());
        }
        return WalkAction::Continue;
    });
    QCOMPARE(seen, (QList<QByteArray>{"a", "b"}));
    QCOMPARE(summary.unreadableFolders, 1);
}

void tst_TreeWalk::readsFiles()
{
    const Folder folder;
    folder.write("five", "12345");
    folder.write("empty", "");
    folder.write("bad\xFF", "x");
    folder.makeFolder("folder");
    QCOMPARE(symlink("five", folder.at("link").constData()), 0);
    QCOMPARE(mkfifo(folder.at("fifo").constData(), 0666), 0);
    const auto content = [&](const char *name, qsizetype limit) {
        return readWalkedFile(folder.descriptor(), name, limit);
    };
    QCOMPARE(content("five", 5), QByteArray("12345"));
    QVERIFY(!content("five", 4));
    QCOMPARE(content("empty", 0), QByteArray(""));
    QCOMPARE(content("bad\xFF", 5), QByteArray("x"));
    for (const char *name : {"folder", "link", "fifo", "missing"}) {
        QVERIFY2(!content(name, 100), name);
    }
    const int proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    QVERIFY(readWalkedFile(proc, "maps", NoLimit).value().size() > 1000);
    QVERIFY(!readWalkedFile(proc, "maps", 1000));
    close(proc);
}

void tst_TreeWalk::agreesWithGit()
{
    const Folder folder;
    folder.run("git", {"init", "-q"});
    folder.write(".git/info/exclude2", "");
    std::FILE *exclude = std::fopen(folder.at(".git/info/exclude").constData(), "wb");
    QVERIFY(exclude);
    std::fputs("*.txt\n!c.txt\n", exclude);
    std::fclose(exclude);
    Maker maker;
    qsizetype fileCount = 0;
    for (int number = 0; number < 100; ++number) {
        fileCount += makeTree(folder, maker, 30, "case" + QByteArray::number(number) + '/').size();
    }
    QSet<QByteArray> expected;
    for (const QByteArray &path :
         folder.run("git", {"ls-files", "-o", "-z", "--exclude-standard"}).split('\0')) {
        if (!path.isEmpty()) {
            expected << path;
        }
    }
    QSet<QByteArray> found;
    walkTree(folder.descriptor(), {}, [&](const WalkEntry &entry) {
        if (entry.kind == WalkEntry::Kind::File) {
            found << entry.path.toByteArray();
        }
        return WalkAction::Continue;
    });
    QVERIFY(expected.size() > 500 && expected.size() < fileCount);
    for (const QByteArray &path : (expected - found) + (found - expected)) {
        QFAIL(path.toPercentEncoding("/") + (found.contains(path) ? " is" : " is not") + " visited");
    }
}

void tst_TreeWalk::agreesWithRipgrep()
{
    const Folder folder;
    Maker maker;
    makeTree(folder, maker, 150, "");
    folder.write(".ignore", "*\n");
    folder.write("long", QByteArray("foo x").repeated(4'000) + "\nbar\n"
                             + QByteArray("\xC3\xA9").repeated(10'000) + "foo\n");
    folder.write("u16", QByteArray("\xFF\xFE"
                                   "f\0o\0o\0\n\0\xE9\0b\0a\0r\0",
                                   18));
    folder.write("late", "foo\n" + QByteArray(200'000, 'x') + "\n" + '\0' + "bar\n");
    QCOMPARE(symlink("long", folder.at("zlink").constData()), 0);

    struct Case
    {
        QByteArray pattern;
        PatternSyntax syntax = PatternSyntax::Regex;
        LetterCase letterCase = LetterCase::Distinguish;
    };
    QList<Case> cases;
    for (const char *pattern : {"foo",
                                "foo.bar",
                                "foo\\.bar",
                                "^foo",
                                "foo$",
                                "^",
                                "",
                                "x*",
                                "\\bfoo\\b",
                                "\\Bfoo",
                                "foo\\B",
                                "\\w+",
                                "\\W",
                                "\\s",
                                "\\S",
                                "\\s+$",
                                "^\\s*foo",
                                "\\d",
                                "\\D\\d",
                                "[^a]",
                                "[^\\s]b",
                                "[[:alpha:]]1",
                                "[[:^alpha:]]x",
                                "[[:space:]]a",
                                "[[:word:]]_",
                                "[a-z&&[^b]]1",
                                "[a-c--b]1",
                                "[ab~~bc]1",
                                "[\\w&&[^a-z]]",
                                "(?i)foo",
                                "(?i:f)oo",
                                "(?i)\xC3\xA9",
                                "caf\xC3\xA9",
                                "caf.",
                                "\\p{Lu}",
                                "\\p{Greek}",
                                "\\pN",
                                "\\P{L}x",
                                "\\p{Letter}1",
                                "a{2}",
                                "a{2,}b",
                                "a{1,2}?x",
                                "foo|bar",
                                "(foo|bar)+",
                                "(?:foo)?bar",
                                "(?P<n>x)1",
                                "\\(x\\)",
                                "\\$x",
                                "\\\\",
                                "[\\]\\[]",
                                "\\t",
                                "\\x{e9}",
                                "\\xe9",
                                "\\u{1F600}",
                                ".",
                                "..",
                                "^.$",
                                "^.*",
                                ".+x$",
                                "a.*b.*1",
                                "(?s)a.*b",
                                "(?m)^x",
                                "-",
                                "_\\b",
                                "k",
                                "(?i)k",
                                "(?i)s",
                                "[\\x00-\\x7f]b",
                                "[^\\x00-\\x7f]",
                                "\\b",
                                "\xC3\xA9\\b",
                                "\\b\xCC\x81",
                                "(foo)(?:$|\\s)",
                                "\"",
                                "[-a]b",
                                "(?i)[^f]oo",
                                "\\p{Alphabetic}2",
                                "\\p{White_Space}b",
                                "[\\d\\s]x",
                                "[^\\d\\s\\w]",
                                "()",
                                "(|a)b",
                                "\\v|\\f|1x",
                                "\xE2\x80\xA8",
                                "[^\\n]x",
                                "[^\\r\\n]x",
                                "(?-i)foo",
                                "\\p{L}\\p{M}",
                                "a\\s*$",
                                "[\\S]1",
                                "[^\\S]1",
                                "[^\\W]1"}) {
        cases << Case{pattern};
    }
    for (const char *pattern : {"foo", "f", "\xC3\xA9", "[a-f]oo", "\\bFOO\\b", "[^o]oo", "\\w\\W"}) {
        cases << Case{pattern, PatternSyntax::Regex, LetterCase::Ignore};
    }
    for (const char *pattern : {"foo.bar", "(x)", "{", "$x", "\\", "[a]", "foo"}) {
        cases << Case{pattern, PatternSyntax::FixedString}
              << Case{pattern, PatternSyntax::FixedString, LetterCase::Ignore};
    }
    qsizetype sum = 0;
    qsizetype binary = 0;
    for (const Case &one : cases) {
        const auto created = LineSearch::create(one.pattern, one.syntax, one.letterCase);
        QVERIFY2(std::holds_alternative<LineSearch>(created), one.pattern.constData());
        const LineSearch &search = std::get<LineSearch>(created);
        QVERIFY2(!search.needsOwnEngine(), one.pattern.constData());
        QStringList arguments;
        for (const QByteArray &argument : ripgrepArguments({one.pattern, "", one.syntax, one.letterCase})) {
            arguments << QString::fromUtf8(argument);
        }
        const auto parsed = parseRipgrepOutput(folder.run("rg", arguments), {}, NoLimit);
        QVERIFY2(std::holds_alternative<RipgrepResult>(parsed), one.pattern.constData());
        const RipgrepResult &expected = std::get<RipgrepResult>(parsed);
        const Searched found = searched(folder, search);
        for (qsizetype i = 0; i < std::max(found.lines.size(), expected.lines.size()); ++i) {
            const FoundLine own = found.lines.value(i);
            const FoundLine theirs = expected.lines.value(i);
            const auto shown = [](const FoundLine &line) {
                return line.path.toPercentEncoding() + ':' + QByteArray::number(line.lineNumber) + ':'
                       + QByteArray::number(line.column) + ':' + QByteArray::number(line.length) + ':'
                       + line.line.left(300).toPercentEncoding(" ");
            };
            if (own != theirs) {
                QFAIL(one.pattern + "\n own    " + shown(own) + "\n theirs " + shown(theirs));
            }
        }
        QVERIFY2(found.binaryFiles == expected.binaryFiles, one.pattern.constData());
        sum += found.lines.size();
        binary += found.binaryFiles.size();
    }
    QVERIFY(cases.size() > 100);
    QVERIFY(sum > 3'000);
    QVERIFY(binary > 50);
}

QTEST_GUILESS_MAIN(tst_TreeWalk)

#include "tst_treewalk.moc"
