// The file of "always" answers: what is stored comes back, and what is not certain allows nothing.

#include "tools/permissions/ApprovalStore.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;
const QByteArray Workspace = "/home/u/pro ject\xFF";

PermissionRule rule(const QByteArray &pattern)
{
    return {"bash", pattern, RuleAction::Allow};
}

unsigned modeOf(const QByteArray &path)
{
    struct stat info = {};
    return ::lstat(path.constData(), &info) == 0 ? info.st_mode & 07777U : 0;
}

/// The rules, or one with the error as its pattern.
QList<PermissionRule> rulesOf(const ApprovalStore &store)
{
    const ApprovalStore::Rules found = store.rules();
    const auto *rules = std::get_if<QList<PermissionRule>>(&found);
    return rules ? *rules
                 : QList<PermissionRule>{{"error", std::get<QString>(found).toUtf8(), RuleAction::Deny}};
}

} // namespace

class tst_ApprovalStore : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void storesRules();
    void keepsWorkspacesApart();
    void refusesRules_data();
    void refusesRules();
    void refusesFiles_data();
    void refusesFiles();
    void refusesPlaces();
    void survivesLeftOvers();
    void losesNothingInThreads();
    void fuzzContent();

private:
    void write(const QByteArray &content) const;
    QByteArray content() const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ApprovalStore> m_store;
};

void tst_ApprovalStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_store = std::make_unique<ApprovalStore>(m_folder->path().toUtf8() + "/a/state", Workspace);
}

