// `spettro connect` and `spettro models`, and what becomes of a key: where it is kept, who gets it, who never sees it.

#include "tests/support/HttpTestServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/TerminalSession.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QLocalServer>
#include <QTest>

#include <sys/stat.h>

#include <csignal>

using namespace spettro::test;

namespace {

const QByteArray Key = "pk-TESTKEY123";

QByteArray answer(int status, const QByteArray &body)
{
    return "HTTP/1.1 " + QByteArray::number(status)
           + " X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
           + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

const QByteArray TwoModels = answer(200, R"({"data":[{"id":"zeta"},{"id":"alpha","context_length":4096}]})");

/// Gives a list of models, and to a question of a model an answer with one call of `bash`, then the end of the goal.
HttpTestServer::Answer workingServer(const QByteArray &command)
{
    auto turn = std::make_shared<int>(0);
    return [turn, command](QTcpSocket *socket) {
        const bool isFirst = (*turn)++ == 0;
        Json call;
        call["index"] = 0;
        call["id"] = isFirst ? "a" : "b";
        const Json input = isFirst ? Json{{"command", command.toStdString()}} : Json{{"summary", "fine"}};
        call["function"] = {{"name", isFirst ? "bash" : "goal-complete"}, {"arguments", input.dump()}};
        Json choice;
        choice["index"] = 0;
        choice["delta"]["tool_calls"] = Json::array({call});
        choice["finish_reason"] = "tool_calls";
        Json event;
        event["choices"] = Json::array({choice});
        socket->write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: "
                      + QByteArray::fromStdString(event.dump()) + "\n\ndata: [DONE]\n\n");
        socket->disconnectFromHost();
    };
}

mode_t modeOf(const QString &path)
{
    struct stat status
    {};
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 ? status.st_mode & 07777 : 0;
}

bool sendsKey(const QByteArray &request, const QByteArray &key = Key)
{
    return request.contains("Authorization: Bearer " + key + "\r\n");
}

bool sendsAnyKey(const QByteArray &request)
{
    return request.toLower().contains("authorization:") || request.toLower().contains("x-api-key:");
}

/// Not again and again. Where a connection ends Qt may send a GET once more, which costs nothing: a few times where no
/// answer came, and at most once behind one.
bool wasAskedOnce(const HttpTestServer &server, const QByteArray &answer)
{
    return !server.requests.isEmpty() && server.requests.size() <= (answer.isEmpty() ? 10 : 2);
}

} // namespace

class tst_Connect : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void storedAndUsed();
    void notStored_data();
    void notStored();
    void notReachable();
    void badKeys_data();
    void badKeys();
    void privateFromTheFirstMoment();
    void replaced();
    void otherOrigin();
    void refusedFiles_data();
    void refusedFiles();
    void removed();
    void providerWithoutKeys();
    void wrongUse_data();
    void wrongUse();
    void typed();
    void typedAndStopped();
    void interrupted_data();
    void interrupted();
    void variableComesFirst();
    void silentKeyStore();
    void withoutEncryption();
    void models();
    void modelsInParts();
    void endlessParts();
    void modelsFail_data();
    void modelsFail();
    void namesCannotMoveTheTerminal();
    void listWithoutEnd();

private:
    RunResult spettro(const QStringList &arguments, const QByteArray &input = {},
                      const QMap<QString, QString> &variables = {}) const;
    RunResult connectTo(const HttpTestServer &server, const QByteArray &key,
                        const QStringList &flags = {}) const;
    QString keyFolder() const { return m_home->folder() + "/.spettro/keys"; }
    /// The file of `openai`'s key for a server of a test.
    QString keyFile(const HttpTestServer &server) const;
    void makeKeyFile(const QString &name, const QByteArray &content) const;
    /// The files of the home that hold a text.
    QStringList filesWith(const QByteArray &text) const;

    std::unique_ptr<OperatorHome> m_home;
};

void tst_Connect::init()
{
    m_home = std::make_unique<OperatorHome>();
}

