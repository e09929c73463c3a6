// The policy as a value: spellings of modes, networks and paths, and how flags and manifest are merged.

#include "sandbox/policy/Policy.h"
#include "sandbox/policy/Text.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using namespace spettro::sandbox;
using namespace std::string_view_literals;

namespace {

constexpr unsigned Seed = 20261130;

std::string randomBytes(std::mt19937 &random, std::size_t maximum)
{
    std::string bytes(random() % (maximum + 1), '\0');
    for (char &byte : bytes)
        byte = static_cast<char>(random() % 256);
    return bytes;
}

/// Text from the alphabet of the parsers, so that the fuzzing gets past the first character.
std::string randomFrom(std::mt19937 &random, std::string_view alphabet, std::size_t maximum)
{
    std::string text(random() % (maximum + 1), '\0');
    for (char &character : text)
        character = alphabet[random() % alphabet.size()];
    return text;
}

Sourced<std::string> sourced(std::string value, std::string place)
{
    return {std::move(value), {Origin::Kind::Flag, std::move(place)}};
}

} // namespace

class tst_Policy : public QObject
{
    Q_OBJECT

private slots:
    void parsesModes_data();
    void parsesModes();
    void refusesOtherModes_data();
    void refusesOtherModes();
    void parsesNetworks_data();
    void parsesNetworks();
    void refusesOtherNetworks_data();
    void refusesOtherNetworks();
    void errorsListWhatIsAllowed();
    void parsesVariableNames();
    void makesPathsAbsolute_data();
    void makesPathsAbsolute();
    void refusesPaths_data();
    void refusesPaths();
    void mergesKeyByKey();
    void explicitOffBeatsManifest();
    void unitesLists();
    void defaultIsUnconfined();
    void namesOrigins();
    void escapesText_data();
    void escapesText();
    void quotesForShell_data();
    void quotesForShell();
    void escapingIsOneToOne();
    void fuzz();
};

void tst_Policy::parsesModes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("mode");
    QTest::addColumn<QByteArray>("canonical");
    QTest::newRow("off") << QByteArray("off") << int(FileSystemMode::Off) << QByteArray("off");
    QTest::newRow("full-access") << QByteArray("full-access") << int(FileSystemMode::Off)
                                 << QByteArray("off");
    QTest::newRow("workspace-write") << QByteArray("workspace-write") << int(FileSystemMode::WorkspaceWrite)
                                     << QByteArray("workspace-write");
    QTest::newRow("read-only") << QByteArray("read-only") << int(FileSystemMode::ReadOnly)
                               << QByteArray("read-only");
}

void tst_Policy::parsesModes()
{
    QFETCH(QByteArray, text);
    QFETCH(int, mode);
    QFETCH(QByteArray, canonical);
    const Result<FileSystemMode> parsed = parseFileSystemMode(text.toStdString());
    QVERIFY(parsed);
    QCOMPARE(int(parsed.value()), mode);
    QCOMPARE(std::string(toText(parsed.value())), canonical.toStdString());
}

void tst_Policy::refusesOtherModes_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "Off", "OFF", " off", "off ", "offf", "workspace_write", "workspace",
                             "readonly", "danger-full-access", "true", "0"})
        QTest::newRow(text) << QByteArray(text);
    QTest::newRow("NUL") << QByteArray("off\0", 4);
}

void tst_Policy::refusesOtherModes()
{
    QFETCH(QByteArray, text);
    const Result<FileSystemMode> parsed = parseFileSystemMode(text.toStdString());
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().kind, ErrorKind::Usage);
}

void tst_Policy::parsesNetworks_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("canonical");
    for (const char *text :
         {"all", "localhost", "none", "ports:443", "ports:1", "ports:65535", "ports:80,443"})
        QTest::newRow(text) << QByteArray(text) << QByteArray(text);
    QTest::newRow("sorted") << QByteArray("ports:8080,443") << QByteArray("ports:443,8080");
    QTest::newRow("merged") << QByteArray("ports:443,80,443,80") << QByteArray("ports:80,443");
    QTest::newRow("by number") << QByteArray("ports:1000,9") << QByteArray("ports:9,1000");
}

void tst_Policy::parsesNetworks()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, canonical);
    const Result<Network> parsed = parseNetwork(text.toStdString());
    QVERIFY(parsed);
    QCOMPARE(toText(parsed.value()), canonical.toStdString());
    QCOMPARE(parsed->ports.empty(), parsed->mode != NetworkMode::Ports);
}

