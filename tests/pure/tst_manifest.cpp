// The sandbox keys of spettro.agents.toml, written by a person who errs or by one who means harm.

#include "sandbox/policy/Manifest.h"
#include "sandbox/policy/TomlGuard.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>

using namespace spettro::sandbox;

namespace {

constexpr unsigned Seed = 20261130;

const ManifestPlace Place{"spettro.agents.toml", "/repo", "/home/u"};

const std::string Valid = "# agents\n"
                          "title = \"x\"\n"
                          "[runtime]\n"
                          "sandbox_mode = \"workspace-write\"\n"
                          "sandbox_net = 'ports:8080,443'\n"
                          "sandbox_allow_dirs = [\"cache\", \"~/.cargo\",\n"
                          "    '/srv/x']\n"
                          "sandbox_allow_read_dirs = [\"../shared\"]\n"
                          "sandbox_allow_env = [\"GH_TOKEN\"]\n"
                          "max_steps = 4\n"
                          "[agents.coder]\n"
                          "sandbox_style = \"mine\"\n"
                          "prompt = \"\"\"a.b.c [[{{ ''' \\\"\"\"\"\n";

std::string repeated(std::string_view part, std::size_t count)
{
    std::string text;
    text.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

} // namespace

class tst_Manifest : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryKey();
    void leavesTheRestAlone_data();
    void leavesTheRestAlone();
    void findsMistakes_data();
    void findsMistakes();
    void reportsTheFirstMistake();
    void limitsSize();
    void survivesWhatTheParserDoesNot_data();
    void survivesWhatTheParserDoesNot();
    void acceptsEveryKindOfValue();
    void guardKeepsTheMeaning();
    void survivesHostileNesting_data();
    void survivesHostileNesting();
    void judgesNesting_data();
    void judgesNesting();
    void isFastOnLargeFiles_data();
    void isFastOnLargeFiles();
    void listsWhatWidens();
    void tighteningIsNoWidening_data();
    void tighteningIsNoWidening();
    void fuzzBytes();
    void fuzzMutations();
};

void tst_Manifest::readsEveryKey()
{
    const Result<PolicySettings> parsed = parseManifest(Valid, Place);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    const auto origin = [](const char *position) {
        return Origin{Origin::Kind::Manifest, std::string("spettro.agents.toml:") + position};
    };
    PolicySettings expected;
    expected.mode = {FileSystemMode::WorkspaceWrite, origin("4:1")};
    expected.network = {Network{NetworkMode::Ports, {443, 8080}}, origin("5:1")};
    expected.writableDirs = {
        {"/repo/cache", origin("6:23")}, {"/home/u/.cargo", origin("6:32")}, {"/srv/x", origin("7:5")}};
    expected.readableDirs = {{"/repo/../shared", origin("8:28")}};
    expected.allowedVariables = {{"GH_TOKEN", origin("9:22")}};
    QCOMPARE(parsed->mode->origin.place, expected.mode->origin.place);
    QCOMPARE(parsed->writableDirs.at(2).origin.place, expected.writableDirs.at(2).origin.place);
    QCOMPARE(parsed->allowedVariables.at(0).origin.place, expected.allowedVariables.at(0).origin.place);
    QVERIFY(parsed.value() == expected);
}

void tst_Manifest::leavesTheRestAlone_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text :
         {"", "# only a comment", "\n\n", "\xEF\xBB\xBF[runtime]\n", "[runtime]\nmax_steps = 3\nnet = 'x'\n",
          "[agents.a]\nsandbox_mode = 3\n[tools.sandbox_x]\ny = 1\n",
          "[runtime.limits]\nsandbox_mode = 'nonsense'\n", "[[agents]]\nsandbox = true\n",
          "run = 1\nsand = 2\n[runtimes]\nsandbox_mode = 1\n", "[runtime]\nsandbox_allow_dirs = []\n",
          "x = [1.5, 1979-05-27T07:32:00.5Z]\n\"a.b.c\" = 1\n"})
        QTest::newRow(text) << QByteArray(text);
}

void tst_Manifest::leavesTheRestAlone()
{
    QFETCH(QByteArray, text);
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QVERIFY(parsed.value() == PolicySettings{});
}