RunResult tst_Connect::spettro(const QStringList &arguments, const QByteArray &input,
                               const QMap<QString, QString> &variables) const
{
    QProcess process;
    QProcessEnvironment environment = m_home->environment();
    environment.remove("BASH_ENV");
    for (auto variable = variables.begin(); variable != variables.end(); ++variable) {
        environment.insert(variable.key(), variable.value());
    }
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_home->workspace());
    process.start(spettroPath(), arguments);
    process.write(input);
    process.closeWriteChannel();
    RunResult result;
    // The server of the test answers in this event loop.
    result.timedOut = !QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000);
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

RunResult tst_Connect::connectTo(const HttpTestServer &server, const QByteArray &key,
                                 const QStringList &flags) const
{
    return spettro(QStringList{"connect", "openai", "--base-url", server.url().toString()} + flags, key);
}

QString tst_Connect::keyFile(const HttpTestServer &server) const
{
    return keyFolder() + QString("/openai@http:127.0.0.1:%1").arg(server.port());
}

void tst_Connect::makeKeyFile(const QString &name, const QByteArray &content) const
{
    QDir(m_home->folder()).mkpath(".spettro/keys");
    ::chmod(QFile::encodeName(keyFolder()).constData(), 0700);
    writeFile(keyFolder() + '/' + name, content);
    ::chmod(QFile::encodeName(keyFolder() + '/' + name).constData(), 0600);
}

QStringList tst_Connect::filesWith(const QByteArray &text) const
{
    QStringList found;
    QDirIterator files(m_home->folder(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        if (contentOf(path).contains(text)) {
            found.append(path);
        }
    }
    return found;
}

/// A goal run finds the key without any variable; its commands, its output and all that it keeps do not have it.
void tst_Connect::storedAndUsed()
{
    HttpTestServer lister(says(TwoModels));
    const RunResult connected = connectTo(lister, Key + "\n");
    QVERIFY2(connected.exitCode == 0, describe(connected));
    QVERIFY2(connected.output.contains("stored in " + QFile::encodeName(keyFile(lister))),
             describe(connected));
    QVERIFY2(connected.output.contains("offers 2 models"), describe(connected));
    QVERIFY2(!(connected.output + connected.errors).contains("TESTKEY"), describe(connected));
    QVERIFY(wasAskedOnce(lister, TwoModels));
    QVERIFY2(lister.requests.first().startsWith("GET /v1/models HTTP/1.1\r\n"), lister.requests.first());
    QVERIFY2(sendsKey(lister.requests.first()), lister.requests.first());
    QCOMPARE(contentOf(keyFile(lister)), Key + "\n");
    QCOMPARE(modeOf(keyFile(lister)), mode_t(0600));
    QCOMPARE(modeOf(keyFolder()), mode_t(0700));

    HttpTestServer working(workingServer("cat /proc/$$/environ /proc/$PPID/environ >seen; env >>seen; true"));
    QVERIFY(QFile::rename(keyFile(lister), keyFile(working)));
    const RunResult run = spettro(QStringList{"--goal", "look", "--provider", "openai", "--model", "m",
                                              "--base-url", working.url().toString(), "--json"}
                                  + WorkspaceOnly);
    QVERIFY2(run.exitCode == 0, describe(run));
    QCOMPARE(working.requests.size(), 2);
    for (const QByteArray &request : working.requests) {
        QVERIFY2(sendsKey(request), request);
        QCOMPARE(request.count("TESTKEY"), 1);
    }
    QVERIFY2(!(run.output + run.errors).contains("TESTKEY"), describe(run));
    QVERIFY2(contentOf(m_home->workspace("seen")).contains("PATH="), "nothing was seen");
    QCOMPARE(filesWith("TESTKEY"), QStringList{keyFile(working)});
}

void tst_Connect::notStored_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("401") << answer(401, R"({"error":{"message":"pk-TESTKEY123 is wrong"}})")
                         << QByteArray("does not accept the key");
    QTest::newRow("403") << answer(403, R"({"error":{"message":"not for pk-TESTKEY123"}})")
                         << QByteArray("does not accept the key");
    QTest::newRow("500") << answer(500, "pk-TESTKEY123 broke it") << QByteArray("500");
    QTest::newRow("429") << answer(429, R"({"error":{"message":"slow down"}})") << QByteArray("slow down");
    QTest::newRow("a page") << answer(200, "<html>pk-TESTKEY123 login</html>")
                            << QByteArray("no list of models");
    QTest::newRow("elsewhere") << QByteArray(
        "HTTP/1.1 302 X\r\nLocation: http://other.invalid/?k=pk-TESTKEY123\r\n"
        "Content-Length: 0\r\n\r\n")
                               << QByteArray("other.invalid");
    QTest::newRow("cut") << QByteArray() << QByteArray("Nothing is stored");
}

