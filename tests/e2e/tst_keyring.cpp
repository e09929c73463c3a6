// Keys in the desktop's key store: a real bus and GNOME's keyring, of the test's own.

#include "tests/support/HttpTestServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QTest>

#include <sys/stat.h>

using namespace spettro::test;

namespace {

const QByteArray Key = "sk-TESTKEY123";
const QByteArray TwoModels = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
                             R"({"data":[{"id":"a"},{"id":"b"}]})";

} // namespace

class tst_Keyring : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void storedUsedAndRemoved();
    void keyStoreComesBeforeTheFile();
    void fileOnly();
    void goalRun();
    void noStoreOnTheBus();
    void lockedStore();

private:
    enum class Store { None, Unlocked, Locked };

    void startBus(Store store);
    QProcessEnvironment environment() const;
    RunResult spettro(const QStringList &arguments, const QByteArray &input = {}) const;
    RunResult connectTo(const HttpTestServer &server, const QByteArray &key,
                        const QStringList &flags = {}) const;
    QString name(const HttpTestServer &server) const;
    QString keyFile(const HttpTestServer &server) const;
    /// What another program finds in the key store.
    QByteArray stored(const HttpTestServer &server) const;
    bool isInAFile(const QByteArray &text) const;

    std::unique_ptr<OperatorHome> m_home;
    std::unique_ptr<QProcess> m_bus;
    std::unique_ptr<QProcess> m_daemon;
    QString m_address;
};

void tst_Keyring::init()
{
    const QStringList missing =
        missingPackages({"dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"});
    QVERIFY2(missing.isEmpty(), "install: dbus-bin dbus-daemon gnome-keyring libsecret-tools");
    m_home = std::make_unique<OperatorHome>();
    QDir(m_home->folder()).mkpath("run");
    ::chmod(QFile::encodeName(m_home->folder() + "/run").constData(), 0700);
}

void tst_Keyring::cleanup()
{
    for (const auto &process : {m_daemon.get(), m_bus.get()}) {
        if (process) {
            process->kill();
            process->waitForFinished();
        }
    }
    m_daemon.reset();
    m_bus.reset();
}