void tst_Manifest::findsMistakes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("position");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, QByteArray text, const char *position, const char *words) {
        QTest::newRow(name) << text << QByteArray(position) << QByteArray(words);
    };
    row("misspelt", "\n\n[runtime]\nsandbox_nte = 'none'\n", "4:1",
        "unknown key 'sandbox_nte' (did you mean 'sandbox_net'?)");
    row("dashes", "[runtime]\nsandbox-mode = 'off'\n", "2:1", "did you mean 'sandbox_mode'?");
    row("case", "[runtime]\nSandbox_Mode = 'off'\n", "2:1", "did you mean 'sandbox_mode'?");
    row("singular", "[runtime]\nsandbox_allow_dir = []\n", "2:1", "did you mean 'sandbox_allow_dirs'?");
    row("other prefix", "[runtime]\nsanbox_mode = 'read-only'\n", "2:1", "did you mean 'sandbox_mode'?");
    row("far away", "[runtime]\n  sandbox_paranoia = 9\n", "2:3", "unknown key 'sandbox_paranoia'");
    row("bare", "[runtime]\nsandbox = 'read-only'\n", "2:1", "unknown key 'sandbox'");
    row("table in runtime", "[runtime.sandbox]\nmode = 'read-only'\n", "1:10", "unknown key 'sandbox'");
    row("dotted", "runtime.sandbox.mode = 'read-only'\n", "1:9", "unknown key 'sandbox'");
    row("top level", "sandbox_mode = 'read-only'\n[runtime]\n", "1:1", "[runtime]");
    row("top level misspelt", "sandbox_mod = 'read-only'\n", "1:1", "did you mean 'sandbox_mode'?");
    row("table", "[sandbox]\nmode = 'read-only'\n", "1:2", "[runtime]");
    row("table of tables", "[[sandboxes]]\nx = 1\n", "1:3", "unknown key 'sandboxes'");
    row("implicit table", "a = 1\n[sandbox.net]\nx = 1\n", "2:2", "unknown key 'sandbox'");
    row("escaped key", "[runtime]\n\"sandbox_\\u001b[2J\" = 1\n", "2:1", "'sandbox_\\x1B[2J'");
    row("runtime is text", "runtime = 'x'\n", "1:1", "must be a table");
    row("runtime is a list", "[[runtime]]\nsandbox_mode = 'off'\n", "1:3", "must be a table");
    row("unknown mode", "[runtime]\nsandbox_mode = 'rw'\n", "2:16", "sandbox_mode: unknown mode 'rw'");
    row("mode of wrong type", "[runtime]\nsandbox_mode = true\n", "2:16", "must be a string");
    row("mode as list", "[runtime]\nsandbox_mode = ['off']\n", "2:16", "must be a string");
    row("port", "[runtime]\nsandbox_net = 'ports:65536'\n", "2:15", "sandbox_net: '65536'");
    row("net of wrong type", "[runtime]\nsandbox_net = 443\n", "2:15", "must be a string");
    row("dirs as text", "[runtime]\nsandbox_allow_dirs = '/srv'\n", "2:22", "must be an array of strings");
    row("dirs with a number", "[runtime]\nsandbox_allow_dirs = ['/srv', 3]\n", "2:31", "nothing but strings");
    row("empty dir", "[runtime]\nsandbox_allow_dirs = ['']\n", "2:23", "must not be empty");
    row("other user", "[runtime]\nsandbox_allow_read_dirs = ['~root']\n", "2:28", "'~root'");
    row("NUL in dir", "[runtime]\nsandbox_allow_dirs = [\"/a\\u0000b\"]\n", "2:23", "NUL");
    row("NUL in mode", "[runtime]\nsandbox_mode = \"off\\u0000\"\n", "2:16", "unknown mode");
    row("NUL in name", "[runtime]\nsandbox_allow_env = [\"A\\u0000\"]\n", "2:22",
        "not the name of a variable");
    row("pattern as name", "[runtime]\nsandbox_allow_env = ['AWS_*']\n", "2:22",
        "not the name of a variable");
    row("empty name", "[runtime]\nsandbox_allow_env = ['']\n", "2:22", "not the name of a variable");
    row("twice", "[runtime]\nsandbox_mode = 'off'\nsandbox_mode = 'off'\n", "3:", "sandbox_mode");
    row("broken", "[runtime]\nsandbox_mode = \n", "2:", "");
    row("unclosed", "[runtime\n", "1:", "");
    row("raw NUL", QByteArray("[runtime]\nx = '\0'\n", 18), "2:", "");
    row("bad byte", "[runtime]\nx = '\xFF'\n", "2:6", "UTF-8");
    row("bad byte in a comment", "# \xC3\xA4 \xC3\n", "1:5", "UTF-8");
    row("surrogate", "x = '\xED\xA0\x80'\n", "1:6", "UTF-8");
    row("overlong", "x = '\xC0\xAF'\n", "1:6", "UTF-8");
    row("UTF-16", QByteArray("\xFF\xFE[\0r\0", 6), "1:1", "UTF-8");
}