void tst_Connect::notStored()
{
    QFETCH(QByteArray, answer);
    QFETCH(QByteArray, words);
    HttpTestServer server(says(answer));
    const RunResult result = connectTo(server, Key);
    QVERIFY2(result.exitCode == 1, describe(result));
    QVERIFY2(result.errors.contains(words) && result.errors.contains("Nothing is stored."), describe(result));
    QVERIFY2(!(result.output + result.errors).contains("TESTKEY"), describe(result));
    QVERIFY(wasAskedOnce(server, answer));
    QCOMPARE(filesWith("TESTKEY"), QStringList());
}

void tst_Connect::notReachable()
{
    quint16 port = 0;
    {
        const HttpTestServer gone(hold);
        port = gone.port();
    }
    const RunResult result =
        spettro({"connect", "openai", "--base-url", QString("http://127.0.0.1:%1/v1").arg(port)}, Key);
    QVERIFY2(result.exitCode == 1, describe(result));
    QVERIFY2(result.errors.contains("127.0.0.1") && result.errors.contains("Nothing is stored."),
             describe(result));
    QCOMPARE(filesWith("TESTKEY"), QStringList());
}

void tst_Connect::badKeys_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::newRow("a header behind it") << Key + "\r\nX-Evil: 1";
    QTest::newRow("two lines") << Key + "\n" + Key + "\n";
    QTest::newRow("none") << QByteArray();
    QTest::newRow("an empty line") << QByteArray("\n");
    QTest::newRow("endless") << QByteArray(100'000, 'k');
}

void tst_Connect::badKeys()
{
    QFETCH(QByteArray, key);
    HttpTestServer server(says(TwoModels));
    const RunResult result = connectTo(server, key);
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(!result.errors.isEmpty() && !result.errors.contains("TESTKEY"), describe(result));
    QCOMPARE(server.connections(), 0);
    QVERIFY(!exists(keyFolder()));

    const RunResult exported =
        spettro({"models", "--provider", "openai", "--base-url", server.url().toString()}, {},
                {{"OPENAI_API_KEY", QString::fromUtf8(Key + "\r\nX-Evil: 1")}});
    QVERIFY2(exported.exitCode == 2 && exported.errors.contains("OPENAI_API_KEY"), describe(exported));
    QCOMPARE(server.connections(), 0);
}

/// No umask and no moment lets others read it.
void tst_Connect::privateFromTheFirstMoment()
{
    QVERIFY2(missingPackages({"strace"}).isEmpty(), "install: strace");
    HttpTestServer server(says(TwoModels));
    const QString log = m_home->folder() + "/calls";
    QProcess process;
    process.setProcessEnvironment(m_home->environment());
    process.start("/bin/sh",
                  {"-c",
                   "umask 000; exec strace -f -qq -o \"$0\" -e trace=openat,mkdir,mkdirat,chmod,fchmod "
                   "\"$@\"",
                   log, spettroPath(), "connect", "openai", "--base-url", server.url().toString()});
    process.write(Key);
    process.closeWriteChannel();
    QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
    QCOMPARE(modeOf(keyFile(server)), mode_t(0600));
    QCOMPARE(modeOf(keyFolder()), mode_t(0700));
    QCOMPARE(modeOf(m_home->folder() + "/.spettro"), mode_t(0700));
    int made = 0;
    for (const QByteArray &line : contentOf(log).split('\n')) {
        const bool isKey =
            line.contains("O_CREAT|O_EXCL"); // names are not seen of a process that is not dumpable
        made += isKey ? 1 : 0;
        QVERIFY2(!isKey || line.contains(", 0600)"), line);
        QVERIFY2(!line.contains("chmod"), line);
    }
    QVERIFY2(made >= 1, contentOf(log));
}

