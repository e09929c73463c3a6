// What file-write and file-edit of `spettro call` leave of a file (cases 82, 84, 86 to 89, 91 to 93, A84,
// A85, A101 of the field): the bytes that were asked for and every other byte as it was, or all as it was;
// with the file's mode, attributes and links. And that an input is read strictly.

#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTest>
#include <QThread>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

using namespace spettro::test;
using namespace std::string_literals;

namespace {

const QStringList Off{"--sandbox", "off"};

QByteArray operator""_b(const char *text, std::size_t size)
{
    return {text, static_cast<qsizetype>(size)};
}

Json editOf(const std::string &path, const std::string &oldText, const std::string &newText)
{
    return {{"path", path}, {"old_string", oldText}, {"new_string", newText}};
}

/// The permission bits; -1 where there is nothing.
int modeOf(const QString &path)
{
    struct stat status;
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 ? int(status.st_mode & 07777) : -1;
}

ino_t inodeOf(const QString &path)
{
    struct stat status = {};
    ::stat(QFile::encodeName(path).constData(), &status);
    return status.st_ino;
}

void setMode(const QString &path, mode_t mode)
{
    QCOMPARE(::chmod(QFile::encodeName(path).constData(), mode), 0);
}

bool isLink(const QString &path)
{
    struct stat status;
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 && S_ISLNK(status.st_mode);
}

QStringList entriesOf(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot);
}

QByteArray attributeOf(const QString &path, const char *name)
{
    QByteArray value(4096, '\0');
    const ssize_t size =
        ::getxattr(QFile::encodeName(path).constData(), name, value.data(), std::size_t(value.size()));
    value.resize(size > 0 ? size : 0);
    return value;
}

bool setAttribute(const QString &path, const char *name, const QByteArray &value)
{
    return ::setxattr(QFile::encodeName(path).constData(), name, value.constData(), std::size_t(value.size()),
                      0)
           == 0;
}

/// An access control list as an extended attribute, see acl(5): owner rw, user 4711 rwx, group r, mask rwx.
QByteArray accessList()
{
    QByteArray list("\x02\x00\x00\x00", 4);
    const auto add = [&list](quint16 tag, quint16 rights, quint32 id) {
        list.append(reinterpret_cast<const char *>(&tag), 2);
        list.append(reinterpret_cast<const char *>(&rights), 2);
        list.append(reinterpret_cast<const char *>(&id), 4);
    };
    constexpr quint32 None = 0xffffffff;
    add(0x01, 6, None);
    add(0x02, 7, 4711);
    add(0x04, 4, None);
    add(0x10, 7, None);
    add(0x20, 0, None);
    return list;
}

/// `spettro call` behind a script that prepares its process and execs `"$@"`.
CallResult callBehind(const Fixture &fixture, const QString &preparation, const char *tool, const Json &input)
{
    RunOptions options;
    options.folder = fixture.workspace();
    options.input = QByteArray::fromStdString(input.dump());
    const RunResult run = spettro::test::run(
        shell(preparation + "; exec \"$@\"", QStringList{spettroPath(), "call", tool, "-"} + WorkspaceOnly),
        options);
    CallResult result;
    result.exitCode = run.exitCode;
    result.line = run.output;
    result.errors = run.errors;
    result.json = Json::parse(run.output.constBegin(), run.output.constEnd(), nullptr, false);
    return result;
}

/// Lines of text, about `size` bytes of it; texts of other seeds have another size.
QByteArray longText(qsizetype size, int seed)
{
    QByteArray text;
    while (text.size() < size) {
        text += "line " + QByteArray::number(text.size()) + " of the text " + QByteArray::number(seed) + '\n';
    }
    return text + QByteArray(seed, '.');
}

} // namespace

class tst_CallEdit : public QObject
{
    Q_OBJECT

private slots:
    void changesOnlyThePlace_data();
    void changesOnlyThePlace();
    void refusesAnEdit_data();
    void refusesAnEdit();
    void writesExactlyTheContent_data();
    void writesExactlyTheContent();
    void keepsTheMode_data();
    void keepsTheMode();
    void leavesReadOnlyFilesAlone();
    void keepsOwnerAttributesAndAccessList();
    void givesNewFilesTheModeOfTheHost_data();
    void givesNewFilesTheModeOfTheHost();
    void givesNewFilesTheAccessListOfTheFolder();
    void showsNobodyAPrivateFile();
    void keepsItsStatePrivate();
    void writesThroughLinks();
    void leavesNothingOfARefusedWrite_data();
    void leavesNothingOfARefusedWrite();
    void keepsWhatOthersWrote_data();
    void keepsWhatOthersWrote();
    void isNotInItsOwnWay();
    void losesNoEditOfTwoSessions();
    void survivesAFullDisk();
    void survivesALimitOfFileSize();
    void leavesTheLimitSignalToCommands();
    void isOldOrNewAtEveryMoment();
    void isOldOrNewWhenKilled();
    void readsInputThatComesInPieces();
    void readsInputStrictly_data();
    void readsInputStrictly();
};