void tst_Manifest::findsMistakes()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, position);
    QFETCH(QByteArray, words);
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().kind, ErrorKind::Usage);
    const QByteArray message = QByteArray::fromStdString(parsed.error().message);
    const QByteArray start = "spettro.agents.toml:" + position + (position.endsWith(':') ? "" : ": ");
    QVERIFY2(message.startsWith(start), message);
    QVERIFY2(message.contains(words), message);
    QVERIFY2(message.size() < 500 && !message.contains('\033') && !message.contains('\n'), message);
}

void tst_Manifest::reportsTheFirstMistake()
{
    // By name, `sandbox_a` would come first.
    const Result<PolicySettings> parsed = parseManifest("[runtime]\nsandbox_z = 1\nsandbox_a = 1\n", Place);
    QVERIFY(!parsed);
    QVERIFY(parsed.error().message.starts_with("spettro.agents.toml:2:1: "));
}

void tst_Manifest::limitsSize()
{
    const std::string largest = "#" + std::string(MaximumManifestSize - 1, 'x');
    QVERIFY(parseManifest(largest, Place));
    const Result<PolicySettings> tooLarge = parseManifest(largest + 'x', Place);
    QVERIFY(!tooLarge);
    QCOMPARE(tooLarge.error().kind, ErrorKind::Usage);
    QVERIFY(tooLarge.error().message.starts_with("spettro.agents.toml: "));
}

/// Found by fuzzing: each of these ends in an assertion or in an unreachable place of toml++ 3.3.
void tst_Manifest::survivesWhatTheParserDoesNot_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text :
         {"[=T[=", "[[=", "[ =", "[[[a]]]", "  [.", "[\r", "x = [1,}", "x = [}", "x = {a=[}]", "x = }",
          "\xEF\xBB\x82[r'ntime]\n", "\xEF\xBB\xBF\xEF\xBB\x82", "x = \xE3\x80\x81",
          "d = 0989-05-27Trt:32:00.5Zs =", "d = [ # x\n 1979-05-27tx:3]", "x = 19+-97n0ports:7''':\xCE\x87",
          "x = 1979-05-27 07:3''':\xCE\x87", "x = [1.5, 1979-05-27 1\n", "x = 1979-05-27 1"})
        QTest::newRow(text) << QByteArray(text);
}

void tst_Manifest::survivesWhatTheParserDoesNot()
{
    QFETCH(QByteArray, text);
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY(!parsed);
    QVERIFY2(parsed.error().message.starts_with("spettro.agents.toml:"), parsed.error().message.c_str());
}

void tst_Manifest::acceptsEveryKindOfValue()
{
    const std::string text =
        "a=1\r\nb = +1_000\nc = 0xDEADbeef # hex\nd = 0o755\ne = 0b11\nf = -1.5e+10\n"
        "g = [inf, -inf, nan, true, false]\nh = 1979-05-27\ni = 07:32:00.5\n"
        "j = 1979-05-27T07:32:00Z\nk = 1979-05-27 07:32:00-07:00\nl = 1979-05-27t07:32:00\n"
        "m = {t=1,test=2 , x.t = 'y'}\nn = [\n1 , # one\n\t{a=1}, [2,3,],\n]\no = '\xC3\xA4' # \xC3\xA4\n"
        "\"\xC3\xA4\".t = 3\n31t = 4\n1979-05-27test = 5\n-1t = 6\np = \"\"\"\n=[}\"\"\"\"\nq = ''\n"
        "  [ x . 'y' ]\n[[ z ]]\n\t[-]\n[1979]\n[runtime]\nsandbox_mode = 'read-only'";
    const Result<PolicySettings> parsed = parseManifest(text, Place);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QVERIFY(parsed->mode && parsed->mode->value == FileSystemMode::ReadOnly);
}

void tst_Manifest::guardKeepsTheMeaning()
{
    const std::string plain =
        "a = '\\\xC3\x84'\nb = \"\xC3\x84\\\\\xC3\x84\\\"\"\nc = \"\"\"\xC3\x84\\\n x\"\"\" # \\\n\xC3\x84\n";
    QCOMPARE(guardToml(plain).hazard.has_value(), true); // the last character
    const std::string valid = plain.substr(0, plain.size() - 3);
    QCOMPARE(guardToml(valid).text, valid);

    // Behind a line-ending backslash toml++ would ask for blanks.
    const Result<PolicySettings> parsed =
        parseManifest("[runtime]\nsandbox_allow_dirs = [\"\"\"/x\\\n\n   "
                      "\xC3\x84/\\\r\n\xF0\x9F\x98\x80\"\"\"]\nsandbox_net = 'none'\n",
                      Place);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(parsed->writableDirs.at(0).value, std::string("/x\xC3\x84/\xF0\x9F\x98\x80"));
    QCOMPARE(parsed->network->origin.place, std::string("spettro.agents.toml:6:1"));
    QVERIFY(!parseManifest("a = \"\\\xC3\x84\"", Place));
    QVERIFY(!parseManifest("a = \"\"\"\\\xEF\xBB\xB7", Place));
}