void tst_Connect::replaced()
{
    HttpTestServer server(says(TwoModels));
    QVERIFY(connectTo(server, Key).exitCode == 0);
    QFile old(keyFile(server));
    QVERIFY(old.open(QIODevice::ReadOnly));
    writeFile(keyFolder() + "/." + QFileInfo(keyFile(server)).fileName() + ".new", "left by a killed one");
    const RunResult result = connectTo(server, "sk-OTHER", {"--file"});
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(contentOf(keyFile(server)), QByteArray("sk-OTHER\n"));
    QCOMPARE(old.readAll(), Key + "\n"); // a new file, never one that is half written
    QCOMPARE(QDir(keyFolder()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(), 1);
    QCOMPARE(modeOf(keyFile(server)), mode_t(0600));
}

/// A stored key goes to the server that it was stored for, whoever is asked for by the same provider's name.
void tst_Connect::otherOrigin()
{
    HttpTestServer known(says(TwoModels));
    HttpTestServer other(says(TwoModels));
    QVERIFY(connectTo(known, Key).exitCode == 0);
    makeKeyFile("openai", "pk-TESTKEYOWN\n");
    for (const char *provider : {"openai", "openai-responses"}) {
        const RunResult result =
            spettro({"models", "--provider", provider, "--base-url", other.url().toString()});
        QVERIFY2(result.exitCode == 0, describe(result));
        QVERIFY2(!sendsAnyKey(other.requests.last()) && !other.requests.last().contains("TESTKEY"),
                 other.requests.last());
    }
    spettro(QStringList{"--goal", "x", "--provider", "openai", "--model", "m", "--max-iterations", "1",
                        "--base-url", other.url().toString()}
            + WorkspaceOnly);
    QVERIFY(other.requests.size() >= 3);
    QVERIFY2(!other.requests.join().contains("TESTKEY"), other.requests.join());

    const RunResult control = spettro(
        {"models", "--provider", "openai-responses", "--base-url", known.url("/elsewhere").toString()});
    QVERIFY2(control.exitCode == 0, describe(control));
    QVERIFY2(sendsKey(known.requests.last()), known.requests.last());
}

void tst_Connect::refusedFiles_data()
{
    QTest::addColumn<QString>("spoil");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("a link") << R"(mv "$1" "$2/k"; ln -s "$2/k" "$1")" << QByteArray("it is a link");
    QTest::newRow("others may read it") << R"(chmod 604 "$1")" << QByteArray("other users have rights");
    QTest::newRow("the group may read it") << R"(chmod 640 "$1")" << QByteArray("other users have rights");
    QTest::newRow("the folder is open") << R"(chmod 755 "$3")" << QByteArray("other users have rights");
    QTest::newRow("the folder is a link") << R"(mv "$3" "$2/d"; ln -s "$2/d" "$3")" << QByteArray("keys");
    QTest::newRow("a fifo") << R"(rm "$1"; mkfifo -m 600 "$1")" << QByteArray("no regular file");
    QTest::newRow("a header in it") << R"(printf 'pk-TESTKEY123\r\nX-Evil: 1\n' >"$1")"
                                    << QByteArray("no key has");
    QTest::newRow("empty") << R"(: >"$1")" << QByteArray("no key in it");
}

void tst_Connect::refusedFiles()
{
    QFETCH(QString, spoil);
    QFETCH(QByteArray, words);
    HttpTestServer server(says(TwoModels));
    const QString file = keyFile(server);
    makeKeyFile(QFileInfo(file).fileName(), Key + "\n");
    const RunResult spoilt = run(shell(spoil, {file, m_home->folder(), keyFolder()}));
    QVERIFY2(spoilt.exitCode == 0, describe(spoilt));
    const RunResult result =
        spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.contains(words) && !result.errors.contains("TESTKEY"), describe(result));
    QCOMPARE(server.connections(), 0);
}