void tst_CallEdit::changesOnlyThePlace_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("oldText");
    QTest::addColumn<QByteArray>("newText");
    QTest::addColumn<QByteArray>("after");
    const auto row = [](const char *name, const QByteArray &before, const QByteArray &oldText,
                        const QByteArray &newText, const QByteArray &after) {
        QTest::newRow(name) << before << oldText << newText << after;
    };

    row("case 84, LF given, CRLF there", "one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "uno\ndos\nx\n",
        "uno\r\ndos\r\nx\r\nthree\r\n");
    row("case 84, inside a line", "one\r\nthree\r\n", "three", "3", "one\r\n3\r\n");
    row("case 84, CRLF given", "a\r\nx\r\n3\r\n", "x\r\n3\r\n", "y\r\n", "a\r\ny\r\n");
    row("case 84, CRLF given, LF there", "a\nb\nc\n", "a\r\nb\r\n", "x\r\ny\r\n", "x\ny\nc\n");
    row("case 84, lines into one", "a\r\nb\r\nc\r\n", "a\nb", "ab", "ab\r\nc\r\n");
    row("case 84, one into lines", "a\r\nb\r\nc\r\n", "b", "b1\nb2", "a\r\nb1\r\nb2\r\nc\r\n");
    row("CR only", "a\rb\rc\r", "b", "B", "a\rB\rc\r");
    row("CR only, LF given", "a\rb\rc\r", "a\nb\n", "x\ny\n", "x\ry\rc\r");
    row("A84, mixed endings", "a\r\nb\nc\r\nd\n", "b\nc", "x\ny", "a\r\nx\ny\r\nd\n");
    row("mixed, elsewhere", "a\r\nb\nc\rd\r\n", "a", "A", "A\r\nb\nc\rd\r\n");

    row("case 86, UTF-8 mark", "\xef\xbb\xbfsalt\npfeffer\n", "salt", "salz", "\xef\xbb\xbfsalz\npfeffer\n");
    row("case 86, mark and CRLF", "\xef\xbb\xbfsalt\r\nx\r\n", "salt\nx", "y\nz", "\xef\xbb\xbfy\r\nz\r\n");
    row("case 86, Latin-1", "caf\xe9 one\nsecond\n", "second", "zweite", "caf\xe9 one\nzweite\n");
    row("A84, Latin-1 and CRLF", "const x = 1;\r\n// caf\xe9\r\n", "const x = 1;", "const x = 2;",
        "const x = 2;\r\n// caf\xe9\r\n");
    row("A84, GBK", "x = 1\n# \xd6\xd0\xce\xc4\n", "x = 1", "x = 2", "x = 2\n# \xd6\xd0\xce\xc4\n");
    row("A84, UTF-16LE", "\xff\xfeh\0i\0\r\0\n\0\xe4\0\n\0"_b, "hi", "ho\xc3\xa9",
        "\xff\xfeh\0o\0\xe9\0\r\0\n\0\xe4\0\n\0"_b);
    row("A84, UTF-16BE", "\xfe\xff\0h\0i\0\n"_b, "hi", "ho", "\xfe\xff\0h\0o\0\n"_b);

    const QByteArray makefile =
        "all:\n\techo a  \n\n\t\techo b\t\nlast-no-newline \xc3\xa9 e\xcc\x81 \0 end"_b;
    row("case 92, tabs, blanks, NUL, no final newline", makefile, "echo a", "echo A",
        QByteArray(makefile).replace("echo a", "echo A"));
    row("no final newline", "a\nb", "b", "c", "a\nc");
    row("a final newline goes", "a\nb\n", "b\n", "b", "a\nb");
    row("many final newlines", "a\n\n\n", "a", "b", "b\n\n\n");
    row("decomposed letters", "e\xcc\x81 \xc3\xa9 x\n", "x", "y", "e\xcc\x81 \xc3\xa9 y\n");
    row("composed is not decomposed", "e\xcc\x81 \xc3\xa9\n", "\xc3\xa9", "E", "e\xcc\x81 E\n");
    row("a form feed and an escape", "a\f\x1b[0m\nb\n", "b", "c", "a\f\x1b[0m\nc\n");
    row("case 89, nothing is special in the new text", "a x b\n", "x", R"($1 \1 & \n $& %s)",
        "a $1 \\1 & \\n $& %s b\n");
    row("nothing is special in the old text", "a.*[b$ ^\n", ".*[b$", "x", "ax ^\n");
    row("deletion", "a\nb\nc\n", "b\n", "", "a\nc\n");
    row("the whole file", "a\nb\n", "a\nb\n", "x", "x");
    row("an emoji", "\xf0\x9f\x99\x82 a\n", "\xf0\x9f\x99\x82", "\xf0\x9f\x99\x83", "\xf0\x9f\x99\x83 a\n");
}

void tst_CallEdit::changesOnlyThePlace()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, oldText);
    QFETCH(QByteArray, newText);
    QFETCH(QByteArray, after);
    const Fixture fixture;
    writeFile(fixture.workspace("f"), before);
    const CallResult result =
        call(fixture, "file-edit", editOf("f", oldText.toStdString(), newText.toStdString()));
    QVERIFY2(result.ok() && result.exitCode == 0, describe(result));
    QCOMPARE(contentOf(fixture.workspace("f")), after);
    QCOMPARE(result.json.value("replacements", 0), 1);
    QCOMPARE(entriesOf(fixture.workspace()), QStringList{"f"});
}

void tst_CallEdit::refusesAnEdit_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QString>("edit"); // JSON without the path
    QTest::addColumn<QByteArrayList>("words");
    const auto row = [](const char *name, const QByteArray &before, const char *edit,
                        const QByteArrayList &words) {
        QTest::newRow(name) << before << QString(edit) << words;
    };
    const QByteArray twice = "east:\n  port: 81\nwest:\n  port: 81\n";
    row("case 89, twice", twice, R"("old_string":"  port: 81","new_string":"  port: 82")", {"2", "4"});
    row("case 89, not there", twice, R"("old_string":"port:  81","new_string":"x")", {"0 times"});
    row("case 89, empty", twice, R"("old_string":"","new_string":"x")", {"empty"});
    row("case 89, equal", twice, R"("old_string":"east","new_string":"east")", {});
    row("another number", twice, R"("old_string":"81","new_string":"82","expected_replacements":3)",
        {"2", "3"});
    row("the second of two", twice,
        R"("edits":[{"old_string":"east","new_string":"EAST"},{"old_string":"north","new_string":"x"}])", {});
    row("overlapping", "aaa\n", R"("old_string":"aa","new_string":"b")", {"2"});
    row("A84, not representable", "caf\xe9\n", R"("old_string":"caf","new_string":"\u00e9")", {});
    row("A84, binary", "\x7f\x45LF\0\0\0\0\xff\xff a\n"_b, R"("old_string":"a","new_string":"b")",
        {"binary"});
    row("UTF-16 cut short", "\xff\xfeh\0i\0\n"_b, R"("old_string":"hi","new_string":"ho")", {});
}