void tst_Manifest::survivesHostileNesting_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char *name, const std::string &text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    row("arrays", "x = " + repeated("[", 100000) + repeated("]", 100000));
    row("open arrays", "x = " + repeated("[", 100000));
    row("inline tables", "x = " + repeated("{a=", 100000) + "1" + repeated("}", 100000));
    row("dotted key", repeated("a.", 400000) + "a = 1");
    row("dotted quoted key", repeated("\"a\".", 200000) + "a = 1");
    row("dotted empty key", repeated("''.", 200000) + "a = 1");
    row("spaced key", repeated("a . ", 200000) + "a = 1");
    row("dotted header", "[" + repeated("a.", 400000) + "a]");
    row("dotted list header", "[[" + repeated("a.", 400000) + "a]]");
    row("both", "x = " + repeated("{" + repeated("a.", 200) + "a=", 200) + "1" + repeated("}", 200));
    row("behind a string", "s = \"\"\"\"\"\"\"\"\n" + repeated("a.", 400000) + "a = 1");
    row("behind an escape", "s = \"\\\"\"\n" + repeated("a.", 400000) + "a = 1");
    row("behind a literal", "s = '\\'\n" + repeated("a.", 400000) + "a = 1");
    row("behind a comment", "# \"\"\"\n" + repeated("a.", 400000) + "a = 1");
    row("behind CR", "s = 1 # \"\r\n" + repeated("a.", 400000) + "a = 1");
}

void tst_Manifest::survivesHostileNesting()
{
    QFETCH(QByteArray, text);
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY(!parsed);
    QVERIFY2(parsed.error().message.find("nested too deeply") != std::string::npos,
             parsed.error().message.c_str());
}

void tst_Manifest::judgesNesting_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isAccepted");
    const auto row = [](const char *name, const std::string &text, bool isAccepted) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << isAccepted;
    };
    const std::size_t most = MaximumTomlNesting;
    row("deepest array", "x = " + repeated("[", most) + repeated("]", most), true);
    row("deeper array", "x = " + repeated("[", most + 1) + repeated("]", most + 1), false);
    row("longest key", repeated("a.", most - 1) + "a = 1", true);
    row("longer key", repeated("a.", most) + "a = 1", false);
    row("many lines", repeated("[[a.b]]\nx = 1.5\n", 2000), true);
    row("dots in strings", "a = '" + repeated(".", 500) + "'\nb = \"" + repeated(".[{", 500) + "\"\n", true);
    row("dots in long strings", "a = \"\"\"\n" + repeated(".[\"\"{\n", 500) + "\"\"\"\"\"\n", true);
    row("dots in long literals", "a = '''\n" + repeated(".[''\\{\n", 500) + "''''\n", true);
    row("dots in a comment", "# " + repeated("a.[", 500), true);
    row("floats in a list", "a = [" + repeated("1.5, ", 500) + "]", true);
}

void tst_Manifest::judgesNesting()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isAccepted);
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY2(bool(parsed) == isAccepted, parsed ? "" : parsed.error().message.c_str());
}

void tst_Manifest::isFastOnLargeFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("list") << QByteArray::fromStdString("[runtime]\nsandbox_allow_dirs = ["
                                                       + repeated("'a',", 200000) + "]");
    QTest::newRow("keys") << QByteArray::fromStdString([] {
        std::string text = "[runtime]\n";
        for (int i = 0; i < 80000; ++i)
            text += 'k' + std::to_string(i) + "=1\n";
        return text;
    }());
    QTest::newRow("tables") << QByteArray::fromStdString(repeated("[[a.b.c]]\n", 90000));
    QTest::newRow("long key") << QByteArray::fromStdString("[runtime]\nsandbox" + std::string(900000, 'x')
                                                           + " = 1\n");
}

void tst_Manifest::isFastOnLargeFiles()
{
    QFETCH(QByteArray, text);
    QElapsedTimer timer;
    timer.start();
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY2(timer.elapsed() < 10000, QByteArray::number(timer.elapsed()));
    QVERIFY(parsed || parsed.error().message.size() < 500);
}