void tst_Policy::refusesOtherNetworks_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"",
                             "ALL",
                             "local",
                             "lo",
                             "loopback",
                             "ports",
                             "ports:",
                             "Ports:443",
                             "ports :443",
                             "ports:0",
                             "ports:65536",
                             "ports:99999",
                             "ports:100000",
                             "ports:4294967739",
                             "ports:18446744073709551617",
                             "ports:,",
                             "ports:443,",
                             "ports:,443",
                             "ports:443,,80",
                             "ports:+443",
                             "ports:-1",
                             "ports:443 ",
                             "ports: 443",
                             "ports:443, 80",
                             "ports:443;80",
                             "ports:0443",
                             "ports:0x50",
                             "ports:80-90",
                             "ports:4e2",
                             "ports:http",
                             "443",
                             "none,ports:443",
                             "ports:443\n"})
        QTest::newRow(text) << QByteArray(text);
    QTest::newRow("NUL") << QByteArray("ports:443\0", 10);
    QTest::newRow("other digits") << QByteArray("ports:\xD9\xA4\xD9\xA4\xD9\xA3");
}

void tst_Policy::refusesOtherNetworks()
{
    QFETCH(QByteArray, text);
    const Result<Network> parsed = parseNetwork(text.toStdString());
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().kind, ErrorKind::Usage);
}

void tst_Policy::errorsListWhatIsAllowed()
{
    const std::string mode = parseFileSystemMode("rw").error().message;
    for (const char *word : {"'rw'", "off", "full-access", "workspace-write", "read-only"})
        QVERIFY2(mode.find(word) != std::string::npos, word);
    const std::string network = parseNetwork("lan").error().message;
    for (const char *word : {"'lan'", "all", "localhost", "none", "ports:443,8080"})
        QVERIFY2(network.find(word) != std::string::npos, word);
    const std::string port = parseNetwork("ports:443,65536").error().message;
    for (const char *word : {"'65536'", "1 to 65535"})
        QVERIFY2(port.find(word) != std::string::npos, word);
    // A terminal must not obey what somebody put into a manifest, nor scroll for pages.
    const std::string hostile = parseNetwork("\033[2J" + std::string(5000, 'x')).error().message;
    QVERIFY(hostile.find('\033') == std::string::npos);
    QVERIFY(hostile.size() < 400);
}

void tst_Policy::parsesVariableNames()
{
    for (const char *name : {"A", "_", "a1", "npm_config_cache", "OPENAI_API_KEY"})
        QCOMPARE(parseVariableName(name).value(), std::string(name));
    for (const char *name : {"", "1A", "A-B", "A*", "*", "A B", "A=B", " A", "\xC3\xA4"})
        QVERIFY2(!parseVariableName(name), name);
    QVERIFY(!parseVariableName(std::string_view("A\0", 2)));
}

void tst_Policy::makesPathsAbsolute_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("path");
    const auto row = [](const char *text, const char *path) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(path);
    };
    row("/srv", "/srv");
    row("/", "/");
    row("//srv///data/", "/srv/data");
    row("/srv/./data/.", "/srv/data");
    row("/srv/../etc", "/srv/../etc"); // what `..` means is for the kernel to say
    row("cache", "/base/cache");
    row("./cache", "/base/cache");
    row("../cache", "/base/../cache");
    row(".", "/base");
    row("..", "/base/..");
    row("~", "/home/u");
    row("~/", "/home/u");
    row("~/x/y", "/home/u/x/y");
    row("~/..", "/home/u/..");
    row("./~", "/base/~");
    row("a/~/b", "/base/a/~/b");
    row("a b\n", "/base/a b\n");
    row("$HOME/x", "/base/$HOME/x");
    row(".hidden", "/base/.hidden");
    row("...", "/base/...");
    row("\xFF\xFE", "/base/\xFF\xFE");
}

void tst_Policy::makesPathsAbsolute()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, path);
    const Result<std::string> absolute = absolutePath(text.toStdString(), "/base", "/home/u");
    QVERIFY(absolute);
    QCOMPARE(absolute.value(), path.toStdString());
}