void tst_Connect::removed()
{
    HttpTestServer server(says(TwoModels));
    QVERIFY(connectTo(server, Key).exitCode == 0);
    const qsizetype asked = server.requests.size();
    const RunResult first = connectTo(server, {}, {"--remove"});
    QVERIFY2(first.exitCode == 0 && first.output.contains("forgotten"), describe(first));
    QCOMPARE(filesWith("TESTKEY"), QStringList());
    const RunResult second = connectTo(server, {}, {"--remove"});
    QVERIFY2(second.exitCode == 0 && second.output.contains("There was no key"), describe(second));
    QCOMPARE(server.requests.size(), asked);
}

void tst_Connect::providerWithoutKeys()
{
    HttpTestServer server(says(TwoModels));
    const RunResult result = spettro({"connect", "ollama", "--base-url", server.url().toString()}, Key);
    QVERIFY2(result.exitCode == 0 && result.output.contains("offers 2 models"), describe(result));
    QVERIFY2(!sendsAnyKey(server.requests.first()), server.requests.first());
    QVERIFY(!exists(keyFolder()));
}

void tst_Connect::wrongUse_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("unknown provider") << QStringList{"connect", "nobody"} << QByteArray("anthropic, openai");
    QTest::newRow("scripted") << QStringList{"connect", "scripted"} << QByteArray("anthropic, openai");
    QTest::newRow("no address") << QStringList{"connect", "openai", "--base-url", "ftp://x"}
                                << QByteArray("--base-url");
    QTest::newRow("no key to remove")
        << QStringList{"connect", "ollama", "--remove"} << QByteArray("has no key");
    QTest::newRow("models of nobody") << QStringList{"models"} << QByteArray("--provider");
    QTest::newRow("models without a key")
        << QStringList{"models", "--provider", "anthropic"} << QByteArray("spettro connect anthropic");
    QTest::newRow("goal without a key")
        << QStringList{"--goal", "x", "--provider", "openai", "--model", "m"} + WorkspaceOnly
        << QByteArray("OPENAI_API_KEY");
}

void tst_Connect::wrongUse()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, words);
    const RunResult result = spettro(arguments, Key);
    QVERIFY2(result.exitCode == 2 && result.errors.contains(words), describe(result));
    QVERIFY2(!result.errors.contains("TESTKEY"), describe(result));
}

void tst_Connect::typed()
{
    HttpTestServer server(says(TwoModels));
    RunOptions options;
    options.environment = m_home->environment();
    options.folder = m_home->workspace();
    TerminalSession terminal({spettroPath(), "connect", "openai", "--base-url", server.url().toString()},
                             options);
    const termios before = terminal.modes();
    QVERIFY2(terminal.shows("Key of openai for 127.0.0.1: "), terminal.screen());
    QVERIFY((terminal.modes().c_lflag & ECHO) == 0);
    terminal.type(Key + "\r");
    QVERIFY2(terminal.shows("offers 2 models"), terminal.screen());
    QVERIFY(terminal.comesToHave(before));
    QCOMPARE(terminal.waitForEnd(), 0);
    QVERIFY2(!terminal.screen().contains("TESTKEY") && !terminal.screen().contains("pk-"), terminal.screen());
    QCOMPARE(contentOf(keyFile(server)), Key + "\n");
}

