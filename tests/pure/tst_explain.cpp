// What a policy allows, by which rule, and the flag that would change it.

#include "sandbox/policy/Explain.h"

#include <QTest>

#include <random>

using namespace spettro::sandbox;

namespace {

constexpr unsigned Seed = 20261130;

Root root(std::string path, Grant grant, Origin origin = {Origin::Kind::System, {}})
{
    Root root;
    root.path = std::move(path);
    root.grant = grant;
    root.origin = std::move(origin);
    return root;
}

FrozenContent content(FileSystemMode mode)
{
    FrozenContent content;
    content.policy.mode = {mode, {Origin::Kind::Flag, "--sandbox"}};
    content.workspace = "/home/u/ws";
    if (mode == FileSystemMode::Off)
        return content;
    const Grant workspace = mode == FileSystemMode::WorkspaceWrite ? Grant::Write : Grant::Read;
    const Origin extra{Origin::Kind::Flag, "--sandbox-allow-dir"};
    const Origin manifest{Origin::Kind::Manifest, "spettro.agents.toml:4:24"};
    content.policy.writableDirs = {{"/srv/out", extra}};
    content.policy.readableDirs = {{"/srv", manifest}};
    content.roots = {root("/home/u/ws", workspace, {Origin::Kind::Default, "workspace"}),
                     root("/tmp", Grant::Write),
                     root("/usr", Grant::Read),
                     root("/proc", Grant::Read),
                     root("/home", Grant::List),
                     root("/dev/null", Grant::Device),
                     root("/dev/pts", Grant::Device),
                     root("/srv/out", Grant::Write, extra),
                     root("/srv", Grant::Read, manifest)};
    content.roots[5].isDirectory = false;
    return content;
}

FrozenPolicy policyFor(FileSystemMode mode)
{
    return FrozenPolicy(content(mode));
}

FrozenPolicy policyFor(const char *network)
{
    FrozenContent content;
    content.policy.network = {parseNetwork(network).value(), {Origin::Kind::Flag, "--sandbox-net"}};
    return FrozenPolicy(std::move(content));
}

constexpr FileAct R = FileAct::Read;
constexpr FileAct W = FileAct::Write;
constexpr FileAct X = FileAct::Execute;
constexpr FileSystemMode Off = FileSystemMode::Off;
constexpr FileSystemMode Ws = FileSystemMode::WorkspaceWrite;
constexpr FileSystemMode Ro = FileSystemMode::ReadOnly;

} // namespace

class tst_Explain : public QObject
{
    Q_OBJECT

private slots:
    void files_data();
    void files();
    void rightsAddUp();
    void rootsOfTheWholeTree();
    void readOnlyDoesNotTakeNamedRoots();
    void connections_data();
    void connections();
    void hidesNothingFromTheTerminal();
    void addingARootNeverRefuses();
    void refusalIsTurnedRoundByItsChange();
};