void tst_CallEdit::refusesAnEdit()
{
    QFETCH(QByteArray, before);
    QFETCH(QString, edit);
    QFETCH(QByteArrayList, words);
    const Fixture fixture;
    writeFile(fixture.workspace("f"), before);
    const QByteArray snapshot = Fixture::snapshot(fixture.workspace());
    const CallResult result =
        call(fixture, "file-edit", Json::parse(("{\"path\":\"f\"," + edit + '}').toStdString()));
    QVERIFY2(!result.ok() && result.exitCode == 1 && !result.error().isEmpty(), describe(result));
    for (const QByteArray &word : words) {
        QVERIFY2(result.error().contains(word), describe(result));
    }
    QCOMPARE(Fixture::snapshot(fixture.workspace()), snapshot);

    if (before.contains("east")) { // case 89: on request, all
        Json all = editOf("f", "  port: 81", "  port: 82");
        all["replace_all"] = true;
        const CallResult control = call(fixture, "file-edit", all);
        QVERIFY2(control.ok() && control.json.value("replacements", 0) == 2, describe(control));
        QCOMPARE(contentOf(fixture.workspace("f")), QByteArray("east:\n  port: 82\nwest:\n  port: 82\n"));
    }
}

void tst_CallEdit::writesExactlyTheContent_data() // cases 82, 84, 92
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("mixed endings") << "a\r\nb\n"_b;
    QTest::newRow("no final newline") << "no newline at end"_b;
    QTest::newRow("nothing") << ""_b;
    QTest::newRow("blanks") << " \t \n\n"_b;
    QTest::newRow("mark") << "\xef\xbb\xbfx"_b;
    QTest::newRow("control characters") << "a\x1b[31m\x01\x7f\r"_b;
    QTest::newRow("decomposed") << "e\xcc\x81 \xc3\xa9 \xf0\x9f\x99\x82"_b;
    QTest::newRow("noncharacters") << "\xef\xbf\xbf\xef\xb7\x90"_b;
    QTest::newRow("long") << longText(3'000'000, 1);
    QTest::newRow("one long line") << QByteArray(1'000'000, 'x');
}

void tst_CallEdit::writesExactlyTheContent()
{
    QFETCH(QByteArray, content);
    const Fixture fixture;
    writeFile(fixture.workspace("old"), "\xef\xbb\xbf"
                                        "crlf\r\n\xe9");
    for (const char *name : {"new", "old", "a/b/new"}) {
        const CallResult result =
            call(fixture, "file-write", {{"path", name}, {"content", content.toStdString()}});
        QVERIFY2(result.ok() && result.json.value("bytes", -1) == content.size(), describe(result).left(500));
        QVERIFY(contentOf(fixture.workspace(name)) == content);
    }
    const CallResult appended =
        call(fixture, "file-write", {{"path", "old"}, {"content", content.toStdString()}, {"append", true}});
    QVERIFY2(appended.ok() && contentOf(fixture.workspace("old")) == content + content,
             describe(appended).left(500));
}

void tst_CallEdit::keepsTheMode_data() // cases 87, A101
{
    QTest::addColumn<int>("mode");
    for (const int mode : {0755, 0600, 0644, 0666, 0777, 0700, 02664, 0620, 01644, 04755, 02755}) {
        QTest::addRow("%o", unsigned(mode)) << mode;
    }
}

void tst_CallEdit::keepsTheMode()
{
    QFETCH(int, mode);
    const Fixture fixture;
    const QString path = fixture.workspace("s");
    writeFile(path, "#!/bin/sh\necho v1\n");
    setMode(path, mode_t(mode));
    QCOMPARE(modeOf(path), mode);
    QVERIFY(call(fixture, "file-edit", editOf("s", "v1", "v2")).ok());
    QCOMPARE(contentOf(path), QByteArray("#!/bin/sh\necho v2\n"));
    QCOMPARE(modeOf(path), mode);
    QVERIFY(call(fixture, "file-write", {{"path", "s"}, {"content", "v3"}}).ok());
    QCOMPARE(modeOf(path), mode);
    QCOMPARE(contentOf(path), QByteArray("v3"));
}

void tst_CallEdit::leavesReadOnlyFilesAlone() // case 87: for root too
{
    const Fixture fixture;
    writeFile(fixture.workspace("r"), "r1\n");
    for (const mode_t mode : {0444U, 0400U, 0555U}) {
        setMode(fixture.workspace("r"), mode);
        const QByteArray before = Fixture::snapshot(fixture.workspace());
        for (const QStringList &flags : {WorkspaceOnly, Off}) {
            const CallResult result = call(fixture, "file-edit", editOf("r", "r1", "r2"), flags);
            QVERIFY2(!result.ok() && result.error().contains("Permission denied"), describe(result));
            QVERIFY(!call(fixture, "file-write", {{"path", "r"}, {"content", "x"}}, flags).ok());
        }
        QCOMPARE(Fixture::snapshot(fixture.workspace()), before);
        QCOMPARE(modeOf(fixture.workspace("r")), int(mode));
    }
    setMode(fixture.workspace("r"), 0644);
    QVERIFY(call(fixture, "file-edit", editOf("r", "r1", "r2")).ok());
}