void tst_ApprovalStore::write(const QByteArray &text) const
{
    QFile file(QString::fromUtf8(m_store->path()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    QCOMPARE(file.write(text), text.size());
}

QByteArray tst_ApprovalStore::content() const
{
    QFile file(QString::fromUtf8(m_store->path()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
}

void tst_ApprovalStore::storesRules()
{
    QCOMPARE(rulesOf(*m_store), QList<PermissionRule>());
    QVERIFY(!QFile::exists(QString::fromUtf8(m_store->path())));
    const mode_t mask = ::umask(0);
    const auto error = m_store->add(rule("npm test"));
    ::umask(mask);
    QVERIFY2(!error, error ? qPrintable(*error) : "");
    QVERIFY(!m_store->add(rule("git log *")));
    QVERIFY(!m_store->add({"file-write", "/ws/\xC3\xA9", RuleAction::Allow}));
    QVERIFY(!m_store->add(rule("npm test")));
    const QList<PermissionRule> expected{
        rule("npm test"), rule("git log *"), {"file-write", "/ws/\xC3\xA9", RuleAction::Allow}};
    QCOMPARE(rulesOf(*m_store), expected);
    QCOMPARE(rulesOf(ApprovalStore(m_folder->path().toUtf8() + "/a/state", Workspace)), expected);

    const QByteArray folder = m_folder->path().toUtf8() + "/a/state/approvals";
    QCOMPARE(m_store->path(), folder + '/'
                                  + QCryptographicHash::hash(Workspace, QCryptographicHash::Sha256).toHex()
                                  + ".json");
    QCOMPARE(modeOf(folder), 0700U);
    QCOMPARE(modeOf(m_store->path()), 0600U);
    QCOMPARE(modeOf(m_store->path() + ".lock"), 0600U);
    QCOMPARE(QDir(QString::fromUtf8(folder)).entryList(QDir::Files).size(), 2);
}

void tst_ApprovalStore::keepsWorkspacesApart()
{
    const ApprovalStore other(m_folder->path().toUtf8() + "/a/state", "/other");
    QVERIFY(!m_store->add(rule("ls")));
    QCOMPARE(rulesOf(other), QList<PermissionRule>());
    // A copied file belongs to the other workspace still.
    QVERIFY(QFile::copy(QString::fromUtf8(m_store->path()), QString::fromUtf8(other.path())));
    QVERIFY(rulesOf(other).first().pattern.contains("another workspace"));
    QVERIFY(other.add(rule("x")));
}

void tst_ApprovalStore::refusesRules_data()
{
    QTest::addColumn<QByteArray>("permission");
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<int>("action");
    QTest::newRow("deny") << QByteArray("bash") << QByteArray("ls") << static_cast<int>(RuleAction::Deny);
    QTest::newRow("ask") << QByteArray("bash") << QByteArray("ls") << static_cast<int>(RuleAction::Ask);
    QTest::newRow("chain") << QByteArray("bash") << QByteArray("a && b")
                           << static_cast<int>(RuleAction::Allow);
    QTest::newRow("permission") << QByteArray("b x") << QByteArray("*")
                                << static_cast<int>(RuleAction::Allow);
    QTest::newRow("bytes") << QByteArray("bash") << QByteArray("ls \xFF")
                           << static_cast<int>(RuleAction::Allow);
}

void tst_ApprovalStore::refusesRules()
{
    QFETCH(const QByteArray, permission);
    QFETCH(const QByteArray, pattern);
    QFETCH(const int, action);
    QVERIFY(!m_store->add(rule("a")));
    const QByteArray before = content();
    QVERIFY(m_store->add({permission, pattern, static_cast<RuleAction>(action)}));
    QCOMPARE(content(), before);
}

void tst_ApprovalStore::refusesFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    const QByteArray head = R"({"version":1,"workspace":"/home/u/pro%20ject%FF","rules":[)";
    const QByteArray good = R"({"permission":"bash","pattern":"ls","action":"allow"})";
    QTest::newRow("valid") << head + good + "]}";
    const auto row = [](const char *name, const QByteArray &text) { QTest::newRow(name) << text; };
    row("empty", "");
    row("cut", head + good);
    row("text behind", head + good + "]} x");
    row("no object", "[]");
    row("null", "null");
    row("number", "1");
    row("unknown key", head + good + R"(],"x":1})");
    row("missing key", R"({"version":1,"rules":[]})");
    row("version 2", R"({"version":2,"workspace":"/home/u/pro%20ject%FF","rules":[]})");
    row("version text", R"({"version":"1","workspace":"/home/u/pro%20ject%FF","rules":[]})");
    row("other workspace", R"({"version":1,"workspace":"/home/u","rules":[]})");
    row("key twice", head + R"(],"version":1})");
    row("key twice in a rule",
        head + R"({"permission":"bash","pattern":"ls","pattern":"rm","action":"allow"}]})");
    row("rules no list", R"({"version":1,"workspace":"/home/u/pro%20ject%FF","rules":{}})");
    row("rule no object", head + "1]}");
    row("rule without action", head + R"({"permission":"bash","pattern":"ls"}]})");
    row("rule with more", head + R"({"permission":"bash","pattern":"ls","action":"allow","x":1}]})");
    row("rule with other key", head + R"({"permission":"bash","pattern":"ls","act":"allow"}]})");
    row("deny rule", head + R"({"permission":"bash","pattern":"ls","action":"deny"}]})");
    row("bad pattern", head + R"({"permission":"bash","pattern":"a;b","action":"allow"}]})");
    row("pattern no text", head + R"({"permission":"bash","pattern":1,"action":"allow"}]})");
    row("invalid UTF-8", head + "{\"permission\":\"bash\",\"pattern\":\"l\xFFs\",\"action\":\"allow\"}]}");
    row("comment", head + good + "] /* x */ }");
    row("good and bad", head + good + ",1]}");
    row("deep", QByteArray("[").repeated(200'000));
    row("too long", head + QByteArray(" ").repeated(1024 * 1024) + "]}");
}

void tst_ApprovalStore::refusesFiles()
{
    QFETCH(const QByteArray, text);
    QVERIFY(!m_store->add(rule("a")));
    write(text);
    const ApprovalStore::Rules found = m_store->rules();
    if (QByteArray(QTest::currentDataTag()) == "valid") {
        QCOMPARE(rulesOf(*m_store), QList<PermissionRule>{rule("ls")});
        return;
    }
    QVERIFY(std::holds_alternative<QString>(found));
    QVERIFY(std::get<QString>(found).contains(QString::fromUtf8(m_store->path())));
    // Nothing is added to what cannot be read, and it stays for a person to look at.
    QVERIFY(m_store->add(rule("b")));
    QCOMPARE(content(), text);
}

void tst_ApprovalStore::refusesPlaces()
{
    const auto fails = [&](const char *why) {
        const ApprovalStore::Rules found = m_store->rules();
        const QString error = std::holds_alternative<QString>(found) ? std::get<QString>(found) : QString();
        return error.contains(QString::fromUtf8(m_store->path())) && error.contains(why)
               && m_store->add(rule("b"));
    };
    QVERIFY(!m_store->add(rule("a")));
    const QByteArray path = m_store->path();
    const QByteArray moved = path + ".moved";
    QCOMPARE(::chmod(path.constData(), 0620), 0);
    QVERIFY(fails("other users"));
    QCOMPARE(::chmod(path.constData(), 0600), 0);
    QCOMPARE(::rename(path.constData(), moved.constData()), 0);
    QCOMPARE(::symlink(moved.constData(), path.constData()), 0);
    QVERIFY(fails("symbolic link"));
    QCOMPARE(::unlink(path.constData()), 0);
    QCOMPARE(::mkfifo(path.constData(), 0600), 0);
    QVERIFY(fails("regular file"));
    QCOMPARE(::unlink(path.constData()), 0);
    QCOMPARE(::mkdir(path.constData(), 0700), 0);
    QVERIFY(fails("regular file"));
    QCOMPARE(::rmdir(path.constData()), 0);
    QCOMPARE(::symlink("/nowhere", (path + ".lock2").constData()), 0);

    // The lock and the new file never go through a link.
    const QByteArray target = m_folder->path().toUtf8() + "/target";
    QCOMPARE(::unlink((path + ".lock").constData()), 0);
    QCOMPARE(::symlink(target.constData(), (path + ".lock").constData()), 0);
    QVERIFY(m_store->add(rule("b")));
    QVERIFY(!QFile::exists(QString::fromUtf8(target)));
    QCOMPARE(::unlink((path + ".lock").constData()), 0);

    // A folder that others may enter is not used.
    const QByteArray folder = path.first(path.lastIndexOf('/'));
    QCOMPARE(::chmod(folder.constData(), 0755), 0);
    QVERIFY(m_store->add(rule("b")));
    QCOMPARE(::chmod(folder.constData(), 0700), 0);
    QVERIFY(!m_store->add(rule("b")));
}

void tst_ApprovalStore::survivesLeftOvers()
{
    QVERIFY(!m_store->add(rule("a")));
    const QByteArray target = m_folder->path().toUtf8() + "/target";
    QCOMPARE(::symlink(target.constData(), (m_store->path() + ".new").constData()), 0);
    QVERIFY(!m_store->add(rule("b")));
    QCOMPARE(rulesOf(*m_store).size(), 2);
    QVERIFY(!QFile::exists(QString::fromUtf8(target)));
    QCOMPARE(modeOf(m_store->path()), 0600U);
}

void tst_ApprovalStore::losesNothingInThreads()
{
    constexpr int Threads = 4;
    constexpr int Each = 6;
    std::vector<std::thread> threads;
    for (int t = 0; t < Threads; ++t) {
        threads.emplace_back([&, t] {
            // Its own object and descriptors, as another process would have.
            const ApprovalStore store(m_folder->path().toUtf8() + "/a/state", Workspace);
            for (int i = 0; i < Each; ++i)
                (void)store.add(rule("x " + QByteArray::number(t * Each + i)));
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(rulesOf(*m_store).size(), Threads * Each);
}

/// Changed bytes give an error or allow rules; nothing else and no crash.
void tst_ApprovalStore::fuzzContent()
{
    std::mt19937 random(Seed);
    QVERIFY(!m_store->add(rule("npm test")));
    const QByteArray good = content();
    for (int round = 0; round < 1'500; ++round) {
        QByteArray text = good;
        for (int i = std::uniform_int_distribution<int>(1, 3)(random); i > 0; --i) {
            const qsizetype position = std::uniform_int_distribution<qsizetype>(0, text.size() - 1)(random);
            if (round % 2 == 0)
                text[position] = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
            else
                text.remove(position, 1);
        }
        write(text);
        for (const PermissionRule &one : rulesOf(*m_store))
            QVERIFY(one.permission == "error" || one.action == RuleAction::Allow);
    }
}

QTEST_APPLESS_MAIN(tst_ApprovalStore)
#include "tst_approvalstore.moc"