void tst_Explain::files_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("act");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("allowed");
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("change");
    const auto row = [](FileSystemMode mode, FileAct act, const char *path, bool allowed, const char *rule,
                        const char *change) {
        QTest::addRow("%s %d %s", toText(mode).data(), int(act), path)
            << int(mode) << int(act) << QByteArray(path) << allowed << QByteArray(rule) << QByteArray(change);
    };
    row(Off, W, "/etc/passwd", true, "no file system confinement", "");
    row(Off, R, "relative", true, "no file system confinement", "");

    row(Ws, W, "/home/u/ws/a.c", true,
        "/home/u/ws (default: workspace) grants writing, reading and executing", "--sandbox read-only");
    row(Ws, W, "/home/u/ws", true, "/home/u/ws (default: workspace)", "--sandbox read-only");
    row(Ws, R, "/home/u/ws/a.c", true, "/home/u/ws (default: workspace)", "");
    row(Ws, X, "/home/u/ws/run", true, "/home/u/ws (default: workspace)", "");
    row(Ws, W, "/home/u/wsx", false, "/home (system) grants listing, not writing",
        "--sandbox-allow-dir /home/u");
    row(Ws, R, "/home/u/.ssh/id", false,
        "workspace-write (--sandbox): /home (system) grants listing, not reading",
        "--sandbox-allow-read-dir /home/u/.ssh");
    row(Ws, R, "/root/x", false, "workspace-write (--sandbox): /root/x lies outside every root",
        "--sandbox-allow-read-dir /root");
    row(Ws, R, "/usr/lib/x", true, "/usr (system) grants reading and executing", "");
    row(Ws, X, "/usr/bin/x", true, "/usr (system)", "");
    row(Ws, W, "/usr/lib/x", false, "/usr (system) grants reading and executing, not writing",
        "--sandbox-allow-dir /usr/lib");
    row(Ws, R, "/usrx", false, "/usrx lies outside every root", "--sandbox-allow-read-dir /");
    row(Ws, W, "/tmp/x", true, "/tmp (system)", "");
    row(Ws, W, "/srv/out/x", true, "/srv/out (--sandbox-allow-dir)", "");
    row(Ws, R, "/srv/x", true, "/srv (spettro.agents.toml:4:24)", "");
    row(Ws, W, "/srv/x", false, "/srv (spettro.agents.toml:4:24)", "--sandbox-allow-dir /srv");
    row(Ws, R, "/dev/null", true, "/dev/null (system) grants device access", "");
    row(Ws, W, "/dev/null", true, "/dev/null (system) grants device access", "");
    row(Ws, X, "/dev/null", false, "grants device access, not executing", "--sandbox-allow-read-dir /dev");
    row(Ws, R, "/dev/null/x", false, "outside every root", "--sandbox-allow-read-dir /dev/null");
    row(Ws, W, "/dev/pts/3", true, "/dev/pts (system) grants device access", "");
    row(Ws, W, "/dev/kvm", false, "outside every root", "--sandbox-allow-dir /dev/kvm");
    row(Ws, W, "/dev/dri/card0", false, "outside every root", "--sandbox-allow-dir /dev/dri");
    row(Ws, W, "/proc/self/oom_score_adj", false, "/proc (system)", "");
    row(Ws, W, "/proc", false, "/proc (system)", "");
    row(Ws, W, "/sys/power/state", false, "outside every root", "");
    row(Ws, R, "/sys/power/state", false, "outside every root", "--sandbox-allow-read-dir /sys/power");
    row(Ws, W, "/sysx/y", false, "outside every root", "--sandbox-allow-dir /sysx");
    row(Ws, W, "/swapfile", false, "outside every root", ""); // `/` can never be a writable root
    row(Ws, W, "/", false, "outside every root", "");
    row(Ws, R, "/opt/a b/c", false, "outside every root", "--sandbox-allow-read-dir '/opt/a b'");
    row(Ws, W, "/home/u/ws/../x", false, "not a real path", "");
    row(Ws, W, "/home/u/ws/..", false, "not a real path", "");
    row(Ws, R, "/usr/./x", false, "not a real path", "");
    row(Ws, R, "usr/x", false, "not a real path", "");
    row(Ws, R, "", false, "not a real path", "");
    row(Ws, R, "/usr/..x", true, "/usr (system)", "");

    row(Ro, R, "/home/u/ws/a.c", true, "/home/u/ws (default: workspace)", "");
    row(Ro, W, "/home/u/ws/a.c", false,
        "read-only (--sandbox): /home/u/ws (default: workspace) grants reading", "--sandbox workspace-write");
    row(Ro, W, "/home/u/wsx/a.c", false, "/home (system)", "--sandbox-allow-dir /home/u/wsx");
    row(Ro, W, "/tmp/x", true, "/tmp (system)", "");
}

void tst_Explain::files()
{
    QFETCH(int, mode);
    QFETCH(int, act);
    QFETCH(QByteArray, path);
    QFETCH(bool, allowed);
    QFETCH(QByteArray, rule);
    QFETCH(QByteArray, change);
    const Verdict verdict = explainFile(policyFor(FileSystemMode(mode)), FileAct(act), path.toStdString());
    QCOMPARE(verdict.allowed, allowed);
    QVERIFY2(QByteArray::fromStdString(verdict.rule).contains(rule), verdict.rule.c_str());
    QCOMPARE(verdict.change, change.toStdString());
}