void tst_CallEdit::keepsOwnerAttributesAndAccessList() // cases 87, A101
{
    const Fixture fixture;
    const QString path = fixture.workspace("f");
    writeFile(path, "old\n");
    constexpr const char *AccessAttribute = "system.posix_acl_access";
    QVERIFY2(setAttribute(path, "user.t", "va\0lue"_b) && setAttribute(path, "user.empty", ""),
             "needs a file system with extended attributes below $HOME");
    QVERIFY2(setAttribute(path, AccessAttribute, accessList()),
             "needs a file system with access control lists below $HOME");
    if (isRoot()) {
        QCOMPARE(::chown(QFile::encodeName(path).constData(), 4711, 4712), 0);
    }
    const int mode = modeOf(path);

    const CallResult result = call(fixture, "file-edit", editOf("f", "old", "new"));
    QVERIFY2(result.ok(), describe(result));
    QCOMPARE(contentOf(path), QByteArray("new\n"));
    QCOMPARE(attributeOf(path, "user.t"), "va\0lue"_b);
    QVERIFY(::getxattr(QFile::encodeName(path).constData(), "user.empty", nullptr, 0) == 0);
    QCOMPARE(attributeOf(path, AccessAttribute), accessList());
    QCOMPARE(modeOf(path), mode);
    struct stat status;
    QCOMPARE(::stat(QFile::encodeName(path).constData(), &status), 0);
    QCOMPARE(status.st_uid, isRoot() ? 4711U : ::getuid());
    QCOMPARE(status.st_gid, isRoot() ? 4712U : ::getgid());
}

void tst_CallEdit::givesNewFilesTheModeOfTheHost_data() // cases 87, A101
{
    QTest::addColumn<QString>("mask");
    for (const char *mask : {"022", "002", "077", "000", "027"}) {
        QTest::newRow(mask) << QString(mask);
    }
}

void tst_CallEdit::givesNewFilesTheModeOfTheHost()
{
    QFETCH(QString, mask);
    const Fixture fixture;
    for (const char *folder : {"plain", "shared"}) {
        QDir(fixture.workspace()).mkdir(folder);
    }
    setMode(fixture.workspace("shared"), 02775); // the group and this bit go on to what is made in it
    for (const std::string folder : {"plain", "shared"}) {
        const QString base = fixture.workspace(QString::fromStdString(folder)) + '/';
        QCOMPARE(run(shell("umask $1; mkdir \"$2host\"; echo > \"$2host/f\"", {mask, base})).exitCode, 0);
        const CallResult result = callBehind(fixture, "umask " + mask, "file-write",
                                             {{"path", folder + "/new/f"}, {"content", "x"}});
        QVERIFY2(result.ok(), describe(result));
        QCOMPARE(modeOf(base + "new"), modeOf(base + "host"));
        QCOMPARE(modeOf(base + "new/f"), modeOf(base + "host/f"));
    }
}

void tst_CallEdit::givesNewFilesTheAccessListOfTheFolder()
{
    const Fixture fixture;
    writeFile(fixture.workspace("old"), "old\n"); // made before, and without a list
    QVERIFY2(setAttribute(fixture.workspace(), "system.posix_acl_default", accessList()),
             "needs a file system with access control lists below $HOME");
    writeFile(fixture.workspace("host"), "x");
    QVERIFY(call(fixture, "file-write", {{"path", "new"}, {"content", "x"}}).ok());
    const char *attribute = "system.posix_acl_access";
    QVERIFY(!attributeOf(fixture.workspace("host"), attribute).isEmpty());
    QCOMPARE(attributeOf(fixture.workspace("new"), attribute),
             attributeOf(fixture.workspace("host"), attribute));
    QCOMPARE(modeOf(fixture.workspace("new")), modeOf(fixture.workspace("host")));

    const int mode = modeOf(fixture.workspace("old"));
    QVERIFY(call(fixture, "file-edit", editOf("old", "old", "new")).ok());
    QVERIFY2(attributeOf(fixture.workspace("old"), attribute).isEmpty(), "an edit gives no list");
    QCOMPARE(modeOf(fixture.workspace("old")), mode);
}

void tst_CallEdit::showsNobodyAPrivateFile() // case 87: no copy that is more open than the file
{
    const Fixture fixture;
    writeFile(fixture.workspace("k"), "k1\n");
    setMode(fixture.workspace("k"), 0600);
    std::atomic_bool isOver = false;
    std::atomic_int openCopies = 0;
    std::atomic_int looks = 0;
    std::thread watcher([&] {
        while (!isOver) {
            for (const QString &name : entriesOf(fixture.workspace())) {
                const int mode = modeOf(fixture.workspace(name));
                openCopies += mode >= 0 && (mode & 077) != 0;
            }
            ++looks;
        }
    });
    {
        CallSession session(fixture, WorkspaceOnly);
        for (int i = 0; i < 200; ++i) {
            session.call("file-write", {{"path", "k"}, {"content", "k" + std::to_string(i)}});
        }
    }
    isOver = true;
    watcher.join();
    QCOMPARE(contentOf(fixture.workspace("k")), QByteArray("k199"));
    QCOMPARE(openCopies.load(), 0);
    QVERIFY(looks > 10);
}

void tst_CallEdit::keepsItsStatePrivate() // A101
{
    const Fixture fixture;
    const QString home = fixture.folder() + "/home";
    QVERIFY(QDir().mkdir(home));
    const CallResult result = callBehind(fixture, "umask 000; export HOME=\"$PWD/../home\"", "file-write",
                                         {{"path", "f"}, {"content", "x"}});
    QVERIFY2(result.ok(), describe(result));
    QCOMPARE(modeOf(home + "/.spettro"), 0700);
    QCOMPARE(modeOf(home + "/.spettro/outputs"), 0700);
}

