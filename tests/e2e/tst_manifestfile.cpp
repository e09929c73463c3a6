// spettro.agents.toml as `spettro exec` meets it: broken files, hostile ones, acceptance, precedence.

#include "tests/support/OperatorHome.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <sys/stat.h>

using namespace spettro::test;

namespace {

const char *const Manifest = "spettro.agents.toml";

} // namespace

class TestManifestFile : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_home = std::make_unique<OperatorHome>(); }
    void cleanup() { m_home.reset(); }
    void broken_data();
    void broken();
    void notAFile();
    void large();
    void tightens();
    void hostile_data();
    void hostile();
    void acceptance();
    void acceptanceCannotBeForged();
    void precedence();
    void otherTablesAreLeftAlone();
    void agentsHaveToBeAccepted_data();
    void agentsHaveToBeAccepted();
    void acceptedLinesMayGo();
    void acceptTellsOfMistakesAndWarnings();

private:
    void write(const QByteArray &text) const { writeFile(m_home->workspace(Manifest), text); }
    RunResult run(const QStringList &flags = {}) const { return m_home->exec(flags, shell("touch ran")); }
    RunResult accept() const { return sandbox("accept"); }
    RunResult sandbox(const QString &verb, const QStringList &flags = {}) const
    {
        RunOptions options;
        options.environment = m_home->environment();
        return m_home->fixture().control(QStringList{spettroPath(), "sandbox", verb} + flags, options);
    }
    bool canWriteOutside(const QStringList &flags) const
    {
        QFile::remove(m_home->fixture().outside("probe"));
        m_home->exec(flags, {"touch", m_home->fixture().outside("probe")});
        return exists(m_home->fixture().outside("probe"));
    }

    std::unique_ptr<OperatorHome> m_home;
};

void TestManifestFile::broken_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    const auto add = [](const char *name, const QByteArray &text, const char *named) {
        QTest::addRow("%s", name) << text << QByteArray(named);
    };
    add("broken TOML", "[runtime\nsandbox_mode = 'off'\n", "spettro.agents.toml:1:");
    add("unknown key", "[runtime]\n\n  sandbox_mod = 'off'\n", "spettro.agents.toml:3:3");
    add("unknown mode", "[runtime]\nsandbox_mode = 'open'\n", "spettro.agents.toml:2:");
    add("wrong type", "[runtime]\nsandbox_mode = 1\n", "spettro.agents.toml:2:");
    add("unknown network", "[runtime]\nsandbox_net = 'ports:0'\n", "spettro.agents.toml:2:");
    add("folder missing", "[runtime]\nsandbox_mode = 'read-only'\nsandbox_allow_dirs = ['no-such']\n",
        "no-such");
    add("invalid UTF-8", "[runtime]\nsandbox_mode = 'o\xff\xfe'\n", "spettro.agents.toml:2:");
    add("zero bytes", QByteArray("[runtime]\nsandbox_mode = '\0'\n", 27), "spettro.agents.toml:2:");
    add("deep nesting", "a = " + QByteArray(100'000, '['), "spettro.agents.toml");
    add("the same key twice", "[runtime]\nsandbox_mode = 'off'\nsandbox_mode = 'read-only'\n",
        "spettro.agents.toml:3:");
}

void TestManifestFile::broken()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    write(text);
    const RunResult result = run();
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.startsWith("spettro: ") && result.errors.contains(named), describe(result));
    QVERIFY(!exists(m_home->workspace("ran")));
}

void TestManifestFile::notAFile()
{
    const QByteArray path = QFile::encodeName(m_home->workspace(Manifest));
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(::mkdir(path.constData(), 0700), 0);
    QCOMPARE(run().exitCode, 2);
    QCOMPARE(::rmdir(path.constData()), 0);
    QCOMPARE(::mkfifo(path.constData(), 0600), 0);
    QCOMPARE(run().exitCode, 2);
    QVERIFY2(timer.elapsed() < 5000, "waited for a writer");
    QVERIFY(QFile::remove(m_home->workspace(Manifest)));
    for (const char *target : {"/dev/zero", "/dev/tty", "/no/such/target", Manifest}) {
        QVERIFY(QFile::link(target, m_home->workspace(Manifest)));
        const RunResult result = run();
        QVERIFY2(result.exitCode == 2 || qstrcmp(target, "/no/such/target") == 0, describe(result));
        QVERIFY(QFile::remove(m_home->workspace(Manifest)));
    }
    QVERIFY2(timer.elapsed() < 10'000, "read without end");
    write("");
    QCOMPARE(run().exitCode, 0);
}

void TestManifestFile::large()
{
    QFile file(m_home->workspace(Manifest));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.resize(100 * 1024 * 1024));
    file.close();
    QElapsedTimer timer;
    timer.start();
    const RunResult result = run();
    QVERIFY2(result.exitCode == 2 && result.errors.contains("large"), describe(result));
    QVERIFY(timer.elapsed() < 5000);
}