/// Ctrl-Z leaves a terminal that shows what is typed, and going on asks again.
void tst_Connect::typedAndStopped()
{
    HttpTestServer server(says(TwoModels));
    RunOptions options;
    options.environment = m_home->environment();
    options.environment.insert("PS1", "ready> ");
    options.environment.remove("ENV");
    options.folder = m_home->workspace();
    TerminalSession terminal({"/bin/bash", "--norc", "--noprofile", "-i"}, options);
    QVERIFY2(terminal.shows("ready> "), terminal.screen());
    terminal.type(QFile::encodeName(spettroPath()) + " connect openai --base-url "
                  + server.url().toString().toUtf8() + "\r");
    QVERIFY2(terminal.shows("Key of openai for 127.0.0.1: "), terminal.screen());
    terminal.type("\x1a");
    QVERIFY2(terminal.shows("ready> "), terminal.screen());
    terminal.type("fg\r");
    QVERIFY2(terminal.shows("Key of openai for 127.0.0.1: "), terminal.screen());
    QTRY_VERIFY((terminal.modes().c_lflag & ECHO) == 0);
    terminal.type(Key + "\r");
    QVERIFY2(terminal.shows("offers 2 models"), terminal.screen());
    QVERIFY2(!terminal.screen().contains("TESTKEY"), terminal.screen());
}

void tst_Connect::interrupted_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << 0;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
    QTest::newRow("SIGQUIT") << SIGQUIT;
}

void tst_Connect::interrupted()
{
    QFETCH(int, signal);
    HttpTestServer server(says(TwoModels));
    RunOptions options;
    options.environment = m_home->environment();
    options.folder = m_home->workspace();
    TerminalSession terminal({spettroPath(), "connect", "openai", "--base-url", server.url().toString()},
                             options);
    const termios before = terminal.modes();
    QVERIFY2(terminal.shows("Key of openai for 127.0.0.1: "), terminal.screen());
    terminal.type(Key.left(5));
    if (signal == 0) {
        terminal.type("\x03");
    } else {
        ::kill(terminal.process(), signal);
    }
    QCOMPARE(terminal.waitForEnd(), 128 + (signal == 0 ? SIGINT : signal));
    QVERIFY(terminal.comesToHave(before));
    QCOMPARE(server.connections(), 0);
    QVERIFY(!exists(keyFolder()));
}

/// A run whose key is in its environment asks nobody: neither the bus nor a file.
void tst_Connect::variableComesFirst()
{
    HttpTestServer server(says(TwoModels));
    makeKeyFile(QFileInfo(keyFile(server)).fileName(), "sk-STORED\n");
    QLocalServer bus;
    QVERIFY(bus.listen(m_home->folder() + "/bus"));
    const RunResult result =
        spettro({"models", "--provider", "openai", "--base-url", server.url().toString()}, {},
                {{"OPENAI_API_KEY", QString::fromUtf8(Key)},
                 {"DBUS_SESSION_BUS_ADDRESS", "unix:path=" + bus.fullServerName()}});
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY2(sendsKey(server.requests.first()), server.requests.first());
    QTest::qWait(50);
    QVERIFY(!bus.hasPendingConnections());
}