void tst_Policy::refusesPaths_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("base");
    QTest::addColumn<QByteArray>("home");
    const QByteArray base("/base");
    const QByteArray home("/home/u");
    QTest::newRow("empty") << QByteArray("") << base << home;
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << base << home;
    QTest::newRow("NUL at the end") << QByteArray("/a\0", 3) << base << home;
    QTest::newRow("other user") << QByteArray("~root") << base << home;
    QTest::newRow("other user's folder") << QByteArray("~root/x") << base << home;
    QTest::newRow("no home") << QByteArray("~") << base << QByteArray("");
    QTest::newRow("no home, folder") << QByteArray("~/x") << base << QByteArray("");
    QTest::newRow("relative home") << QByteArray("~/x") << base << QByteArray("home");
    QTest::newRow("no base") << QByteArray("x") << QByteArray("") << home;
    QTest::newRow("relative base") << QByteArray("x") << QByteArray("base") << home;
}

void tst_Policy::refusesPaths()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, base);
    QFETCH(QByteArray, home);
    const Result<std::string> path = absolutePath(text.toStdString(), base.toStdString(), home.toStdString());
    QVERIFY(!path);
    QCOMPARE(path.error().kind, ErrorKind::Usage);
    QVERIFY(!path.error().message.empty());
}

void tst_Policy::mergesKeyByKey()
{
    PolicySettings flags;
    flags.network = {Network{NetworkMode::None, {}}, {Origin::Kind::Flag, "--sandbox-net"}};
    PolicySettings manifest;
    manifest.mode = {FileSystemMode::ReadOnly, {Origin::Kind::Manifest, "m:2:1"}};
    manifest.network = {Network{NetworkMode::Localhost, {}}, {Origin::Kind::Manifest, "m:3:1"}};
    const Policy policy = mergePolicy("/ws", flags, manifest);
    QCOMPARE(policy.workspace, std::string("/ws"));
    QCOMPARE(policy.mode.value, FileSystemMode::ReadOnly);
    QCOMPARE(policy.mode.origin.place, std::string("m:2:1"));
    QCOMPARE(policy.network.value.mode, NetworkMode::None);
    QCOMPARE(policy.network.origin.kind, Origin::Kind::Flag);
}

void tst_Policy::explicitOffBeatsManifest()
{
    PolicySettings flags;
    flags.mode = {FileSystemMode::Off, {Origin::Kind::Flag, "--sandbox"}};
    PolicySettings manifest;
    manifest.mode = {FileSystemMode::ReadOnly, {Origin::Kind::Manifest, "m:2:1"}};
    const Policy policy = mergePolicy("/ws", flags, manifest);
    QCOMPARE(policy.mode.value, FileSystemMode::Off);
    QCOMPARE(policy.mode.origin.place, std::string("--sandbox"));
}

void tst_Policy::unitesLists()
{
    PolicySettings flags;
    flags.writableDirs = {sourced("/b", "f1"), sourced("/a", "f2"), sourced("/b", "f3")};
    flags.allowedVariables = {sourced("X", "f")};
    PolicySettings manifest;
    manifest.writableDirs = {sourced("/a", "m1"), sourced("/c", "m2")};
    manifest.readableDirs = {sourced("/r", "m3")};
    const Policy policy = mergePolicy("/ws", flags, manifest);
    const std::vector<Sourced<std::string>> united{sourced("/b", "f1"), sourced("/a", "f2"),
                                                   sourced("/c", "m2")};
    QVERIFY(policy.writableDirs == united);
    QCOMPARE(policy.readableDirs.size(), std::size_t(1));
    QCOMPARE(policy.allowedVariables.size(), std::size_t(1));
}

void tst_Policy::defaultIsUnconfined()
{
    const Policy policy = mergePolicy("/ws", {}, {});
    QCOMPARE(policy.mode.value, FileSystemMode::Off);
    QCOMPARE(policy.network.value.mode, NetworkMode::All);
    QCOMPARE(policy.mode.origin.kind, Origin::Kind::Default);
    QVERIFY(policy.writableDirs.empty() && policy.readableDirs.empty() && policy.allowedVariables.empty());
}

void tst_Policy::namesOrigins()
{
    QCOMPARE(toText(Origin{}), std::string("default"));
    QCOMPARE(toText(Origin{Origin::Kind::Default, "TMPDIR"}), std::string("default: TMPDIR"));
    QCOMPARE(toText(Origin{Origin::Kind::System, {}}), std::string("system"));
    QCOMPARE(toText(Origin{Origin::Kind::Flag, "--sandbox"}), std::string("--sandbox"));
    QCOMPARE(toText(Origin{Origin::Kind::Manifest, "m:1:2"}), std::string("m:1:2"));
}