void TestManifestFile::tightens()
{
    write("[runtime]\nsandbox_mode = 'read-only'\nsandbox_net = 'none'\n");
    QVERIFY(!canWriteOutside({}));
    const RunResult result = run();
    QVERIFY2(result.exitCode == 1, describe(result)); // touch fails
    QVERIFY(!exists(m_home->workspace("ran")));
}

void TestManifestFile::hostile_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("key");
    QTest::addRow("writable folder") << QByteArray("sandbox_allow_dirs = ['../outside']")
                                     << QByteArray("sandbox_allow_dirs");
    QTest::addRow("readable folder") << QByteArray("sandbox_allow_read_dirs = ['../outside']")
                                     << QByteArray("sandbox_allow_read_dirs");
    QTest::addRow("variable") << QByteArray("sandbox_allow_env = ['AWS_SECRET_ACCESS_KEY']")
                              << QByteArray("sandbox_allow_env");
}

void TestManifestFile::hostile()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, key);
    write("[runtime]\nsandbox_mode = 'workspace-write'\n" + line + '\n');
    const RunResult refused = run();
    QVERIFY2(refused.exitCode == 2, describe(refused));
    QVERIFY2(refused.errors.contains(key) && refused.errors.contains("sandbox accept"), describe(refused));
    QVERIFY(!exists(m_home->workspace("ran")));

    const RunResult trusted = run({"--trust-manifest"});
    QVERIFY2(trusted.exitCode == 0, describe(trusted));
    QCOMPARE(run().exitCode, 2); // for one run
}

/// Exactly this content, for this folder.
void TestManifestFile::acceptance()
{
    write("[runtime]\nsandbox_mode = 'workspace-write'\nsandbox_allow_dirs = ['../outside']\n");
    QCOMPARE(run().exitCode, 2);
    const RunResult accepted = accept();
    QVERIFY2(accepted.exitCode == 0 && accepted.output.contains("sandbox_allow_dirs"), describe(accepted));
    const RunResult result = run();
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY(canWriteOutside({}));

    write("[runtime]\nsandbox_mode = 'workspace-write'\nsandbox_allow_dirs = ['../outside', '..']\n");
    QCOMPARE(run().exitCode, 2);
    write("# another remark\n[runtime]\nsandbox_mode = 'workspace-write'\nsandbox_allow_dirs = "
          "['../outside']\n");
    QCOMPARE(run().exitCode, 0);

    // A copy of the repository is another folder.
    const RunResult copied =
        m_home->fixture().control(shell("cp -r . ../copy && mkdir -p ../copy/../outside"));
    QCOMPARE(copied.exitCode, 0);
    RunOptions options;
    options.folder = m_home->folder() + "/copy";
    options.environment = m_home->environment();
    QCOMPARE(m_home->exec({}, {"true"}, options).exitCode, 2);
}

/// Where acceptance is remembered no command can write, under no policy that would believe it.
void TestManifestFile::acceptanceCannotBeForged()
{
    const QString store = m_home->folder() + "/.spettro";
    write("[runtime]\nsandbox_mode = 'workspace-write'\nsandbox_allow_dirs = ['../outside']\n");
    QCOMPARE(accept().exitCode, 0);
    const QByteArray before = Fixture::snapshot(store);
    QVERIFY(!before.isEmpty());
    const RunResult forged = m_home->exec({}, shell("for f in $(find \"$1\" 2>/dev/null) \"$1\" \"$1\"/x; do "
                                                    "{ echo x >>\"$f\"; rm -f \"$f\"; mv \"$f\" y; }"
                                                    " 2>/dev/null; done; mv \"$1\" z 2>/dev/null; true",
                                                    {store}));
    QCOMPARE(forged.exitCode, 0);
    QCOMPARE(Fixture::snapshot(store), before);

    // With a policy that opens the place, what lies there is not believed.
    write("[runtime]\nsandbox_mode = 'workspace-write'\nsandbox_allow_dirs = ['..']\n");
    QCOMPARE(accept().exitCode, 0);
    const RunResult opened = run();
    QVERIFY2(opened.exitCode == 2 && opened.errors.contains(".spettro"), describe(opened));
}