void tst_CallEdit::writesThroughLinks() // case 88
{
    const Fixture fixture;
    QDir(fixture.workspace()).mkdir("sub");
    writeFile(fixture.workspace("sub/real.md"), "world\n");
    QFile::link("sub/real.md", fixture.workspace("link.md"));
    QFile::link("link.md", fixture.workspace("link2.md"));
    QFile::link(fixture.workspace("sub/real.md"), fixture.workspace("abs.md"));
    QFile::link("sub/new.md", fixture.workspace("dang.md"));
    QFile::link("sub", fixture.workspace("folder"));

    QVERIFY(call(fixture, "file-edit", editOf("link.md", "world", "there")).ok());
    QCOMPARE(contentOf(fixture.workspace("sub/real.md")), QByteArray("there\n"));
    QVERIFY(call(fixture, "file-edit", editOf("link2.md", "there", "again")).ok());
    QCOMPARE(contentOf(fixture.workspace("sub/real.md")), QByteArray("again\n"));
    QVERIFY(call(fixture, "file-write", {{"path", "abs.md"}, {"content", "third\n"}}).ok());
    QCOMPARE(contentOf(fixture.workspace("sub/real.md")), QByteArray("third\n"));
    QVERIFY(call(fixture, "file-edit", editOf("folder/real.md", "third", "fourth")).ok());
    QCOMPARE(contentOf(fixture.workspace("sub/real.md")), QByteArray("fourth\n"));
    QCOMPARE(entriesOf(fixture.workspace("sub")), QStringList{"real.md"});

    QVERIFY(call(fixture, "file-write", {{"path", "dang.md"}, {"content", "new"}}).ok());
    QCOMPARE(contentOf(fixture.workspace("sub/new.md")), QByteArray("new"));
    for (const char *name : {"link.md", "link2.md", "abs.md", "dang.md", "folder"}) {
        QVERIFY2(isLink(fixture.workspace(name)), name);
    }
}

void tst_CallEdit::leavesNothingOfARefusedWrite_data() // case 93
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char *name, const QString &path, const char *reason) {
        QTest::newRow(name) << path << QByteArray(reason);
    };
    row("outside", "@O/n1/n2/f", "Permission denied");
    row("below a file", "file/x", "Not a directory");
    row("folders below a file", "file/x/y", "Not a directory");
    row("a folder", "adir", "Is a directory");
    row("the workspace", ".", "Is a directory");
    row("no name", "new/", "Is a directory");
    row("long name", QString(300, 'a'), "File name too long");
    row("long name in a new folder", "new/folders/" + QString(300, 'a'), "File name too long");
    row("long folder in a new folder", "new/" + QString(300, 'a') + "/f", "File name too long");
    row("long path", QString("aaaaaaaaa/").repeated(500) + "f", "File name too long");
    row("empty", "", "No such file or directory");
    row("fifo", "fifo", "fifo");
    row("socket", "socket", "socket");
    row("device", "/dev/null", "/dev/null");
    row("device, by a link", "null-link", "null-link");
    if (!isRoot()) { // whom modes do not stop
        row("folder without write permission", "ro/f", "Permission denied");
        row("new folders there", "ro/a/b/f", "Permission denied");
    }
}

void tst_CallEdit::leavesNothingOfARefusedWrite()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, reason);
    const Fixture fixture;
    writeFile(fixture.workspace("file"), "file\n");
    QDir(fixture.workspace()).mkdir("adir");
    QDir(fixture.workspace()).mkdir("ro");
    QFile::link("/dev/null", fixture.workspace("null-link"));
    setMode(fixture.workspace("ro"), 0555);
    QCOMPARE(::mkfifo(QFile::encodeName(fixture.workspace("fifo")).constData(), 0600), 0);
    const RunResult bound =
        run({"/usr/bin/env", "python3", "-c",
             "import os,socket,sys; os.chdir(sys.argv[1]); socket.socket(1).bind('socket')",
             fixture.workspace()});
    QVERIFY2(bound.exitCode == 0, "needs python3 (Debian package python3)");
    const QByteArray before = Fixture::snapshot(fixture.folder());
    QVERIFY(before.contains("socket"));

    path.replace("@O", fixture.outside());
    for (const QStringList &flags :
         {WorkspaceOnly, path.startsWith(fixture.outside()) ? WorkspaceOnly : Off}) {
        for (const char *tool : {"file-write", "file-edit"}) {
            const Json input = tool == "file-write"s ? Json{{"path", path.toStdString()}, {"content", "x"}}
                                                     : editOf(path.toStdString(), "file", "x");
            const CallResult result = call(fixture, tool, input, flags);
            QVERIFY2(result.exitCode == 1 && !result.ok(), describe(result));
            if (tool == "file-write"s) { // the other may say first that there is no such file
                QVERIFY2(result.error().contains(reason), describe(result));
            }
            QCOMPARE(Fixture::snapshot(fixture.folder()), before);
        }
    }
    struct stat status;
    QVERIFY(::stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
}

void tst_CallEdit::keepsWhatOthersWrote_data() // A85
{
    QTest::addColumn<QString>("script"); // of the host, in the workspace, between reading and writing
    QTest::addColumn<bool>("isRefused");
    const auto row = [](const char *name, const char *script, bool isRefused) {
        QTest::newRow(name) << QString(script) << isRefused;
    };
    row("appended", "echo user >> a", true);
    row("same size", "printf 'ANE\\ntwo\\n' > a", true);
    row("same size and time", "cp -p a ../r; printf 'ANE\\ntwo\\n' > a; touch -r ../r a", true);
    row("replaced as editors do", "printf 'one\\ntwo\\nuser\\n' > ../b; mv ../b a", true);
    row("emptied", ": > a", true);
    row("touched", "touch a", false);
    row("same content again", "printf 'one\\ntwo\\n' > a", false);
    row("another inode, same content", "cp a ../b; mv ../b a", false);
    row("mode", "chmod 600 a", false);
    row("nothing", ":", false);
}