void tst_Manifest::listsWhatWidens()
{
    const Result<PolicySettings> parsed = parseManifest(Valid, Place);
    QVERIFY(parsed);
    const std::vector<std::string> expected{
        "sandbox_allow_dirs = /home/u/.cargo",
        "sandbox_allow_dirs = /repo/cache",
        "sandbox_allow_dirs = /srv/x",
        "sandbox_allow_env = GH_TOKEN",
        "sandbox_allow_read_dirs = /repo/../shared",
        "sandbox_net = ports:443,8080",
    };
    QVERIFY(wideningLines(parsed.value()) == expected);

    // One value is one line, also when its name wants to look like two.
    const Result<PolicySettings> forged =
        parseManifest("[runtime]\nsandbox_allow_dirs = [\"/a\\nsandbox_allow_env = X\", '/a\\nb', './/b/', "
                      "'b', \"/\\u202E\"]",
                      Place);
    QVERIFY(forged);
    const std::vector<std::string> lines{
        "sandbox_allow_dirs = /\\u{202E}",
        "sandbox_allow_dirs = /a\\\\nb",
        "sandbox_allow_dirs = /a\\nsandbox_allow_env = X",
        "sandbox_allow_dirs = /repo/b",
    };
    QVERIFY(wideningLines(forged.value()) == lines);
}

void tst_Manifest::tighteningIsNoWidening_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *mode : {"off", "workspace-write", "read-only"}) {
        for (const char *net : {"all", "localhost", "none"}) {
            QTest::addRow("%s %s", mode, net) << "[runtime]\nsandbox_mode='" + QByteArray(mode)
                                                     + "'\nsandbox_net='" + QByteArray(net) + "'\n";
        }
    }
}

void tst_Manifest::tighteningIsNoWidening()
{
    QFETCH(QByteArray, text);
    const Result<PolicySettings> parsed = parseManifest(text.toStdString(), Place);
    QVERIFY(parsed);
    QVERIFY(wideningLines(parsed.value()).empty());
}

void tst_Manifest::fuzzBytes()
{
    std::mt19937 random(Seed);
    constexpr std::string_view Alphabet = "[]{}=.,\"'\\#\n\r\t ab1-_:+TZ";
    for (int i = 0; i < 20000; ++i) {
        std::string text(random() % 120, '\0');
        const bool isShaped = random() % 4 != 0;
        for (char &byte : text)
            byte = isShaped ? Alphabet[random() % Alphabet.size()] : static_cast<char>(random() % 256);
        const Result<PolicySettings> parsed = parseManifest(text, Place);
        if (parsed)
            continue;
        const std::string shown =
            "seed " + std::to_string(Seed) + ": " + QByteArray::fromStdString(text).toHex().toStdString();
        QVERIFY2(parsed.error().message.starts_with("spettro.agents.toml:"), shown.c_str());
        QVERIFY2(!parsed.error().message.starts_with("spettro.agents.toml:0:"), shown.c_str());
    }
}

void tst_Manifest::fuzzMutations()
{
    std::mt19937 random(Seed);
    int accepted = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = Valid;
        for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text.erase(at, 1 + random() % 5);
                break;
            case 1:
                text.insert(at, 1, static_cast<char>(random() % 128));
                break;
            case 2:
                text[at] = static_cast<char>(random() % 256);
                break;
            default:
                text.insert(at, text.substr(random() % text.size(), random() % 20));
                break;
            }
        }
        const Result<PolicySettings> parsed = parseManifest(text, Place);
        if (!parsed)
            continue;
        ++accepted;
        const std::string shown = "seed " + std::to_string(Seed) + ":\n" + text;
        // Whatever became of the text, no key that is there under its right name may have been dropped.
        const bool namesMode =
            text.find("\n[runtime]\nsandbox_mode = \"workspace-write\"\n") != std::string::npos
            && text.starts_with("# agents\ntitle = \"x\"\n[runtime]");
        QVERIFY2(!namesMode || (parsed->mode && parsed->mode->value == FileSystemMode::WorkspaceWrite),
                 shown.c_str());
        for (const Sourced<std::string> &dir : parsed->writableDirs)
            QVERIFY2(dir.value.starts_with('/') && dir.origin.kind == Origin::Kind::Manifest, shown.c_str());
        for (const std::string &line : wideningLines(parsed.value()))
            QVERIFY2(line.find('\n') == std::string::npos, shown.c_str());
    }
    QVERIFY2(accepted > 1000, QByteArray::number(accepted)); // else this test would look at errors only
}

QTEST_APPLESS_MAIN(tst_Manifest)
#include "tst_manifest.moc"