void tst_Explain::rightsAddUp()
{
    // The longer root only reads; that takes nothing away from the shorter one.
    FrozenContent frozen = content(Ws);
    frozen.roots.push_back(root("/home/u/ws/vendor", Grant::Read));
    const Verdict verdict = explainFile(FrozenPolicy(frozen), W, "/home/u/ws/vendor/x");
    QVERIFY(verdict.allowed);
    QVERIFY(verdict.rule.starts_with("/home/u/ws ("));
}

void tst_Explain::rootsOfTheWholeTree()
{
    FrozenContent frozen = content(Ws);
    frozen.roots = {root("/", Grant::Read)};
    for (const char *path : {"/", "/x", "/etc/passwd"})
        QVERIFY2(explainFile(FrozenPolicy(frozen), R, path).allowed, path);
    QVERIFY(!explainFile(FrozenPolicy(frozen), W, "/x").allowed);
}

void tst_Explain::readOnlyDoesNotTakeNamedRoots()
{
    const Origin named{Origin::Kind::Flag, "--sandbox-allow-dir"};
    FrozenContent same = content(Ws);
    same.roots.push_back(root("/home/u/ws", Grant::Write, named));
    QCOMPARE(explainFile(FrozenPolicy(same), W, "/home/u/ws/x").change, std::string());
    FrozenContent above = content(Ws);
    above.roots.push_back(root("/home/u", Grant::Write, named));
    QCOMPARE(explainFile(FrozenPolicy(above), W, "/home/u/ws/x").change, std::string());
}

void tst_Explain::connections_data()
{
    QTest::addColumn<QByteArray>("network");
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<bool>("allowed");
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("change");
    const auto row = [](const char *network, const char *host, int port, bool allowed, const char *rule,
                        const char *change) {
        QTest::addRow("%s %s:%d", network, host, port) << QByteArray(network) << QByteArray(host) << port
                                                       << allowed << QByteArray(rule) << QByteArray(change);
    };
    row("all", "example.com", 443, true, "no network confinement", "--sandbox-net none");
    row("none", "10.0.0.1", 443, false, "network none (--sandbox-net)", "--sandbox-net ports:443");
    row("none", "2001:db8::1", 443, false, "network none (--sandbox-net)", "--sandbox-net ports:443");
    row("none", "localhost", 5432, false, "network none (--sandbox-net)", "--sandbox-net ports:5432");
    row("none", "example.com", 443, false, "network none (--sandbox-net)", "--sandbox-net all");
    row("none", "10.0.0.1", 0, false, "network none", "--sandbox-net all");
    row("ports:443,8080", "example.com", 443, true, "network ports:443,8080 (--sandbox-net)",
        "--sandbox-net none");
    row("ports:443,8080", "10.0.0.1", 8080, true, "ports:443,8080", "--sandbox-net none");
    row("ports:443,8080", "10.0.0.1", 80, false, "port 80 is not in the list",
        "--sandbox-net ports:80,443,8080");
    row("ports:443,8080", "127.0.0.1", 9000, false, "port 9000", "--sandbox-net ports:443,8080,9000");
    row("ports:443", "example.com", 444, false, "port 444", "--sandbox-net ports:443,444");
    for (const char *host :
         {"localhost", "LocalHost", "127.0.0.1", "127.9.8.7", "::1", "[::1]", "::ffff:127.0.0.1"})
        row("localhost", host, 80, false, "this version refuses all TCP; loopback follows",
            "--sandbox-net ports:80");
    for (const char *host : {"10.0.0.1", "::2", "128.0.0.1"})
        row("localhost", host, 80, false, "is not a loopback address", "--sandbox-net ports:80");
    for (const char *host : {"127.0.0.1.example.com", "localhost.example.com", "127.evil.com", "127.0.0"})
        QTest::addRow("no loopback %s", host)
            << QByteArray("localhost") << QByteArray(host) << 80 << false
            << QByteArray("is not a loopback address")
            << QByteArray(host == std::string_view("127.0.0") ? "--sandbox-net ports:80"
                                                              : "--sandbox-net all");
}