void tst_CallEdit::keepsWhatOthersWrote()
{
    QFETCH(QString, script);
    QFETCH(bool, isRefused);
    for (const char *seenBy : {"file-read", "file-write", "file-edit"}) {
        for (const char *tool : {"file-write", "file-edit", "append"}) {
            const Fixture fixture;
            const QString path = fixture.workspace("a");
            writeFile(path, seenBy == "file-edit"s ? "eins\ntwo\n" : "one\ntwo\n");
            CallSession session(fixture);
            const Json seeing = seenBy == "file-read"s    ? Json{{"path", "a"}}
                                : seenBy == "file-write"s ? Json{{"path", "a"}, {"content", "one\ntwo\n"}}
                                                          : editOf("./a", "eins", "one");
            QVERIFY(session.call(seenBy, seeing).ok());
            RunOptions options;
            options.folder = fixture.workspace();
            QCOMPARE(run(shell(script), options).exitCode, 0);
            const QByteArray before = contentOf(path);

            Json input =
                tool == "file-edit"s ? editOf("a", "two", "three") : Json{{"path", "a"}, {"content", "x"}};
            if (tool == "append"s) {
                input["append"] = true;
            }
            const char *name = tool == "append"s ? "file-write" : tool;
            const CallResult result = session.call(name, input);
            QVERIFY2(result.ok() != isRefused, seenBy + (", " + QByteArray(tool)) + ": " + describe(result));
            QCOMPARE(contentOf(path) == before, isRefused);
            if (isRefused) { // once it has been read, it goes
                QVERIFY2(result.error().contains("read it again"), describe(result));
                QVERIFY(session.call("file-read", {{"path", "a"}}).ok());
                const CallResult again = session.call("file-write", {{"path", "a"}, {"content", "mine"}});
                QVERIFY2(again.ok() && contentOf(path) == "mine", describe(again));
            }
        }
    }
}

void tst_CallEdit::isNotInItsOwnWay() // A85
{
    const Fixture fixture;
    CallSession session(fixture);
    for (const char *content : {"one\ntwo\n", "eins\nzwei\n"}) {
        QVERIFY(session.call("file-write", {{"path", "a"}, {"content", content}}).ok());
    }
    const Json first = {{"tool", "file-edit"}, {"input", editOf("a", "eins", "uno")}};
    const Json second = {{"tool", "file-edit"}, {"input", editOf("./a", "zwei", "due")}};
    const CallResult one = session.sendLine(QByteArray::fromStdString(first.dump() + '\n' + second.dump()));
    QVERIFY2(one.ok(), describe(one));
    QVERIFY(session.call("file-edit", editOf("a", "uno\ndue", "1\n2")).ok()); // the answer to the second
    QTRY_COMPARE(contentOf(fixture.workspace("a")), QByteArray("1\n2\n"));
}