void TestManifestFile::precedence()
{
    write("[runtime]\nsandbox_mode = 'read-only'\nsandbox_net = 'none'\n");
    QVERIFY(run({"--sandbox", "workspace-write"}).exitCode == 0);
    QVERIFY(exists(m_home->workspace("ran")));
    QVERIFY(!canWriteOutside({"--sandbox", "workspace-write"}));
    QVERIFY(canWriteOutside({"--sandbox", "off"})); // said aloud, it counts
    const QStringList dial = {"python3", "-c", "import socket; socket.socket()"};
    QVERIFY(m_home->exec({"--sandbox", "off"}, dial).exitCode != 0); // the network is another key
    QCOMPARE(m_home->exec({"--sandbox", "off", "--sandbox-net", "all"}, dial).exitCode, 0);

    write("[runtime]\nsandbox_mode = 'off'\n");
    QVERIFY(canWriteOutside({}));
    QVERIFY(!canWriteOutside({"--sandbox", "workspace-write"}));
}

void TestManifestFile::otherTablesAreLeftAlone()
{
    write("title = 'x'\n[agents.main]\nmodel = 'm'\n[runtime]\nmodel = 'n'\nsandbox_mode = 'read-only'\n");
    QCOMPARE(m_home->exec({}, {"true"}).exitCode, 0);
    QVERIFY(!canWriteOutside({}));
}

void TestManifestFile::agentsHaveToBeAccepted_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("line");
    const auto add = [](const QByteArray &text, const QByteArray &line) {
        QTest::newRow(line.constData()) << text << line;
    };
    add("[runtime]\ndefault_permission = 'yolo'\n", "default_permission = yolo");
    add("[runtime]\ndefault_permission = 'restricted'\n", "default_permission = restricted");
    add("[runtime]\nprovider = 'ollama'\n", "provider = ollama");
    add("[runtime]\nbase_url = 'https://evil.example/v1'\n", "base_url = https://evil.example/v1");
    add("default_agent = 'a'\n[[agents]]\nid = 'a'\npermission = 'yolo'\n", "agents.a.permission = yolo");
}

/// For whoever works with agents; a command of the operator's own has nothing to do with them.
void TestManifestFile::agentsHaveToBeAccepted()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, line);
    write(text);
    const RunResult refused = sandbox("explain");
    QVERIFY2(refused.exitCode == 2 && refused.errors.contains("\n  " + line + '\n'), describe(refused));
    QCOMPARE(sandbox("explain", {"--trust-manifest"}).exitCode, 0);
    QCOMPARE(run().exitCode, 0);

    // What `exec` refuses shows everything that would be accepted.
    write("sandbox_mode = 'off'\n" + text);
    QCOMPARE(run().exitCode, 2); // misplaced
    const QByteArray both = text.startsWith("[runtime]\n")
                                ? text + "sandbox_allow_dirs = ['..']\n"
                                : text + "[runtime]\nsandbox_allow_dirs = ['..']\n";
    write(both);
    const RunResult wider = run();
    QVERIFY2(wider.exitCode == 2 && wider.errors.contains("\n  " + line + '\n')
                 && wider.errors.contains("sandbox_allow_dirs"),
             describe(wider));

    write(text);
    const RunResult accepted = accept();
    QVERIFY2(accepted.exitCode == 0 && accepted.output.contains("\n  " + line + '\n'), describe(accepted));
    QCOMPARE(sandbox("explain").exitCode, 0);
    write(both);
    QCOMPARE(sandbox("explain").exitCode, 2);
    QCOMPARE(run().exitCode, 2);
}

void TestManifestFile::acceptedLinesMayGo()
{
    write("[runtime]\nprovider = 'ollama'\ndefault_permission = 'yolo'\nsandbox_allow_env = ['TOKEN']\n");
    QCOMPARE(accept().exitCode, 0);
    QCOMPARE(run().exitCode, 0);
    write("[runtime]\nprovider = 'ollama'\n");
    QCOMPARE(sandbox("explain").exitCode, 0);
    write("[runtime]\nprovider = 'openai'\n");
    QCOMPARE(sandbox("explain").exitCode, 2);
}

void TestManifestFile::acceptTellsOfMistakesAndWarnings()
{
    write("[[tools]]\nid = 'bash'\nenbled = false\n");
    for (const char *verb : {"accept", "explain"}) {
        const RunResult result = sandbox(verb);
        QVERIFY2(result.exitCode == 2
                     && result.errors.contains("spettro.agents.toml:3:1: unknown key 'enbled'"),
                 describe(result));
    }
    QCOMPARE(run().exitCode, 0);
    write("version = 11\n");
    QVERIFY(sandbox("explain").errors.contains("newer Spettro"));
    write("default_agent = 'a'\n[[agents]]\nid = 'a'\nmax_steps = 3\n");
    for (const char *verb : {"accept", "explain"}) {
        const RunResult result = sandbox(verb);
        QVERIFY2(result.exitCode == 0
                     && result.errors.contains("warning: spettro.agents.toml:4:1: 'max_steps'"),
                 describe(result));
    }
    QVERIFY(run().errors.isEmpty());
}

QTEST_GUILESS_MAIN(TestManifestFile)
#include "tst_manifestfile.moc"
