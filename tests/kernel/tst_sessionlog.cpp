// What a session keeps on disk: whatever happens to the writer, to the disk or to the file, whole records come back and
// new ones can be added.

#include "app/agent/session/RecordText.h"
#include "app/agent/session/SessionId.h"
#include "app/agent/session/SessionStore.h"
#include "tests/support/Fixture.h"
#include "tests/support/TinyDisk.h"

#include <QDir>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QSet>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spettro;
using namespace spettro::test;

namespace {

constexpr quint32 Seed = 20261130;
const QByteArray Workspace = "/w/\xc3\xa4 %\xff";

const RecordVisitor Ignore = [](Json &&) {};

/// A state folder of its own.
class State
{
public:
    explicit State(const QString &folder = {}) : m_folder(folder.isEmpty() ? m_fixture.folder() : folder) {}

    QByteArray folder() const { return QFile::encodeName(m_folder); }
    QString path(const QByteArray &id, const QString &name = "log.jsonl") const
    {
        return m_folder + "/sessions/" + id + '/' + name;
    }
    SessionStore store() const { return SessionStore::open(folder()).value(); }

private:
    Fixture m_fixture;
    QString m_folder;
};

QByteArray dumped(const Json &json)
{
    return QByteArray::fromStdString(json.dump());
}

/// The records of a session as their own texts, without the time; the session is not changed.
QList<QByteArray> recordsOf(const State &state, const QByteArray &id)
{
    QList<QByteArray> records;
    const auto found = state.store().read(id, [&](Json &&record) {
        record.erase("time");
        records.append(dumped(record));
    });
    return found ? records : QList<QByteArray>{"error: " + found.error().message};
}

QByteArray message(int number)
{
    return dumped(Json{{"type", "message"}, {"number", number}});
}

Json numbered(int number)
{
    return {{"number", number}};
}

/// Runs a function in a process of its own, which ends with what it returns.
template<typename Function>
pid_t inProcess(Function function)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(function());
    }
    return child;
}

/// The exit code; -1 after a signal.
int ending(pid_t process)
{
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

mode_t modeOf(const QString &path)
{
    struct stat status;
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 ? status.st_mode & 07777 : 0;
}

QByteArray makeSession(const State &state, int records)
{
    ToolOutcome<SessionLog> log = state.store().create(Workspace);
    for (int i = 0; i < records; ++i) {
        log.value().append("message", numbered(i));
    }
    return log->id();
}

QByteArray errorText(const std::optional<ToolError> &error)
{
    return error ? error->message : QByteArray();
}

template<typename T>
QByteArray errorText(const ToolOutcome<T> &outcome)
{
    return outcome ? QByteArray() : outcome.error().message;
}

/// Sets a limit of file sizes for its lifetime, which makes a write stop in the middle as a full disk does.
class FileSizeLimit
{
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_old);
        const rlimit limit{bytes, m_old.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &m_old); }

private:
    rlimit m_old;
};

} // namespace

class tst_SessionLog : public QObject
{
    Q_OBJECT

private slots:
    void keepsWhatIsAppended();
    void isTheOperatorsAlone();
    void textIsAlwaysUnicode();
    void refusesWhatItCouldNotRead();
    void survivesACutAtEveryByte();
    void opensBrokenFiles_data();
    void opensBrokenFiles();
    void fuzzedFilesKeepWhatIsWhole();
    void survivesSigkill();
    void writeThatStopsInTheMiddle();
    void fullDisk();
    void oneProcessASession();
    void tenProcessesBeginSessions();
    void refusesLinks_data();
    void refusesLinks();
    void refusesForeignNames();
    void loadsFiftyMegabytes();
    void removesAll();
    void lists();
    void newerVersionIsOnlyShown();
    void movesToAnotherWorkspace();
};