/// A bus that never answers costs three seconds, then the file is used. What asks it has no key in its environment.
void tst_Connect::silentKeyStore()
{
    HttpTestServer server(says(TwoModels));
    makeKeyFile(QFileInfo(keyFile(server)).fileName(), Key + "\n");
    QLocalServer bus;
    QVERIFY(bus.listen(m_home->folder() + "/bus"));
    QByteArray environment;
    connect(&bus, &QLocalServer::newConnection, &bus, [&] {
        for (const QString &process : QDir("/proc").entryList({"[0-9]*"})) {
            const QByteArray folder = "/proc/" + process.toUtf8();
            if (contentOf(folder + "/comm").startsWith("spettro-keyring")
                && contentOf(folder + "/environ").contains(m_home->folder().toUtf8())) {
                environment = contentOf(folder + "/environ");
            }
        }
    });
    QElapsedTimer timer;
    timer.start();
    const RunResult result =
        spettro({"models", "--provider", "openai", "--base-url", server.url().toString()}, {},
                {{"DBUS_SESSION_BUS_ADDRESS", "unix:path=" + bus.fullServerName()},
                 {"ANTHROPIC_API_KEY", "pk-TESTKEYOTHER"}});
    QVERIFY2(result.exitCode == 0, describe(result));
    QVERIFY2(sendsKey(server.requests.first()), server.requests.first());
    QVERIFY(timer.elapsed() >= 2'900 && timer.elapsed() < 20'000);
    QVERIFY(bus.hasPendingConnections());
    QVERIFY2(!environment.contains("TESTKEY"), environment);
    if (isRoot()) {
        QVERIFY2(environment.contains("DBUS_SESSION_BUS_ADDRESS="), "its environment was not seen");
    }

    QFile::remove(keyFile(server));
    const RunResult without = spettro({"models", "--provider", "openai"}, {},
                                      {{"DBUS_SESSION_BUS_ADDRESS", "unix:path=" + bus.fullServerName()}});
    QVERIFY2(without.exitCode == 2 && without.errors.contains("no answer within 3 s"), describe(without));
}

void tst_Connect::withoutEncryption()
{
    HttpTestServer proxy(says(TwoModels));
    const QMap<QString, QString> throughProxy{
        {"http_proxy", QString("http://127.0.0.1:%1").arg(proxy.port())}};
    const QStringList far{"--base-url", "http://models.invalid/v1"};
    const RunResult connected = spettro(QStringList{"connect", "openai"} + far, Key, throughProxy);
    QVERIFY2(connected.exitCode == 0, describe(connected));
    QCOMPARE(connected.errors.count("without encryption"), 1);
    QVERIFY2(connected.errors.contains("models.invalid"), describe(connected));
    const RunResult models = spettro(QStringList{"models", "--provider", "openai"} + far, {}, throughProxy);
    QCOMPARE(models.errors.count("without encryption"), 1);
    const RunResult goal = spettro(
        QStringList{"--goal", "x", "--provider", "openai", "--model", "m", "--quiet"} + far + WorkspaceOnly,
        {}, throughProxy);
    QCOMPARE(goal.errors.count("without encryption"), 1);
    QVERIFY2(sendsKey(proxy.requests.last()), proxy.requests.last());

    HttpTestServer near(says(TwoModels));
    const RunResult control = connectTo(near, Key);
    QVERIFY2(!control.errors.contains("encryption"), describe(control));
    const RunResult keyless = spettro(QStringList{"models", "--provider", "ollama"} + far, {}, throughProxy);
    QVERIFY2(keyless.exitCode == 0 && !keyless.errors.contains("encryption"), describe(keyless));
}

void tst_Connect::models()
{
    HttpTestServer server(says(TwoModels));
    const QStringList ask{"models", "--provider", "openai", "--base-url", server.url().toString()};
    const RunResult text = spettro(ask);
    QVERIFY2(text.exitCode == 0, describe(text));
    QCOMPARE(text.output, QByteArray("alpha\nzeta\n"));
    const RunResult json = spettro(ask + QStringList{"--json"});
    QCOMPARE(json.output, QByteArray("[{\"id\":\"alpha\",\"context_tokens\":4096},{\"id\":\"zeta\"}]\n"));
    const RunResult one = spettro(ask + QStringList{"--model", "zeta"});
    QCOMPARE(one.output, QByteArray("zeta\n"));
    const RunResult none = spettro(ask + QStringList{"--model", "zet"});
    QVERIFY2(none.exitCode == 1 && none.output.isEmpty() && none.errors.contains("does not offer zet"),
             describe(none));
}