void tst_Policy::escapesText_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("printable");
    QTest::addColumn<QByteArray>("escaped");
    const auto row = [](const char *name, QByteArray text, const char *printable,
                        const char *escaped = nullptr) {
        QTest::newRow(name) << text << QByteArray(printable) << QByteArray(escaped ? escaped : printable);
    };
    row("plain", "a b~", "a b~");
    row("umlaut", "\xC3\xA4", "\xC3\xA4");
    row("emoji", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80");
    row("backslash", "a\\b", "a\\b", "a\\\\b");
    row("line", "a\nb\tc\r", "a\\nb\\tc\\x0D");
    row("escape", "\033[31m", "\\x1B[31m");
    row("NUL", QByteArray("\0", 1), "\\x00");
    row("DEL", "\x7F", "\\x7F");
    row("C1", "\xC2\x9B", "\\u{9B}");
    row("override", "\xE2\x80\xAE", "\\u{202E}");
    row("tag", "\xF3\xA0\x81\x81", "\\u{E0041}");
    row("bad byte", "\xFF", "\\xFF");
    row("cut", "a\xE2\x80", "a\\xE2\\x80");
    row("overlong", "\xC0\xAF", "\\xC0\\xAF");
    row("overlong, three", "\xE0\x80\xAF", "\\xE0\\x80\\xAF");
    row("surrogate", "\xED\xA0\x80", "\\xED\\xA0\\x80");
    row("too high", "\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
}

void tst_Policy::escapesText()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, printable);
    QFETCH(QByteArray, escaped);
    QCOMPARE(text::printable(text.toStdString()), printable.toStdString());
    QCOMPARE(text::escaped(text.toStdString()), escaped.toStdString());
}

void tst_Policy::quotesForShell_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char *text, const char *word) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(word);
    };
    row("", "''");
    row("/srv/a-b_c.d", "/srv/a-b_c.d");
    row("/a b", "'/a b'");
    row("/it's", "'/it'\\''s'");
    row("/$(x)`y`", "'/$(x)`y`'");
    row("/\xC3\xA4", "'/\xC3\xA4'");
    row("/a\nb", "$'/a\\x0Ab'");
    row("/\xFF'\\", "$'/\\xFF\\'\\\\'");
}

void tst_Policy::quotesForShell()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, word);
    QCOMPARE(text::shellQuoted(text.toStdString()), word.toStdString());
}

void tst_Policy::escapingIsOneToOne()
{
    std::mt19937 random(Seed);
    std::map<std::string, std::string> originals;
    for (int i = 0; i < 30000; ++i) {
        const std::string original = randomFrom(random, "\\nxu{0AB}\n\x1B\x0A\xC2\x80\xFF\0"sv, 6);
        const std::string line = text::escaped(original);
        QVERIFY2(line.find('\n') == std::string::npos, line.c_str());
        const auto [known, isNew] = originals.emplace(line, original);
        QVERIFY2(isNew || known->second == original,
                 qPrintable(QString("seed %1: %2").arg(Seed).arg(line.c_str())));
    }
}

void tst_Policy::fuzz()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 60000; ++i) {
        const bool isShaped = random() % 2 == 0;
        const std::string text =
            isShaped ? "ports:" + randomFrom(random, "0123456789,, +-", 14) : randomBytes(random, 40);
        const QByteArray shown =
            "seed " + QByteArray::number(Seed) + ": " + QByteArray::fromStdString(text).toHex();
        if (const Result<Network> network = parseNetwork(text)) {
            QVERIFY2(!network->ports.empty() || network->mode != NetworkMode::Ports, shown);
            QVERIFY2(std::is_sorted(network->ports.begin(), network->ports.end()), shown);
            const Result<Network> again = parseNetwork(toText(*network));
            QVERIFY2(again && *again == *network, shown);
        }
        if (const Result<FileSystemMode> mode = parseFileSystemMode(text))
            QVERIFY2(text == toText(*mode) || text == "full-access", shown);
        const std::string folder = isShaped ? randomFrom(random, "~/.a", 8) : text;
        if (const Result<std::string> path = absolutePath(folder, "/base", "/home/u")) {
            QVERIFY2(path->starts_with('/') && path->find("//") == std::string::npos, shown);
            QVERIFY2((*path + '/').find("/./") == std::string::npos, shown);
            QVERIFY2(absolutePath(*path, "/other", "").value() == *path, shown);
        }
    }
}

QTEST_APPLESS_MAIN(tst_Policy)
#include "tst_policy.moc"