void tst_SessionLog::keepsWhatIsAppended()
{
    const State state;
    QByteArray id;
    {
        ToolOutcome<SessionLog> log = state.store().create(Workspace);
        QVERIFY(log);
        id = log->id();
        QVERIFY(!log.value().append("message", {{"text", "a\nb"}, {"type", "no"}, {"time", "no"}}));
        QVERIFY(!log.value().append("future", {{"deep", {{"x", Json::array({1, 2.5, nullptr})}}}}));
        QVERIFY(!log.value().endTurn());
    }
    QList<QByteArray> seen;
    ToolOutcome<SessionLog> log = state.store().resume(id, [&](Json &&record) {
        QVERIFY(record.at("time").get<std::string>().ends_with('Z'));
        record.erase("time");
        seen.append(dumped(record));
    });
    QVERIFY2(log, errorText(log).constData());
    QCOMPARE(seen, (QList<QByteArray>{R"({"type":"session","version":1,"workspace":"/w/%C3%A4%20%25%FF"})",
                                      R"({"type":"message","text":"a\nb"})",
                                      R"({"type":"future","deep":{"x":[1,2.5,null]}})"}));
    QCOMPARE(*log->workspace(), Workspace);
    QCOMPARE(log->findings(), (LogFindings{3, 0, 0}));
    QVERIFY(!log.value().append("message", numbered(7)));
    QCOMPARE(recordsOf(state, id).last(), message(7));
}

void tst_SessionLog::isTheOperatorsAlone()
{
    const mode_t old = ::umask(0);
    const State state;
    const QByteArray id = makeSession(state, 1);
    QFile(state.path(id)).resize(QFileInfo(state.path(id)).size() - 3);
    QVERIFY(state.store().resume(id, Ignore));
    ::umask(old);
    QCOMPARE(modeOf(state.folder() + "/sessions"), mode_t(0700));
    QCOMPARE(modeOf(state.path(id, ".")), mode_t(0700));
    const QStringList files = QDir(state.path(id, ".")).entryList(QDir::Files);
    QCOMPARE(files.size(), 2); // the log and what was cut off
    for (const QString &name : files) {
        QCOMPARE(modeOf(state.path(id, name)), mode_t(0600));
    }
    QVERIFY(::chmod(QFile::encodeName(state.path(id)).constData(), 0640) == 0);
    const auto log = state.store().resume(id, Ignore);
    QVERIFY(!log && log.error().message.contains("other users have rights"));
    QVERIFY(::chmod(QFile::encodeName(state.path(id)).constData(), 0600) == 0);
    QVERIFY(state.store().resume(id, Ignore));
    QVERIFY(::chmod((state.folder() + "/sessions").constData(), 0750) == 0);
    QVERIFY(!SessionStore::open(state.folder()));
}

void tst_SessionLog::textIsAlwaysUnicode()
{
    const State state;
    ToolOutcome<SessionLog> log = state.store().create(Workspace);
    QRandomGenerator random(Seed);
    for (int i = 0; i < 300; ++i) {
        std::string text(static_cast<std::size_t>(random.bounded(60)), '\0');
        for (char &byte : text) {
            byte = static_cast<char>(random.bounded(256));
        }
        QVERIFY(!log.value().append(QByteArray::fromStdString(text), {{text, text}, {"list", {text, text}}}));
    }
    QCOMPARE(recordsOf(state, log->id()).size(), 301);                     // which a strict parser has read
    QVERIFY(!log.value().append("message", {{"text", "a\xff\xe2\x82z"}})); // shown as lost, and not left out
    QCOMPARE(recordsOf(state, log->id()).last(),
             QByteArray("{\"type\":\"message\",\"text\":\"a\xef\xbf\xbd\xef\xbf\xbdz\"}"));
    const QByteArray content = contentOf(state.path(log->id()));
    QCOMPARE(QString::fromUtf8(content).toUtf8(), content);
    QCOMPARE(content.count('\n'), 302);
}