void tst_Connect::modelsInParts()
{
    const QByteArrayList answers{
        answer(200, R"({"data":[{"id":"c"},{"id":"b"}],"has_more":true,"last_id":"b&x=1%41"})"),
        answer(200, R"({"data":[{"id":"a"}],"has_more":false,"last_id":"a"})"),
    };
    HttpTestServer server([&](QTcpSocket *socket) {
        socket->write(answers.at(server.requests.last().contains("after_id=") ? 1 : 0));
        socket->disconnectFromHost();
    });
    const RunResult result =
        spettro({"models", "--provider", "anthropic", "--base-url", server.url().toString() + "?beta=1"}, {},
                {{"ANTHROPIC_API_KEY", QString::fromUtf8(Key)}});
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(result.output, QByteArray("a\nb\nc\n"));
    QVERIFY2(server.requests.first().startsWith("GET /v1/models?beta=1&limit=1000 HTTP/1.1\r\n"),
             server.requests.first());
    QVERIFY2(server.requests.last().startsWith(
                 "GET /v1/models?beta=1&limit=1000&after_id=b%26x%3D1%2541 HTTP/1.1\r\n"),
             server.requests.last());
    for (const QByteArray &request : server.requests) {
        QVERIFY2(request.contains("x-api-key: " + Key + "\r\n"), request);
        QVERIFY2(request.contains("anthropic-version: 2023-06-01\r\n"), request);
    }
}

void tst_Connect::endlessParts()
{
    for (const bool isSame : {true, false}) {
        int part = 0;
        HttpTestServer server([&](QTcpSocket *socket) {
            const QByteArray id = isSame ? QByteArray("m") : "m" + QByteArray::number(++part);
            socket->write(answer(200, R"({"data":[{"id":")" + id + R"("}],"has_more":true})"));
            socket->disconnectFromHost();
        });
        const RunResult result =
            spettro({"models", "--provider", "anthropic", "--base-url", server.url().toString()});
        QVERIFY2(result.exitCode == 0, describe(result));
        const qsizetype parts = isSame ? 2 : 100;
        QVERIFY(server.requests.size() >= parts && server.requests.size() <= parts + 10); // see wasAskedOnce
    }
}

void tst_Connect::modelsFail_data()
{
    notStored_data();
}

void tst_Connect::modelsFail()
{
    QFETCH(QByteArray, answer);
    HttpTestServer server(says(answer));
    const RunResult result =
        spettro({"models", "--provider", "openai", "--base-url", server.url().toString()}, {},
                {{"OPENAI_API_KEY", QString::fromUtf8(Key)}});
    QVERIFY2(result.exitCode == 1 && result.output.isEmpty() && result.errors.size() > 20, describe(result));
    QVERIFY2(!result.errors.contains("TESTKEY"), describe(result));
    QVERIFY(wasAskedOnce(server, answer));
}

void tst_Connect::namesCannotMoveTheTerminal()
{
    HttpTestServer server(says(answer(200, "{\"data\":[{\"id\":\"a\\u001b[2J\\nb\\u202e\"}]}")));
    const QStringList ask{"models", "--provider", "openai", "--base-url", server.url().toString()};
    const RunResult text = spettro(ask);
    QCOMPARE(text.output, QByteArray("a\\x1b[2J\\x0ab\\u202e\n"));
    const RunResult json = spettro(ask + QStringList{"--json"});
    QVERIFY2(json.exitCode == 0 && !json.output.contains('\x1b'), describe(json));
}

void tst_Connect::listWithoutEnd()
{
    qint64 sent = 0;
    HttpTestServer server([&sent](QTcpSocket *socket) {
        socket->write(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"data\":[");
        QObject::connect(socket, &QTcpSocket::bytesWritten, socket, [socket, &sent](qint64 count) {
            sent += count;
            if (socket->bytesToWrite() < 1'000'000) {
                socket->write(QByteArray(1'000'000, ' '));
            }
        });
    });
    const RunResult result =
        spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(result.exitCode == 1 && result.errors.contains("too long"), describe(result));
    QVERIFY2(sent < 100'000'000, QByteArray::number(sent));
}

QTEST_GUILESS_MAIN(tst_Connect)

#include "tst_connect.moc"