void tst_Explain::connections()
{
    QFETCH(QByteArray, network);
    QFETCH(QByteArray, host);
    QFETCH(int, port);
    QFETCH(bool, allowed);
    QFETCH(QByteArray, rule);
    QFETCH(QByteArray, change);
    const Verdict verdict =
        explainConnect(policyFor(network.constData()), host.toStdString(), static_cast<std::uint16_t>(port));
    QCOMPARE(verdict.allowed, allowed);
    QVERIFY2(QByteArray::fromStdString(verdict.rule).contains(rule), verdict.rule.c_str());
    QCOMPARE(verdict.change, change.toStdString());
}

void tst_Explain::hidesNothingFromTheTerminal()
{
    const Verdict file = explainFile(policyFor(Ws), W, "/opt/\033[2J\n/x");
    const Verdict connection = explainConnect(policyFor("localhost"), "\033[2J\n", 80);
    for (const std::string &text : {file.rule, file.change, connection.rule, connection.change})
        QVERIFY2(text.find('\033') == std::string::npos && text.find('\n') == std::string::npos,
                 text.c_str());
    QCOMPARE(file.change, std::string("--sandbox-allow-dir $'/opt/\\x1B[2J\\x0A'"));
}

namespace {

std::string randomPath(std::mt19937 &random)
{
    constexpr std::string_view Names[] = {"a", "ab", "b", ".a", "proc", "a b"};
    std::string path;
    for (std::size_t depth = random() % 5; depth > 0; --depth)
        (path += '/') += Names[random() % std::size(Names)];
    return path.empty() ? "/" : path;
}

Root randomRoot(std::mt19937 &random)
{
    Root made = root(randomPath(random), Grant(random() % 4));
    made.isDirectory = random() % 4 != 0;
    return made;
}

} // namespace

void tst_Explain::addingARootNeverRefuses()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 3000; ++i) {
        FrozenContent frozen;
        frozen.policy.mode.value = random() % 2 == 0 ? Ws : Ro;
        frozen.workspace = randomPath(random);
        const std::string path = randomPath(random);
        bool wasAllowed[3] = {false, false, false};
        for (int count = 0; count < 6; ++count) {
            for (const FileAct act : {R, W, X}) {
                const bool isAllowed = explainFile(FrozenPolicy(frozen), act, path).allowed;
                QVERIFY2(isAllowed || !wasAllowed[int(act)],
                         qPrintable(QString("seed %1, round %2, %3").arg(Seed).arg(i).arg(path.c_str())));
                wasAllowed[int(act)] = isAllowed;
            }
            // Anywhere in the list: the order of roots means nothing.
            const auto at = static_cast<std::ptrdiff_t>(random() % (frozen.roots.size() + 1));
            frozen.roots.insert(frozen.roots.begin() + at, randomRoot(random));
        }
    }
}

void tst_Explain::refusalIsTurnedRoundByItsChange()
{
    std::mt19937 random(Seed);
    constexpr std::string_view ReadFlag = "--sandbox-allow-read-dir ";
    constexpr std::string_view WriteFlag = "--sandbox-allow-dir ";
    for (int i = 0; i < 5000; ++i) {
        FrozenContent frozen = content(Ws);
        const std::string path = randomPath(random);
        for (const FileAct act : {R, W, X}) {
            const std::string change = explainFile(FrozenPolicy(frozen), act, path).change;
            const bool isRead = change.starts_with(ReadFlag);
            if (!isRead && !change.starts_with(WriteFlag))
                continue;
            std::string folder = change.substr((isRead ? ReadFlag : WriteFlag).size());
            if (folder.starts_with('\''))
                folder = folder.substr(1, folder.size() - 2);
            FrozenContent wider = frozen;
            wider.roots.push_back(root(folder, isRead ? Grant::Read : Grant::Write));
            QVERIFY2(explainFile(FrozenPolicy(wider), act, path).allowed,
                     qPrintable(QString("seed %1: %2 by %3").arg(Seed).arg(path.c_str(), change.c_str())));
        }
    }
}

QTEST_APPLESS_MAIN(tst_Explain)
#include "tst_explain.moc"