void tst_SessionLog::refusesWhatItCouldNotRead()
{
    const State state;
    ToolOutcome<SessionLog> log = state.store().create(Workspace);
    Json deep = 1;
    for (int i = 0; i < 70; ++i) {
        deep = Json::array({deep});
    }
    QVERIFY(log.value().append("message", {{"deep", deep}}));
    QVERIFY(log.value().append("message", {{"large", std::string(LargestRecord, 'x')}}));
    QVERIFY(!log.value().append("message", {{"brackets", std::string(100'000, '[') + "\"\\"}}));
    QVERIFY(!log.value().append("message", {{"large", std::string(LargestRecord - 200, 'x')}}));
    QVERIFY(!log.value().append("message", numbered(1)));
    QCOMPARE(recordsOf(state, log->id()).size(), 4);
}

void tst_SessionLog::survivesACutAtEveryByte()
{
    const State state;
    const QByteArray id = makeSession(state, 4);
    const QByteArray whole = contentOf(state.path(id));
    const QList<QByteArray> all = recordsOf(state, id);
    const qsizetype third = whole.lastIndexOf('\n', whole.lastIndexOf('\n', -2) - 1) + 1;
    for (qsizetype size = third; size <= whole.size(); ++size) {
        writeFile(state.path(id), whole.first(size));
        const qsizetype lines = whole.first(size).count('\n');
        // A record without its newline is whole.
        const bool isWhole = size == whole.size() - 1 || size == whole.lastIndexOf('\n', -2);
        QList<QByteArray> expected = all.first(lines + (isWhole ? 1 : 0));
        {
            ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
            QVERIFY2(log, errorText(log).constData());
            QCOMPARE(log->findings().records, expected.size());
            QCOMPARE(log->findings().brokenLines, 0);
            const qsizetype rest = isWhole ? 0 : size - (whole.first(size).lastIndexOf('\n') + 1);
            QCOMPARE(log->findings().bytesSetAside, rest);
            QVERIFY(!log.value().append("message", numbered(99)));
            QVERIFY(!log.value().endTurn());
        }
        expected.append(message(99));
        QCOMPARE(recordsOf(state, id), expected);
        ToolOutcome<SessionLog> again = state.store().resume(id, Ignore);
        QVERIFY(again);
        QCOMPARE(again->findings(), (LogFindings{expected.size(), 0, 0}));
    }
    // Nothing of what was cut off is lost.
    const QDir folder(state.path(id, "."));
    const QStringList aside = folder.entryList({"log.jsonl.cut-*"}, QDir::Files);
    QVERIFY(aside.size() > 100);
    for (const QString &name : aside) {
        const QByteArray part = contentOf(folder.filePath(name));
        QVERIFY(!part.isEmpty() && whole.contains(part));
    }
}

void tst_SessionLog::opensBrokenFiles_data()
{
    QTest::addColumn<QByteArray>("content"); // S: a session record, M: a message, each without its newline
    QTest::addColumn<int>("records");
    QTest::addColumn<int>("broken");
    QTest::addColumn<int>("aside");
    const auto row = [](const char *name, const QByteArray &content, int records, int broken, int aside) {
        QTest::newRow(name) << content << records << broken << aside;
    };
    row("empty", "", 0, 0, 0);
    row("newline", "\n", 0, 1, 0);
    row("half a record", "{\"type\":", 0, 0, 8);
    row("missing newline", "S\nM", 2, 0, 0);
    row("broken in the middle", "S\n{\"type\":\nM\n\nM\n", 3, 2, 0);
    row("broken first", "x\nM\n", 1, 1, 0);
    row("zeros behind", "S\n" + QByteArray(5000, '\0'), 1, 0, 5000);
    row("zeros between", "S\n" + QByteArray(5000, '\0') + "\nM\n", 2, 1, 0);
    row("invalid UTF-8", "S\n{\"type\":\"\xff\"}\nM\n", 2, 1, 0);
    row("no object", "S\n[1]\n3\n\"x\"\nnull\nM\n", 2, 4, 0);
    row("no type", "S\n{\"a\":1}\n{\"type\":3}\nM\n", 2, 2, 0);
    row("deep", "S\n{\"type\":\"x\",\"a\":" + QByteArray(1'000'000, '[') + "\nM\n", 2, 1, 0);
    row("long line", "S\n" + QByteArray(40'000'000, 'x') + "\nM\n", 2, 1, 0);
    row("long tail", "S\n" + QByteArray(40'000'000, 'x'), 1, 0, 40'000'000);
    row("CRLF", "S\r\nM\r\n", 2, 0, 0);
    row("two glued", "S\nMM\nM\n", 2, 1, 0);
}

void tst_SessionLog::opensBrokenFiles()
{
    QFETCH(QByteArray, content);
    QFETCH(int, records);
    QFETCH(int, broken);
    QFETCH(int, aside);
    const State state;
    const QByteArray id = makeSession(state, 0);
    content.replace("S", R"({"type":"session","version":1,"workspace":"/w"})").replace("M", message(1));
    writeFile(state.path(id), content);
    {
        ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
        QVERIFY2(log, errorText(log).constData());
        QCOMPARE(log->findings(), (LogFindings{records, broken, aside}));
        if (!log->workspace()) {
            QVERIFY(!log.value().enterWorkspace("/new"));
        }
        QVERIFY(!log.value().append("message", numbered(2)));
    }
    const QList<QByteArray> found = recordsOf(state, id);
    QCOMPARE(found.last(), message(2));
    ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
    QVERIFY(log->workspace());
    QCOMPARE(log->findings(), (LogFindings{found.size(), broken, 0}));
}

void tst_SessionLog::fuzzedFilesKeepWhatIsWhole()
{
    const State state;
    const QByteArray id = makeSession(state, 6);
    const QByteArray whole = contentOf(state.path(id));
    const QList<QByteArray> lines = whole.split('\n');
    QRandomGenerator random(Seed);
    for (int round = 0; round < 400; ++round) {
        QByteArray content = whole;
        const qsizetype place = random.bounded(content.size());
        const qsizetype size = 1 + random.bounded(40);
        switch (random.bounded(4)) {
        case 0:
            content.remove(place, size);
            break;
        case 1:
            content.insert(place, QByteArray(size, static_cast<char>(random.bounded(256))));
            break;
        case 2:
            content[place] = static_cast<char>(random.bounded(256));
            break;
        default:
            content.truncate(place);
        }
        writeFile(state.path(id), content);
        qsizetype untouched = 0;
        for (const QByteArray &line : content.split('\n')) {
            untouched += !line.isEmpty() && lines.contains(line) ? 1 : 0;
        }
        ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
        if (!log) { // a version that became a larger one
            QCOMPARE(log.error().number, EPROTONOSUPPORT);
            continue;
        }
        QVERIFY(log->findings().records >= untouched);
        const QList<QByteArray> before = recordsOf(state, id);
        QVERIFY(!log.value().append("message", numbered(round)));
        QCOMPARE(recordsOf(state, id), before + QList<QByteArray>{message(round)});
    }
}

void tst_SessionLog::survivesSigkill()
{
    const State state;
    QRandomGenerator random(Seed);
    const std::string filling(300'000, 'x');
    for (int round = 0; round < 50; ++round) {
        const QByteArray id = makeSession(state, 0);
        int pipe[2];
        QVERIFY(::pipe(pipe) == 0);
        const pid_t writer = inProcess([&] {
            ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
            for (int i = 0;; ++i) {
                log.value().append("message", {{"number", i}, {"filling", i % 7 == 0 ? filling : ""}});
                if (i % 3 == 0 && !log.value().endTurn() && ::write(pipe[1], &i, sizeof i) != sizeof i) {
                    return 1;
                }
            }
            return 0;
        });
        ::close(pipe[1]);
        int finished = -1;
        QVERIFY(::read(pipe[0], &finished, sizeof finished) == sizeof finished); // it has begun
        ::usleep(static_cast<useconds_t>(random.bounded(20'000)));
        ::kill(writer, SIGKILL);
        QCOMPARE(ending(writer), -1);
        for (int turn = 0; ::read(pipe[0], &turn, sizeof turn) == sizeof turn;) {
            finished = turn;
        }
        ::close(pipe[0]);
        int next = 0;
        ToolOutcome<SessionLog> log = state.store().resume(id, [&](Json &&record) {
            if (record.at("type") == "message") {
                QCOMPARE(record.at("number").get<int>(), next);
                ++next;
            }
        });
        QVERIFY2(log, errorText(log).constData()); // the lock is free
        QVERIFY2(next > finished, qPrintable(QString("%1 %2").arg(next).arg(finished)));
        QCOMPARE(log->findings().brokenLines, 0);
        QVERIFY(!log.value().append("message", numbered(next)));
        QVERIFY(!state.store().remove(makeSession(state, 0)));
    }
}

void tst_SessionLog::writeThatStopsInTheMiddle()
{
    const State state;
    ToolOutcome<SessionLog> log = state.store().create(Workspace);
    QVERIFY(!log.value().append("message", numbered(1)));
    const QByteArray before = contentOf(state.path(log->id()));
    {
        const FileSizeLimit limit(static_cast<rlim_t>(before.size() + 1000));
        const std::optional<ToolError> error = log.value().append("message", {{"x", std::string(5000, 'x')}});
        QVERIFY(error);
        QCOMPARE(error->number, EFBIG);
        QVERIFY2(error->message.contains("log.jsonl"), errorText(error).constData());
        QCOMPARE(contentOf(state.path(log->id())), before);
        QVERIFY(!log.value().append("message", numbered(2)));
    }
    QVERIFY(!log.value().append("message", numbered(3)));
    QCOMPARE(recordsOf(state, log->id()).mid(1), (QList<QByteArray>{message(1), message(2), message(3)}));
}

void tst_SessionLog::fullDisk()
{
    const TinyDisk disk(1024 * 1024);
    if (!disk.isValid()) {
        QSKIP(disk.reason().constData());
    }
    const State state(disk.path());
    ToolOutcome<SessionLog> log = state.store().create(Workspace);
    QVERIFY(!log.value().append("message", numbered(0)));
    disk.fill();
    int stored = 1;
    std::optional<ToolError> error;
    while (!error && stored < 1000) {
        error = log.value().append("message", {{"number", stored}, {"x", std::string(1500, 'x')}});
        stored += error ? 0 : 1;
    }
    QVERIFY(error);
    QCOMPARE(error->number, ENOSPC);
    QCOMPARE(recordsOf(state, log->id()).size(), 1 + stored);
    const auto second = state.store().create(Workspace);
    QVERIFY(!second);
    QCOMPARE(state.store().list().value().size(), 1); // nothing half made is left
    disk.free();
    QVERIFY(!log.value().append("message", numbered(stored)));
    QVERIFY(!log.value().endTurn());
    QCOMPARE(recordsOf(state, log->id()).size(), 2 + stored);
    QCOMPARE(recordsOf(state, log->id()).last(), message(stored));

    // A tail that cannot be saved is not cut off.
    const QByteArray id = log->id();
    log = ToolError{};
    const QByteArray whole = contentOf(state.path(id));
    writeFile(state.path(id), whole + "{\"type\"");
    disk.fill();
    const auto broken = state.store().resume(id, Ignore);
    QVERIFY(!broken);
    QCOMPARE(broken.error().number, ENOSPC);
    QCOMPARE(contentOf(state.path(id)), whole + "{\"type\"");
    QCOMPARE(QDir(state.path(id, ".")).entryList(QDir::Files).size(), 1);
    disk.free();
    QVERIFY(state.store().resume(id, Ignore));
    QCOMPARE(contentOf(state.path(id)), whole);
}

void tst_SessionLog::oneProcessASession()
{
    const State state;
    const QByteArray id = makeSession(state, 1);
    int ready[2];
    QVERIFY(::pipe(ready) == 0);
    const pid_t holder = inProcess([&] {
        const ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
        const char word = log ? 'y' : 'n';
        if (::write(ready[1], &word, 1) != 1) {
            return 1;
        }
        ::pause();
        return 0;
    });
    char word = 0;
    QVERIFY(::read(ready[0], &word, 1) == 1 && word == 'y');
    const auto second = state.store().resume(id, Ignore);
    QVERIFY(!second);
    QVERIFY2(second.error().message.contains("is in use by another Spettro"),
             second.error().message.constData());
    QCOMPARE(recordsOf(state, id).size(), 2); // reading is possible
    QVERIFY(state.store().remove(id));
    QCOMPARE(recordsOf(state, id).size(), 2);
    ::kill(holder, SIGKILL);
    QCOMPARE(ending(holder), -1);
    QVERIFY(state.store().resume(id, Ignore));
    {
        const ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
        QVERIFY(!state.store().resume(id, Ignore)); // nor twice in one process
    }
    QVERIFY(!state.store().remove(id));
    ::close(ready[0]);
    ::close(ready[1]);
}

void tst_SessionLog::tenProcessesBeginSessions()
{
    const State state;
    constexpr int Sessions = 50;
    QList<pid_t> processes;
    for (int i = 0; i < 10; ++i) {
        processes.append(inProcess([&] {
            const ToolOutcome<SessionStore> store = SessionStore::open(state.folder());
            for (int k = 0; store && k < Sessions; ++k) {
                ToolOutcome<SessionLog> log = store->create(Workspace);
                if (!log || log.value().append("message", numbered(i * Sessions + k))) {
                    return 1;
                }
            }
            return store ? 0 : 2;
        }));
    }
    for (const pid_t process : std::as_const(processes)) {
        QCOMPARE(ending(process), 0);
    }
    const QList<SessionInfo> infos = state.store().list().value();
    QCOMPARE(infos.size(), 10 * Sessions);
    QSet<QByteArray> messages;
    for (const SessionInfo &info : infos) {
        const QList<QByteArray> records = recordsOf(state, info.id);
        QCOMPARE(records.size(), 2);
        messages.insert(records.last());
    }
    QCOMPARE(messages.size(), 10 * Sessions);
}

void tst_SessionLog::refusesLinks_data()
{
    QTest::addColumn<QString>("place");
    QTest::newRow("sessions") << "sessions";
    QTest::newRow("session") << "sessions/ID";
    QTest::newRow("log") << "sessions/ID/log.jsonl";
}

void tst_SessionLog::refusesLinks()
{
    QFETCH(QString, place);
    const State state;
    const QByteArray id = makeSession(state, 1);
    place = state.folder() + '/' + place.replace("ID", id);
    const QByteArray moved = state.folder() + "/moved";
    QVERIFY(::rename(QFile::encodeName(place).constData(), moved.constData()) == 0);
    QVERIFY(::symlink(moved.constData(), QFile::encodeName(place).constData()) == 0);
    const QByteArray before = Fixture::snapshot(state.folder());
    const auto store = SessionStore::open(state.folder());
    if (store) {
        QVERIFY(!store->resume(id, Ignore));
        QVERIFY(!store->read(id, Ignore));
        QVERIFY(store->remove(id));
        QVERIFY(!store->list().value().first().problem.isEmpty());
    } else {
        QVERIFY(place.endsWith("sessions"));
    }
    QCOMPARE(Fixture::snapshot(state.folder()), before);
}

void tst_SessionLog::refusesForeignNames()
{
    const State state;
    const QByteArray id = makeSession(state, 1);
    for (const QByteArray &name :
         {QByteArray("../sessions/") + id, QByteArray("."), QByteArray(".."), QByteArray(), id + '/',
          id + '\n', id.toUpper() + 'A', QByteArray("20261130-000000-000000-ABCDEF"),
          QByteArray("20261130-000000-000000-abcdef")}) {
        QVERIFY(!state.store().resume(name, Ignore));
        QVERIFY(state.store().remove(name));
    }
    QVERIFY(isSessionId(id));
    QVERIFY(::mkfifo((state.folder() + "/sessions/20261130-000000-000000-abcdef").constData(), 0600) == 0);
    QVERIFY(!state.store().resume("20261130-000000-000000-abcdef", Ignore));
    QVERIFY(QFile::remove(state.path(id)));
    QVERIFY(::mkfifo(QFile::encodeName(state.path(id)).constData(), 0600) == 0);
    const auto log = state.store().resume(id, Ignore);
    QVERIFY(!log && log.error().message.contains("no regular file"));
}

void tst_SessionLog::loadsFiftyMegabytes()
{
    const State state;
    const QByteArray id = makeSession(state, 0);
    {
        ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
        for (int i = 0; i < 25'000; ++i) {
            log.value().append("result",
                               {{"number", i}, {"output", std::string(2000, 'x') + "\n\"\xc3\xa4"}});
        }
        log.value().append("result", {{"output", std::string(8'000'000, 'y')}});
        QVERIFY(!log.value().endTurn());
    }
    QVERIFY(QFileInfo(state.path(id)).size() > 50'000'000);
    const pid_t reader = inProcess([&] {
        qint64 count = 0;
        const ToolOutcome<SessionLog> log = state.store().resume(id, [&count](Json &&) { ++count; });
        rusage usage;
        ::getrusage(RUSAGE_SELF, &usage);
        if (!log || count != 25'002 || log->findings().records != count) {
            return 1;
        }
        // What sanitizers set aside counts as memory in use.
        return !IsSanitized && usage.ru_maxrss > 150 * 1024 ? 2 : 0;
    });
    QCOMPARE(ending(reader), 0);
}

void tst_SessionLog::removesAll()
{
    const State state;
    const QByteArray kept = makeSession(state, 1);
    const QByteArray id = makeSession(state, 1);
    QDir(state.path(id, ".")).mkpath("checkpoints/deeper");
    writeFile(state.path(id, "checkpoints/deeper/file"), "x");
    const QByteArray outside = state.folder() + "/canary";
    writeFile(outside, "canary");
    QVERIFY(::symlink(outside.constData(), QFile::encodeName(state.path(id, "link")).constData()) == 0);
    QVERIFY(::symlink(state.folder().constData(), QFile::encodeName(state.path(id, "folder")).constData())
            == 0);
    QDir(state.folder() + "/sessions").mkdir(".removed-20261130-000000-000000-abcdef"); // by a kill
    const std::optional<ToolError> error = state.store().remove(id);
    QVERIFY2(!error, errorText(error).constData());
    QCOMPARE(
        QDir(state.folder() + "/sessions").entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList{QString::fromLatin1(kept)});
    QCOMPARE(contentOf(outside), QByteArray("canary"));
    QVERIFY(state.store().remove(id));
    QVERIFY(QFile::remove(state.path(kept)));
    QVERIFY(!state.store().remove(kept)); // without a log as well
}

void tst_SessionLog::lists()
{
    const State state;
    QVERIFY(state.store().list().value().isEmpty());
    QList<QByteArray> ids;
    for (int i = 0; i < 20; ++i) {
        ids.append(makeSession(state, i));
    }
    QDir(state.folder() + "/sessions").mkdir("other");
    QVERIFY(QFile::remove(state.path(ids[3])));
    writeFile(state.path(ids[4]), "");
    const QList<SessionInfo> infos = state.store().list().value();
    QCOMPARE(infos.size(), 20);
    for (int i = 0; i < 20; ++i) {
        QCOMPARE(infos[i].id, ids[i]); // sorted by time
        QCOMPARE(!infos[i].problem.isEmpty(), i == 3);
        QCOMPARE(infos[i].workspace.has_value(), i != 3 && i != 4);
        QVERIFY(i == 3 || qAbs(infos[i].lastChange.secsTo(QDateTime::currentDateTimeUtc())) < 60);
    }
    QCOMPARE(*infos[0].workspace, Workspace);
    QCOMPARE(infos[5].size, QFileInfo(state.path(ids[5])).size());
}

void tst_SessionLog::newerVersionIsOnlyShown()
{
    const State state;
    const QByteArray id = makeSession(state, 1);
    const QByteArray content = contentOf(state.path(id)).replace("\"version\":1", "\"version\":2");
    writeFile(state.path(id), content);
    const auto log = state.store().resume(id, Ignore);
    QVERIFY(!log && log.error().message.contains("newer"));
    QCOMPARE(recordsOf(state, id).size(), 2);
    QCOMPARE(contentOf(state.path(id)), content);
}

void tst_SessionLog::movesToAnotherWorkspace()
{
    const State state;
    const QByteArray id = makeSession(state, 1);
    {
        ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
        QVERIFY(!log.value().enterWorkspace("/moved"));
        QCOMPARE(*log->workspace(), QByteArray("/moved"));
    }
    const ToolOutcome<SessionLog> log = state.store().resume(id, Ignore);
    QCOMPARE(*log->workspace(), QByteArray("/moved"));
}

QTEST_APPLESS_MAIN(tst_SessionLog)

#include "tst_sessionlog.moc"