/// A bus without services that it could start.
void tst_Keyring::startBus(Store store)
{
    const QString configuration = m_home->folder() + "/bus.conf";
    writeFile(
        configuration,
        "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
        "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n<busconfig><type>session</type>"
        "<listen>unix:dir="
            + m_home->folder().toUtf8()
            + "/run</listen><auth>EXTERNAL</auth>"
              "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
              "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n");
    m_bus = std::make_unique<QProcess>();
    m_bus->setProcessEnvironment(m_home->environment());
    m_bus->start("/usr/bin/dbus-daemon", {"--config-file=" + configuration, "--nofork", "--print-address"});
    QVERIFY(m_bus->waitForReadyRead(10'000));
    m_address = QString::fromUtf8(m_bus->readLine().trimmed());
    QVERIFY2(m_address.startsWith("unix:"), qPrintable(m_address));
    if (store == Store::None) {
        return;
    }
    m_daemon = std::make_unique<QProcess>();
    m_daemon->setProcessEnvironment(environment());
    QStringList arguments{"--foreground", "--components=secrets",
                          "--control-directory=" + m_home->folder() + "/run"};
    m_daemon->start("/usr/bin/gnome-keyring-daemon",
                    store == Store::Unlocked ? arguments + QStringList{"--unlock"} : arguments);
    m_daemon->write("a password");
    m_daemon->closeWriteChannel();
    QVERIFY(QTest::qWaitFor(
        [&] {
            RunOptions options;
            options.environment = environment();
            const RunResult names =
                run({"/usr/bin/dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                     "org.freedesktop.DBus.ListNames"},
                    options);
            return names.output.contains("org.freedesktop.secrets");
        },
        10'000));
}

QProcessEnvironment tst_Keyring::environment() const
{
    QProcessEnvironment environment = m_home->environment();
    environment.remove("BASH_ENV");
    environment.insert("DBUS_SESSION_BUS_ADDRESS", m_address);
    environment.insert("XDG_RUNTIME_DIR", m_home->folder() + "/run");
    return environment;
}

RunResult tst_Keyring::spettro(const QStringList &arguments, const QByteArray &input) const
{
    QProcess process;
    process.setProcessEnvironment(environment());
    process.setWorkingDirectory(m_home->workspace());
    process.start(spettroPath(), arguments);
    process.write(input);
    process.closeWriteChannel();
    RunResult result;
    result.timedOut = !QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000);
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

RunResult tst_Keyring::connectTo(const HttpTestServer &server, const QByteArray &key,
                                 const QStringList &flags) const
{
    return spettro(QStringList{"connect", "openai", "--base-url", server.url().toString()} + flags, key);
}

QString tst_Keyring::name(const HttpTestServer &server) const
{
    return QString("openai@http:127.0.0.1:%1").arg(server.port());
}

QString tst_Keyring::keyFile(const HttpTestServer &server) const
{
    return m_home->folder() + "/.spettro/keys/" + name(server);
}

QByteArray tst_Keyring::stored(const HttpTestServer &server) const
{
    RunOptions options;
    options.environment = environment();
    return run({"/usr/bin/secret-tool", "lookup", "server", "spettro", "user", name(server)}, options)
        .output.trimmed();
}

bool tst_Keyring::isInAFile(const QByteArray &text) const
{
    QDirIterator files(m_home->folder(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        if (contentOf(files.next()).contains(text)) {
            return true;
        }
    }
    return false;
}

void tst_Keyring::storedUsedAndRemoved()
{
    startBus(Store::Unlocked);
    HttpTestServer server(says(TwoModels));
    const RunResult connected = connectTo(server, Key + "\n");
    QVERIFY2(connected.exitCode == 0 && connected.output.contains("the desktop's key store"),
             describe(connected));
    QVERIFY2(connected.errors.isEmpty(), describe(connected));
    QCOMPARE(stored(server), Key);
    QVERIFY(!isInAFile("TESTKEY"));

    const RunResult used = spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(used.exitCode == 0, describe(used));
    QVERIFY2(server.requests.last().contains("Authorization: Bearer " + Key + "\r\n"),
             server.requests.last());
    HttpTestServer other(says(TwoModels));
    QCOMPARE(spettro({"models", "--provider", "openai", "--base-url", other.url().toString()}).exitCode, 0);
    QVERIFY2(!other.requests.last().contains("Authorization"), other.requests.last());

    const RunResult removed = connectTo(server, {}, {"--remove"});
    QVERIFY2(removed.exitCode == 0 && removed.output.contains("forgotten"), describe(removed));
    QCOMPARE(stored(server), QByteArray());
    const RunResult again = connectTo(server, {}, {"--remove"});
    QVERIFY2(again.exitCode == 0 && again.output.contains("There was no key"), describe(again));
}

void tst_Keyring::keyStoreComesBeforeTheFile()
{
    startBus(Store::Unlocked);
    HttpTestServer server(says(TwoModels));
    QCOMPARE(connectTo(server, Key).exitCode, 0);
    QDir(m_home->folder()).mkpath(".spettro/keys");
    ::chmod(QFile::encodeName(m_home->folder() + "/.spettro/keys").constData(), 0700);
    writeFile(keyFile(server), "sk-OLD\n");
    ::chmod(QFile::encodeName(keyFile(server)).constData(), 0600);
    spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(server.requests.last().contains(Key), server.requests.last());

    const RunResult connected = connectTo(server, "sk-NEW");
    QVERIFY2(connected.exitCode == 0, describe(connected));
    QCOMPARE(stored(server), QByteArray("sk-NEW"));
    QVERIFY(!exists(keyFile(server))); // a key lies in one place only
}

void tst_Keyring::fileOnly()
{
    startBus(Store::Unlocked);
    HttpTestServer server(says(TwoModels));
    QCOMPARE(connectTo(server, "sk-OLD").exitCode, 0);
    const RunResult connected = connectTo(server, Key, {"--file"});
    QVERIFY2(connected.exitCode == 0 && connected.output.contains("/.spettro/keys/"), describe(connected));
    QCOMPARE(contentOf(keyFile(server)), Key + "\n");
    QCOMPARE(stored(server), QByteArray());
    spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(server.requests.last().contains(Key), server.requests.last());
}

/// The key of a goal run comes from the key store; its commands do not get at either.
void tst_Keyring::goalRun()
{
    startBus(Store::Unlocked);
    HttpTestServer server(says(TwoModels));
    QCOMPARE(connectTo(server, Key).exitCode, 0);
    const RunResult run = spettro(QStringList{"--goal", "x", "--provider", "openai", "--model", "m",
                                              "--base-url", server.url().toString(), "--max-iterations", "1"}
                                  + WorkspaceOnly);
    QVERIFY2(server.requests.size() >= 2, describe(run));
    QVERIFY2(server.requests.at(1).startsWith("POST ") && server.requests.at(1).contains("Bearer " + Key),
             server.requests.at(1));
    QVERIFY2(!(run.output + run.errors).contains("TESTKEY"), describe(run));
    QVERIFY(!isInAFile("TESTKEY"));
}

void tst_Keyring::noStoreOnTheBus()
{
    startBus(Store::None);
    HttpTestServer server(says(TwoModels));
    QElapsedTimer timer;
    timer.start();
    const RunResult connected = connectTo(server, Key);
    QVERIFY2(connected.exitCode == 0 && connected.output.contains("/.spettro/keys/"), describe(connected));
    QVERIFY2(connected.errors.startsWith("spettro: the desktop's key store: "), describe(connected));
    QCOMPARE(connected.errors.count('\n'), 1);
    const RunResult used = spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(used.exitCode == 0 && used.errors.isEmpty(), describe(used));
    QVERIFY2(server.requests.last().contains(Key), server.requests.last());
    QVERIFY(timer.elapsed() < 10'000);
    const RunResult removed = connectTo(server, {}, {"--remove"});
    QVERIFY2(removed.exitCode == 0 && !exists(keyFile(server)), describe(removed));
}

/// Nobody is there to unlock it: the end comes soon, and the key lies in the file.
void tst_Keyring::lockedStore()
{
    startBus(Store::Locked);
    HttpTestServer server(says(TwoModels));
    QElapsedTimer timer;
    timer.start();
    const RunResult connected = connectTo(server, Key);
    QVERIFY2(connected.exitCode == 0 && connected.output.contains("/.spettro/keys/"), describe(connected));
    QVERIFY2(connected.errors.contains("the desktop's key store: "), describe(connected));
    const RunResult used = spettro({"models", "--provider", "openai", "--base-url", server.url().toString()});
    QVERIFY2(used.exitCode == 0, describe(used));
    QVERIFY2(server.requests.last().contains(Key), server.requests.last());
    QVERIFY(timer.elapsed() < 30'000);
}

QTEST_GUILESS_MAIN(tst_Keyring)

#include "tst_keyring.moc"