void tst_CallEdit::losesNoEditOfTwoSessions() // A85: the file changes between check and rename
{
    constexpr int Edits = 150;
    const Fixture fixture;
    const QString path = fixture.workspace("a");
    writeFile(path, "end\n");
    std::array<QByteArrayList, 2> done;
    const auto work = [&](int number) {
        CallSession session(fixture, number == 0 ? WorkspaceOnly : Off);
        for (int i = 0; i < Edits; ++i) {
            const QByteArray line = QByteArray::number(number) + '-' + QByteArray::number(i) + '\n';
            session.call("file-read", {{"path", "a"}});
            if (session.call("file-edit", editOf("a", "end\n", (line + "end\n").toStdString())).ok()) {
                done.at(std::size_t(number)) << line;
            }
        }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    const QByteArray content = contentOf(path);
    for (const QByteArrayList &lines : done) {
        QVERIFY2(lines.size() > Edits / 10, "both got through");
        for (const QByteArray &line : lines) {
            QVERIFY2(content.contains(line), line + "was reported as written and is lost");
        }
    }
    QCOMPARE(content.count('\n'), done[0].size() + done[1].size() + 1);
    QCOMPARE(entriesOf(fixture.workspace()), QStringList{"a"});
}

void tst_CallEdit::survivesAFullDisk() // cases 91, 93
{
    const Fixture fixture;
    const QStringList asMounter = isRoot() ? QStringList{"unshare", "-m"} : QStringList{"unshare", "-Urm"};
    const RunResult trial =
        run(asMounter + shell("mount -t tmpfs -o size=64k t \"$1\"", {fixture.outside()}));
    if (trial.exitCode != 0) {
        QSKIP("this user may not mount a file system of its own here: " + trial.errors);
    }
    const std::string large = longText(300'000, 1).toStdString();
    const QList<QPair<QByteArray, Json>> calls{
        {"file-write", {{"path", "f"}, {"content", large}}},
        {"file-write", {{"path", "f"}, {"content", large}, {"append", true}}},
        {"file-edit", editOf("f", "1\n2\n", large)},
        {"file-write", {{"path", "new/folder/g"}, {"content", large}}},
    };
    // The workspace is the small file system, which exists for this script alone: it says what is in there.
    const QString script =
        "mount -t tmpfs -o size=$2 t \"$1\" && cd \"$1\" && seq 1 2000 > f && seq 1 2000 > ../ref || exit 99;"
        "\"$3\" call $4 - --sandbox $5; echo \"rc=$?\"; cmp f ../ref && echo SAME; ls -A";
    for (const char *mode : {"workspace-write", "off"}) {
        for (const auto &[tool, input] : calls) {
            RunOptions options;
            options.input = QByteArray::fromStdString(input.dump());
            const auto onDiskOf = [&, name = tool](const char *size) {
                return run(asMounter + shell(script, {fixture.workspace(), size, spettroPath(), name, mode}),
                           options);
            };
            const RunResult result = onDiskOf("128k");
            QVERIFY2(result.output.contains("No space left on device"), describe(result).left(1000));
            QVERIFY2(result.output.endsWith("}\nrc=1\nSAME\nf\n"), describe(result).left(1000));
            const RunResult control = onDiskOf("8m");
            QVERIFY2(control.output.contains("\nrc=0\n"), describe(control).left(1000));
        }
    }
}

void tst_CallEdit::survivesALimitOfFileSize() // cases 91, 93
{
    if (IsSanitized) {
        QSKIP("a sanitized Spettro is so large that writing files above its size takes minutes");
    }
    // Below the size of its own program Spettro starts nothing, which is no matter of the file tools.
    const qint64 limit = (QFileInfo(spettroPath()).size() / 1'000'000 + 2) * 1'000'000;
    const QString limited = "ulimit -f " + QString::number(limit / 512);
    const Fixture fixture;
    const QByteArray old = longText(5000, 2);
    const std::string large = longText(limit, 1).toStdString();
    writeFile(fixture.workspace("f"), old);
    const QByteArray before = Fixture::snapshot(fixture.workspace());
    const QList<QPair<const char *, Json>> calls{
        {"file-write", {{"path", "new/folder/g"}, {"content", large}}},
        {"file-edit", editOf("f", "line 0 of", large)},
        {"file-write", {{"path", "f"}, {"content", large}}},
    };
    for (const auto &[tool, input] : calls) {
        const CallResult result = callBehind(fixture, limited, tool, input);
        QVERIFY2(result.exitCode == 1 && result.error().contains("File too large"),
                 describe(result).left(1000));
        QCOMPARE(Fixture::snapshot(fixture.workspace()), before);
    }
    const CallResult small = callBehind(fixture, limited, "file-write", {{"path", "s"}, {"content", "x"}});
    QVERIFY2(small.ok(), describe(small));
    for (const auto &[tool, input] : calls) {
        const CallResult control = call(fixture, tool, input);
        QVERIFY2(control.ok(), describe(control).left(1000));
    }
}

void tst_CallEdit::leavesTheLimitSignalToCommands() // case 91: what Spettro does for itself is not inherited
{
    const Fixture fixture;
    const QString command = "ulimit -f 100; head -c 300000 /dev/zero > big; echo \"rc=$?\"";
    const RunResult control = fixture.control({"/bin/bash", "-c", command});
    const CallResult result = call(fixture, "bash", {{"command", command.toStdString()}});
    QVERIFY2(control.output.contains("rc=153"), describe(control));
    QVERIFY2(result.output().contains("rc=153"), describe(result));
}

void tst_CallEdit::isOldOrNewAtEveryMoment() // case 91
{
    const Fixture fixture;
    const QString path = fixture.workspace("f");
    const std::array<QByteArray, 2> texts{longText(500'000, 1), longText(400'000, 2)};
    writeFile(path, texts[0]);
    std::atomic_bool isOver = false;
    std::atomic_int others = 0;
    std::atomic_int looks = 0;
    std::thread watcher([&] {
        while (!isOver) {
            const QByteArray content = contentOf(path); // null where the name is gone for a moment
            others += content != texts[0] && content != texts[1];
            ++looks;
        }
    });
    {
        CallSession session(fixture);
        for (std::size_t i = 1; i <= 60; ++i) {
            session.call("file-write", {{"path", "f"}, {"content", texts.at(i % 2).toStdString()}});
        }
    }
    isOver = true;
    watcher.join();
    QCOMPARE(others.load(), 0);
    QVERIFY(looks > 60);
    QVERIFY(contentOf(path) == texts[0]);
    QCOMPARE(entriesOf(fixture.workspace()), QStringList{"f"});
}

void tst_CallEdit::isOldOrNewWhenKilled() // case 91
{
    constexpr int Kills = IsSanitized ? 15 : 60;
    const Fixture fixture;
    const QString path = fixture.workspace("f");
    const QByteArray body = longText(20'000'000, 1);
    const std::array<QByteArray, 2> texts{"mark A\n" + body, "a longer mark B\n" + body};
    const auto start = [&](std::size_t text) {
        const Json input =
            text == 0 ? editOf("f", "a longer mark B", "mark A") : editOf("f", "mark A", "a longer mark B");
        auto process = std::make_unique<QProcess>();
        process->setWorkingDirectory(fixture.workspace());
        process->setStandardOutputFile(QProcess::nullDevice());
        process->start(spettroPath(), QStringList{"call", "file-edit", QString::fromStdString(input.dump())}
                                          + WorkspaceOnly);
        return process;
    };
    // The kills come before the replacement and a little later: what follows is only the report.
    writeFile(path, texts[1]);
    const ino_t before = inodeOf(path);
    QElapsedTimer timer;
    timer.start();
    const auto first = start(0);
    while (first->state() != QProcess::NotRunning && inodeOf(path) == before) {
        first->waitForFinished(5);
    }
    const qint64 duration = timer.nsecsElapsed() / 800; // microseconds, and a quarter more
    QVERIFY(first->state() == QProcess::NotRunning || first->waitForFinished());
    QVERIFY(contentOf(path) == texts[0]);

    QRandomGenerator random(91);
    std::size_t current = 0;
    int replaced = 0;
    for (int i = 0; i < Kills; ++i) {
        const auto process = start(1 - current);
        QThread::usleep(static_cast<unsigned long>(random.bounded(duration)));
        process->kill();
        process->waitForFinished();
        const QByteArray content = contentOf(path);
        QVERIFY2(content == texts[0] || content == texts[1], "neither the old content nor the new one");
        replaced += content != texts.at(current);
        current = content == texts[0] ? 0 : 1;
        for (const QString &name : entriesOf(fixture.workspace())) {
            // tools/README.md: a hidden file may be left, and is whole.
            const QByteArray left = contentOf(fixture.workspace(name));
            QVERIFY2(name == "f" || (name.startsWith(".spettro-") && (left == texts[0] || left == texts[1])),
                     qPrintable(name));
        }
    }
    const qsizetype leftBehind = entriesOf(fixture.workspace()).size() - 1;
    qInfo("%d of %d calls were killed behind the replacement, %d files left", replaced, Kills,
          int(leftBehind));
    QVERIFY2(replaced < Kills, "some were killed in time");
    QVERIFY2(leftBehind <= Kills / 10,
             "files are left in a moment of the replacement, not in all of the work");
}

void tst_CallEdit::readsInputThatComesInPieces()
{
    const Fixture fixture;
    const QByteArray content = longText(200'000, 1);
    const Json input = {{"path", "f"}, {"content", content.toStdString()}};
    writeFile(fixture.outside("input"), QByteArray::fromStdString(input.dump()));
    const RunResult result = run(
        shell("cd \"$1\"; i=../outside/input; shift; (head -c 99 $i; sleep 0.5; tail -c +100 $i) | \"$@\"",
              QStringList{fixture.workspace(), spettroPath(), "call", "file-write", "-"} + WorkspaceOnly));
    QVERIFY2(result.exitCode == 0, describe(result).left(1000));
    QVERIFY(contentOf(fixture.workspace("f")) == content);
}

void tst_CallEdit::readsInputStrictly_data()
{
    QTest::addColumn<QByteArray>("tool");
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char *tool, const QByteArray &input, const char *named) {
        QTest::newRow((QByteArray(tool) + ' ' + input.left(90)).toPercentEncoding(" {}[]\":,'="))
            << QByteArray(tool) << input << QByteArray(named);
    };
    row("file-write", R"({"path":"f","content":"x","mode":"0777"})", "'mode'");
    row("file-write", R"({"path":"f","contents":"x"})", "'content'");
    row("file-write", R"({"content":"x"})", "'path'");
    row("file-write", R"({"path":"f"})", "'content'");
    row("file-write", R"({"Path":"f","content":"x"})", "'path'");
    row("file-write", R"({"path":5,"content":"x"})", "'path'");
    row("file-write", R"({"path":["f"],"content":"x"})", "'path'");
    row("file-write", R"({"path":null,"content":"x"})", "'path'");
    row("file-write", R"({"path":"f","content":null})", "'content'");
    row("file-write", R"({"path":"f","content":{"a":1}})", "'content'");
    row("file-write", R"({"path":"f","content":"x","append":"true"})", "'append'");
    row("file-write", R"({"path":"f","content":"x","append":1})", "'append'");
    row("file-write", R"({"path":"f","path":"g","content":"x"})", "'path'");
    row("file-write", R"({"path":"f","content":"x","content":"x"})", "'content'");
    row("file-write", R"({"path":"f","\u0070ath":"g","content":"x"})", "'path'");
    row("file-write", R"({"path":"ok.txt\u0000../x","content":"x"})", "'path'"); // case 82
    row("file-write", R"({"path":"f\u0000","content":"x"})", "'path'");
    row("file-write", R"({"path":"\ud800","content":"x"})", "");
    row("file-write", R"({"path":"f","content":"a\udc00b"})", "");
    row("file-write", "{\"path\":\"f\",\"content\":\"\xff\"}", "");
    row("file-write", "{\"path\":\"f\",\"content\":\"\xed\xa0\x80\"}", "");
    row("file-write", "{\"path\":\"f\",\"content\":\"a\nb\"}", "");
    row("file-write", R"([{"path":"f","content":"x"}])", "");
    row("file-write", R"("f")", "");
    row("file-write", R"({"path":"f","content":"x"} x)", "");
    row("file-write", R"({"path":"f","content":"x"}{})", "");
    row("file-write", R"({"path":"f","content":"x",})", "");
    row("file-write", R"({'path':'f','content':'x'})", "");
    row("file-write", R"({"path":"f","content":"x"/**/})", "");
    row("file-write", R"({"path":"f","content":"x")", "");
    row("file-write", "", "");
    row("file-write", "null", "");
    row("file-write", "{}", "'path'");
    row("file-write", R"({"path":"f","content":)" + QByteArray("[").repeated(100'000), "");
    row("file-edit", R"({"path":"old","old_string":"old"})", "'new_string'");
    row("file-edit", R"({"path":"old","new_string":"x"})", "'old_string'");
    row("file-edit", R"({"path":"old"})", "'old_string'");
    row("file-edit", R"({"path":"old","old_string":"old","new_string":"x","replaceAll":true})",
        "'replaceAll'");
    row("file-edit", R"({"path":"old","old_string":"old","new_string":"x","replace_all":"yes"})",
        "'replace_all'");
    row("file-edit", R"({"path":"old","old_string":"old","new_string":"x","expected_replacements":0})",
        "'expected_replacements'");
    row("file-edit", R"({"path":"old","old_string":"old","new_string":"x","expected_replacements":1.0})",
        "'expected_replacements'");
    row("file-edit",
        R"({"path":"old","old_string":"old","new_string":"x","expected_replacements":99999999999})",
        "'expected_replacements'");
    row("file-edit", R"({"path":"old","edits":[]})", "'edits'");
    row("file-edit", R"({"path":"old","edits":{}})", "'edits'");
    row("file-edit", R"({"path":"old","edits":["old"]})", "'edits'");
    row("file-edit", R"({"path":"old","edits":[{"old_string":"old"}]})", "'new_string'");
    row("file-edit", R"({"path":"old","edits":[{"old_string":"old","new_string":"x","path":"f"}]})",
        "'path'");
    row("file-edit", R"({"path":"old","edits":[{"old_string":"old","new_string":"x"}],"old_string":"old"})",
        "'edits'");
    row("file-read", R"({"path":"old","offset":0})", "'offset'");
    row("file-read", R"({"path":"old","offset":"1"})", "'offset'");
    row("file-read", R"({"path":"old","limit":-1})", "'limit'");
    row("file-read", R"({"path":"old","limit":18446744073709551616})", "'limit'");
    row("file-reed", R"({"path":"old"})", "'file-reed'");
    row("FILE-READ", R"({"path":"old"})", "'FILE-READ'");
}

void tst_CallEdit::readsInputStrictly()
{
    QFETCH(QByteArray, tool);
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, named);
    const Fixture fixture;
    writeFile(fixture.workspace("old"), "old\n");
    const QByteArray before = Fixture::snapshot(fixture.workspace());
    RunOptions options;
    options.folder = fixture.workspace();
    options.input = input;
    const RunResult result =
        run(QStringList{spettroPath(), "call", QString(tool), "-"} + WorkspaceOnly, options);
    const Json json = Json::parse(result.output.constBegin(), result.output.constEnd(), nullptr, false);
    QVERIFY2(result.exitCode == 1 && json.is_object() && json.value("ok", true) == false, describe(result));
    const QByteArray error = QByteArray::fromStdString(json.value("error", std::string()));
    QVERIFY2(!error.isEmpty() && error.contains(named), describe(result));
    QCOMPARE(Fixture::snapshot(fixture.workspace()), before);
}

QTEST_GUILESS_MAIN(tst_CallEdit)
#include "tst_call_edit.moc"
