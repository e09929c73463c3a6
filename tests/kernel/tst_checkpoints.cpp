// Undo: the agent's changes go back, those of others stay, and nothing is lost on the way, whatever happens in between.

#include "app/agent/checkpoints/CheckpointStore.h"
#include "app/agent/session/SessionStore.h"
#include "tests/support/Policies.h"
#include "tests/support/TinyDisk.h"
#include "tools/ConfinedThreads.h"
#include "tools/GuardedFile.h"
#include "tools/GuardedRemoval.h"
#include "tools/builtin/FileChange.h"

#include <QMap>
#include <QRandomGenerator>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <future>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spettro;
using namespace spettro::sandbox;
using namespace spettro::test;

namespace {

using Outcome = UndoneFile::Outcome;
using Tree = QMap<QByteArray, QByteArray>; ///< By path: kind, mode and content.

constexpr quint32 Seed = 20261130;

QByteArray bytes(const QString &path)
{
    return QFile::encodeName(path);
}

/// Content of a file by its native name.
QByteArray contentAt(const QByteArray &path)
{
    const Descriptor file(::open(path.constData(), O_RDONLY | O_CLOEXEC));
    QByteArray content;
    char buffer[65536];
    for (ssize_t count = 1; file && (count = ::read(file.number(), buffer, sizeof buffer)) > 0;) {
        content.append(buffer, count);
    }
    return content;
}

void writeAt(const QByteArray &path, const QByteArray &content)
{
    const Descriptor file(::open(path.constData(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file
        || ::write(file.number(), content.constData(), static_cast<std::size_t>(content.size()))
               != content.size()) {
        qFatal("write %s", path.constData());
    }
}

/// A session of an agent in a fixture, with the operator's state folder beside the workspace.
class World
{
public:
    explicit World(const QString &stateFolder = {}, const CheckpointLimits &limits = {})
        : m_state(stateFolder.isEmpty() ? fixture.folder() : stateFolder), m_limits(limits),
          m_policy(frozenPolicy(fixture, FileSystemMode::WorkspaceWrite)),
          guard(ScopeGuard::create(m_policy).value())
    {
        ToolOutcome<SessionLog> log = sessions().create(bytes(fixture.workspace()));
        m_log.emplace(std::move(log).value());
        store = CheckpointStore::open(*m_log, limits).value();
    }

    SessionStore sessions() const { return SessionStore::open(bytes(m_state)).value(); }

    /// As after a restart of Spettro.
    void reopen()
    {
        close();
        m_log.emplace(sessions().resume(m_id, [](Json &&) {}).value());
        store = CheckpointStore::open(*m_log, m_limits).value();
    }

    void close()
    {
        store.reset();
        if (m_log) {
            m_id = m_log->id();
        }
        m_log.reset();
    }

    QByteArray stateFile(const char *name) const
    {
        return bytes(m_state) + "/sessions/" + (m_log ? m_log->id() : m_id) + "/checkpoints/" + name;
    }

    QByteArray path(const QByteArray &name) const { return bytes(fixture.workspace()) + '/' + name; }

    /// What a file tool does; the error's text.
    QByteArray change(const QByteArray &name, const QByteArray &content) const
    {
        const ToolOutcome<ScopeHandle> target = guard.open(name, Access::Write);
        if (!target) {
            return target.error().message;
        }
        const ToolOutcome<std::optional<QByteArray>> before = readExisting(*target);
        if (const auto error = store->beforeChange(*target, *before, content)) {
            return error->message;
        }
        const ToolOutcome<WriteReport> report = replaceFile(*target, content);
        return report ? QByteArray() : report.error().message;
    }

    /// Undoes; the outcomes by name in the workspace.
    QMap<QByteArray, Outcome> undo(const UndoRequest &request = {})
    {
        QMap<QByteArray, Outcome> outcomes;
        const ToolOutcome<UndoReport> report = store->undo(guard, request);
        if (report) {
            for (const UndoneFile &file : report->files) {
                outcomes.insert(file.path.mid(path("").size()), file.outcome);
            }
        }
        m_lastReport = report ? report->files : QList<UndoneFile>();
        return outcomes;
    }

    const QList<UndoneFile> &lastReport() const { return m_lastReport; }

    /// Everything in the workspace.
    Tree tree() const
    {
        Tree tree;
        add(path("").chopped(1), &tree);
        return tree;
    }

    Fixture fixture;

private:
    static void add(const QByteArray &folder, Tree *tree)
    {
        for (const QFileInfo &info :
             QDir(QFile::decodeName(folder))
                 .entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot)) {
            const QByteArray path = bytes(info.filePath());
            struct stat status;
            ::lstat(path.constData(), &status);
            tree->insert(path, QByteArray::number(status.st_mode, 8) + ' '
                                   + (S_ISREG(status.st_mode) ? contentAt(path) : QByteArray()));
            if (S_ISDIR(status.st_mode)) {
                add(path, tree);
            }
        }
    }

    QString m_state;
    CheckpointLimits m_limits;
    FrozenPolicy m_policy;
    std::optional<SessionLog> m_log;
    QByteArray m_id;
    QList<UndoneFile> m_lastReport;

public:
    ScopeGuard guard;
    std::unique_ptr<CheckpointStore> store;
};

template<typename Function>
pid_t inProcess(Function function)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(function());
    }
    return child;
}

int ending(pid_t process)
{
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int runIn(const QString &folder, const QString &script)
{
    RunOptions options;
    options.folder = folder;
    return run(shell(script), options).exitCode;
}

const UndoRequest Forced{.onConflict = OnConflict::Overwrite};

} // namespace

class tst_Checkpoints : public QObject
{
    Q_OBJECT

private slots:
    void takesBackOneTurn();
    void savesOnceATurn();
    void undoOfUndo();
    void anyTurnOfAnyHistory();
    void keepsWhatOthersDid_data();
    void keepsWhatOthersDid();
    void keepsWhatOthersDidInBetween();
    void forcedUndoLosesNothing();
    void removesOnlyItsOwn();
    void bringsModesBack();
    void showsWithoutDoing();
    void failedChangesCountForNothing();
    void largeFilesGoOnWithoutACheckpoint();
    void fullStoreGoesOnWithoutACheckpoint();
    void lostContentsLeaveFilesAlone_data();
    void lostContentsLeaveFilesAlone();
    void diskFullRefusesTheChange();
    void whatMayNotBeWrittenStays();
    void cutRecordsLeaveEarlierOnes();
    void killDuringChanges();
    void killDuringUndo();
    void worksInTheFileThreads();
    void toolsAskTheWitness();
    void linksAtItsPlaceAreRefused();
    void removalIsGuarded();
    void nothingToUndo();
};

void tst_Checkpoints::takesBackOneTurn()
{
    World world;
    writeAt(world.path("a.c"), "old a\r\n");
    writeAt(world.path("u.txt"), "untracked");
    writeAt(world.path("b\xff"), "odd name");
    QVERIFY(::mkdir(world.path("empty").constData(), 0755) == 0);
    QVERIFY(::mkfifo(world.path("fifo").constData(), 0644) == 0);
    QVERIFY(::symlink("u.txt", world.path("link").constData()) == 0);
    const Tree before = world.tree();
    world.store->beginTurn();
    QCOMPARE(world.change("a.c", "new a"), QByteArray());
    QCOMPARE(world.change("b\xff", QByteArray("\0new", 4)), QByteArray());
    QCOMPARE(world.change("n.c", "new"), QByteArray());
    QCOMPARE(world.change("x/y/z/file", "deep"), QByteArray());
    QCOMPARE(world.change("x/other", "deep"), QByteArray());
    QCOMPARE(world.change("link", "through the link"), QByteArray());
    writeAt(world.path("made-by-a-person"), "p");
    QCOMPARE(world.undo(), (QMap<QByteArray, Outcome>{{"a.c", Outcome::Restored},
                                                      {"b\xff", Outcome::Restored},
                                                      {"n.c", Outcome::Removed},
                                                      {"x/y/z/file", Outcome::Removed},
                                                      {"x/other", Outcome::Removed},
                                                      {"u.txt", Outcome::Restored}}));
    QVERIFY(::unlink(world.path("made-by-a-person").constData()) == 0);
    QCOMPARE(world.tree(), before);
}

void tst_Checkpoints::savesOnceATurn()
{
    World world;
    const QByteArray original(100'000, 'o');
    writeAt(world.path("file"), original);
    writeAt(world.path("copy"), original);
    QCOMPARE(world.store->beginTurn(), 1);
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(world.change("file", QByteArray(100'000, static_cast<char>('a' + i))), QByteArray());
    }
    QCOMPARE(contentAt(world.stateFile("contents")).size(), original.size());
    QCOMPARE(world.change("copy", "x"), QByteArray()); // the same content: kept once
    QCOMPARE(contentAt(world.stateFile("contents")).size(), original.size());
    QCOMPARE(world.store->beginTurn(), 2);
    QCOMPARE(world.store->beginTurn(), 2); // nothing was changed in it
    QCOMPARE(world.change("file", "second turn"), QByteArray());
    world.undo();
    QCOMPARE(contentAt(world.path("file")), QByteArray(100'000, 'e'));
    QCOMPARE(world.undo({.fromTurn = 1}).value("file"), Outcome::Restored);
    QCOMPARE(contentAt(world.path("file")), original);
    QCOMPARE(contentAt(world.path("copy")), original);
}

void tst_Checkpoints::undoOfUndo()
{
    World world;
    writeAt(world.path("a"), "old");
    const Tree before = world.tree();
    world.store->beginTurn();
    world.change("a", "new");
    world.change("folder/b", "new");
    const Tree after = world.tree();
    for (int i = 0; i < 4; ++i) {
        QCOMPARE(world.undo().size(), 2);
        QCOMPARE(world.tree(), i % 2 == 0 ? before : after);
        world.reopen();
    }
}

void tst_Checkpoints::anyTurnOfAnyHistory()
{
    QRandomGenerator random(Seed);
    for (int round = 0; round < 6; ++round) {
        World world;
        writeAt(world.path("0"), "zero");
        writeAt(world.path("1"), "one");
        QMap<int, Tree> before; // by turn
        for (int step = 0; step < 14; ++step) {
            const int turn = world.store->beginTurn();
            before.insert(turn, world.tree());
            if (turn > 1 && random.bounded(3) == 0) {
                const int from = 1 + random.bounded(turn - 1);
                for (const Outcome outcome : world.undo({.fromTurn = from})) {
                    QVERIFY(outcome != Outcome::Conflict && outcome != Outcome::Failed);
                }
                QCOMPARE(world.tree(), before.value(from));
            } else {
                for (int i = random.bounded(5); i >= 0; --i) {
                    const QByteArray number = QByteArray::number(random.bounded(4));
                    const QByteArray name = random.bounded(2) == 0 ? number : "f" + number + "/g/" + number;
                    QCOMPARE(world.change(name, QByteArray::number(random.bounded(6))), QByteArray());
                }
            }
            if (random.bounded(4) == 0) {
                world.reopen();
            }
        }
        QVERIFY(!world.undo({.fromTurn = 1}).isEmpty());
        QCOMPARE(world.tree(), before.value(1));
    }
}

void tst_Checkpoints::keepsWhatOthersDid_data()
{
    QTest::addColumn<QString>(
        "script"); // in the workspace; the agent has edited `file` and made `folder/new`
    QTest::addColumn<int>("file");
    QTest::addColumn<int>("made");
    const auto row = [](const char *name, const char *script, Outcome file, Outcome made) {
        QTest::newRow(name) << QString(script) << static_cast<int>(file) << static_cast<int>(made);
    };
    using enum UndoneFile::Outcome;
    row("nothing", ":", Restored, Removed);
    row("edited", "echo mine > file; echo mine > folder/new", Conflict, Conflict);
    row("appended", "echo mine >> file", Conflict, Removed);
    row("touched", "touch file folder/new", Restored, Removed);
    row("rewritten alike", "cp file t; mv t file", Restored, Removed);
    row("removed", "rm file folder/new", Conflict, Unchanged);
    row("reverted", "printf old > file; rm -r folder", Unchanged, Unchanged);
    row("became folders", "rm file folder/new; mkdir file folder/new", Conflict, Conflict);
    row("became fifos", "rm file folder/new; mkfifo file folder/new", Conflict, Conflict);
    row("became links outside",
        "for f in file folder/new; do rm $f; ln -s ../../outside/canary $f; done; ln -sf ../outside/canary "
        "file",
        Failed, Failed);
    row("became links to a copy", "cp file copy; ln -sf copy file", Conflict, Removed);
    row("dangling link", "rm file; ln -s nowhere file", Conflict, Removed);
    row("folder became a link outside", "mv folder elsewhere; ln -s ../outside folder", Restored, Failed);
    row("folder became a link inside", "mv folder elsewhere; ln -s elsewhere folder", Restored, Conflict);
    row("others use the folder", "echo mine > folder/other", Restored, Removed);
    row("mode", "chmod 600 file", Restored, Removed);
}

void tst_Checkpoints::keepsWhatOthersDid()
{
    QFETCH(QString, script);
    QFETCH(int, file);
    QFETCH(int, made);
    World world;
    writeAt(world.path("file"), "old");
    world.store->beginTurn();
    world.change("file", "new");
    world.change("folder/new", "new");
    QCOMPARE(runIn(world.fixture.workspace(), script), 0);
    const Tree mine = world.tree();
    const QByteArray outside = Fixture::snapshot(world.fixture.outside());
    const auto outcomes = world.undo();
    QCOMPARE(Fixture::snapshot(world.fixture.outside()), outside);
    QCOMPARE(static_cast<int>(outcomes.value("file")), file);
    QCOMPARE(static_cast<int>(outcomes.value("folder/new")), made);
    const Tree after = world.tree();
    for (const UndoneFile &one : world.lastReport()) {
        if (one.outcome == Outcome::Restored) {
            QCOMPARE(contentAt(one.path), QByteArray("old"));
        } else if (one.outcome == Outcome::Removed) {
            QVERIFY(!after.contains(one.path));
        } else {
            QCOMPARE(after.value(one.path), mine.value(one.path));
            QCOMPARE(one.note.isEmpty(), one.outcome == Outcome::Unchanged);
        }
    }
    QCOMPARE(after.value(world.path("folder/other")), mine.value(world.path("folder/other")));

    // Forced, it still goes nowhere else, and brings everything back when it is itself undone.
    world.undo(Forced);
    QCOMPARE(Fixture::snapshot(world.fixture.outside()), outside);
    world.undo({.fromTurn = 2});
    Tree back = world.tree();
    if (!back.contains(world.path("folder")) && mine.value(world.path("folder")).startsWith("40")) {
        back.insert(world.path("folder"), mine.value(world.path("folder"))); // empty folders are not saved
    }
    QCOMPARE(back, mine);
}

void tst_Checkpoints::keepsWhatOthersDidInBetween()
{
    World world;
    writeAt(world.path("a"), "0");
    writeAt(world.path("b"), "0");
    world.store->beginTurn();
    world.change("a", "agent 1");
    world.change("b", "agent 1");
    writeAt(world.path("b"), "person in the turn");
    world.change("b", "agent 1 again");
    world.store->beginTurn();
    writeAt(world.path("a"), "person between turns");
    world.change("a", "agent 2");
    QCOMPARE(world.undo({.fromTurn = 1}),
             (QMap<QByteArray, Outcome>{{"a", Outcome::Conflict}, {"b", Outcome::Conflict}}));
    QCOMPARE(contentAt(world.path("a")), QByteArray("person between turns"));
    QCOMPARE(contentAt(world.path("b")), QByteArray("person in the turn"));
    QCOMPARE(world.undo({.fromTurn = 1, .onConflict = OnConflict::Overwrite}),
             (QMap<QByteArray, Outcome>{{"a", Outcome::Restored}, {"b", Outcome::Restored}}));
    QCOMPARE(contentAt(world.path("a")), QByteArray("0"));
    QCOMPARE(contentAt(world.path("b")), QByteArray("0"));
    world.undo();
    QCOMPARE(contentAt(world.path("a")), QByteArray("person between turns"));
    QCOMPARE(contentAt(world.path("b")), QByteArray("person in the turn"));
}

void tst_Checkpoints::forcedUndoLosesNothing()
{
    World world;
    writeAt(world.path("a"), "old");
    world.store->beginTurn();
    world.change("a", "new");
    world.change("made", "new");
    writeAt(world.path("a"), "mine");
    writeAt(world.path("made"), "mine too");
    QVERIFY(::chmod(world.path("made").constData(), 04751) == 0);
    QCOMPARE(world.undo(Forced),
             (QMap<QByteArray, Outcome>{{"a", Outcome::Restored}, {"made", Outcome::Removed}}));
    QCOMPARE(contentAt(world.path("a")), QByteArray("old"));
    QVERIFY(!exists(world.path("made")));
    world.reopen();
    world.undo();
    QCOMPARE(contentAt(world.path("a")), QByteArray("mine"));
    QCOMPARE(contentAt(world.path("made")), QByteArray("mine too"));
    struct stat status;
    QVERIFY(::stat(world.path("made").constData(), &status) == 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0751)); // no set-id bit comes back
}

void tst_Checkpoints::removesOnlyItsOwn()
{
    World world;
    QVERIFY(::mkdir(world.path("mine").constData(), 0755) == 0);
    world.store->beginTurn();
    world.change("mine/a", "x");
    world.change("made/a", "x");
    world.change("made/deeper/a", "x");
    world.change("made/deep/b", "x");
    QVERIFY(::mkdir(world.path("made/deep/theirs").constData(), 0755) == 0);
    world.undo();
    QVERIFY(exists(world.path("mine")));
    QVERIFY(exists(world.path("made/deep/theirs")));
    QVERIFY(!exists(world.path("made/deeper")));
    QVERIFY(!exists(world.path("made/deep/b")));
}

void tst_Checkpoints::bringsModesBack()
{
    World world;
    for (const char *name : {"run", "secret", "changed"}) {
        writeAt(world.path(name), "old");
    }
    QVERIFY(::chmod(world.path("run").constData(), 0755) == 0);
    QVERIFY(::chmod(world.path("secret").constData(), 0600) == 0);
    world.store->beginTurn();
    for (const char *name : {"run", "secret", "changed"}) {
        world.change(name, "new");
    }
    QVERIFY(::unlink(world.path("run").constData()) == 0);
    QVERIFY(::unlink(world.path("secret").constData()) == 0);
    QVERIFY(::chmod(world.path("changed").constData(), 0600) == 0); // someone's wish: stays
    world.undo(Forced);
    const auto modeOf = [&](const char *name) {
        struct stat status;
        return ::stat(world.path(name).constData(), &status) == 0 ? status.st_mode & 07777 : 0;
    };
    QCOMPARE(modeOf("run"), mode_t(0755));
    QCOMPARE(modeOf("secret"), mode_t(0600));
    QCOMPARE(modeOf("changed"), mode_t(0600));
    QVERIFY(world.lastReport().first().note.contains("0644 and stays 0600"));
}

void tst_Checkpoints::showsWithoutDoing()
{
    World world;
    writeAt(world.path("a"), "old");
    writeAt(world.path("c"), "old");
    world.store->beginTurn();
    world.change("a", "new");
    world.change("f/b", "new");
    world.change("c", "new");
    writeAt(world.path("c"), "mine");
    const QByteArray all = Fixture::snapshot(world.fixture.folder());
    const auto shown = world.undo({.way = UndoRequest::Way::Show});
    QCOMPARE(Fixture::snapshot(world.fixture.folder()), all);
    QCOMPARE(shown, (QMap<QByteArray, Outcome>{
                        {"a", Outcome::Restored}, {"f/b", Outcome::Removed}, {"c", Outcome::Conflict}}));
    QCOMPARE(world.undo(), shown);
}

void tst_Checkpoints::failedChangesCountForNothing()
{
    World world;
    writeAt(world.path("a"), "old");
    world.store->beginTurn();
    world.change("a", "first");
    const ToolOutcome<ScopeHandle> target = world.guard.open("a", Access::Write);
    QVERIFY(!world.store->beforeChange(*target, "first", "never written"));
    const ToolOutcome<ScopeHandle> made = world.guard.open("never/made", Access::Write);
    QVERIFY(!world.store->beforeChange(*made, std::nullopt, "never written"));
    QCOMPARE(world.undo(),
             (QMap<QByteArray, Outcome>{{"a", Outcome::Restored}, {"never/made", Outcome::Unchanged}}));
    QCOMPARE(contentAt(world.path("a")), QByteArray("old"));
}

void tst_Checkpoints::largeFilesGoOnWithoutACheckpoint()
{
    World world({}, {.largestFile = 1000, .largestStore = 1'000'000});
    writeAt(world.path("large"), QByteArray(1001, 'l'));
    writeAt(world.path("fits"), QByteArray(1000, 'f'));
    writeAt(world.path("grows"), "small");
    world.store->beginTurn();
    QCOMPARE(world.change("large", "new"), QByteArray());
    QCOMPARE(world.change("fits", "new"), QByteArray());
    QCOMPARE(world.change("grows", QByteArray(5000, 'g')), QByteArray());
    QCOMPARE(world.undo(Forced),
             (QMap<QByteArray, Outcome>{
                 {"large", Outcome::Unsaved}, {"fits", Outcome::Restored}, {"grows", Outcome::Unsaved}}));
    QCOMPARE(contentAt(world.path("large")), QByteArray("new"));
    QCOMPARE(contentAt(world.path("fits")), QByteArray(1000, 'f'));
    QCOMPARE(contentAt(world.path("grows")), QByteArray(5000, 'g')); // never overwritten unsaved
    for (const UndoneFile &file : world.lastReport()) {
        QCOMPARE(file.note.contains("too large"), file.outcome == Outcome::Unsaved);
    }
}

void tst_Checkpoints::fullStoreGoesOnWithoutACheckpoint()
{
    World world({}, {.largestFile = 1000, .largestStore = 1500});
    for (const char *name : {"a", "b"}) {
        writeAt(world.path(name), QByteArray(1000, *name));
    }
    world.store->beginTurn();
    QCOMPARE(world.change("a", "new"), QByteArray());
    QCOMPARE(world.change("b", "new"), QByteArray());
    world.reopen();
    QCOMPARE(world.undo(), (QMap<QByteArray, Outcome>{{"a", Outcome::Restored}, {"b", Outcome::Unsaved}}));
    QVERIFY(contentAt(world.stateFile("contents")).size() <= 1500);
}

void tst_Checkpoints::lostContentsLeaveFilesAlone_data()
{
    QTest::addColumn<QString>("script"); // in the folder of the checkpoints
    QTest::newRow("store removed") << "rm -r ../checkpoints";
    QTest::newRow("contents removed") << "rm contents";
    QTest::newRow("contents cut") << "truncate -s 2 contents";
    QTest::newRow("contents damaged") << "printf x | dd of=contents bs=1 seek=1 conv=notrunc";
    QTest::newRow("records removed") << "rm changes.jsonl";
    QTest::newRow("records damaged") << "sed -i 's/sha256/sha255/' changes.jsonl";
    QTest::newRow("foreign places") << "sed -i 's/\"place\":0/\"place\":-5/' changes.jsonl";
    QTest::newRow("huge sizes") << "sed -i 's/\"size\":[0-9]*/\"size\":99999999999999999/' changes.jsonl";
}

void tst_Checkpoints::lostContentsLeaveFilesAlone()
{
    QFETCH(QString, script);
    World world;
    writeAt(world.path("a"), "old content");
    world.store->beginTurn();
    world.change("a", "new content");
    world.close();
    QCOMPARE(runIn(QFile::decodeName(world.stateFile(".")), script), 0);
    world.reopen();
    const Tree before = world.tree();
    world.undo(Forced);
    QCOMPARE(world.tree(), before);
    for (const UndoneFile &file : world.lastReport()) {
        QCOMPARE(file.outcome, Outcome::Unsaved);
    }
    // And it goes on from there.
    world.store->beginTurn();
    QCOMPARE(world.change("a", "third"), QByteArray());
    world.undo();
    QCOMPARE(contentAt(world.path("a")), QByteArray("new content"));
}

void tst_Checkpoints::diskFullRefusesTheChange()
{
    const TinyDisk disk(1024 * 1024);
    if (!disk.isValid()) {
        QSKIP(disk.reason().constData());
    }
    World world(disk.path());
    const QByteArray old(100'000, 'o');
    writeAt(world.path("a"), old);
    world.store->beginTurn();
    disk.fill();
    const QByteArray error = world.change("a", "new");
    QVERIFY2(error.contains("could not be saved first: No space left on device"), error.constData());
    QVERIFY(!error.contains("sessions"));
    QCOMPARE(contentAt(world.path("a")), old);
    QVERIFY(world.change("folder/new", "new").contains("could not be saved")
            || contentAt(world.path("folder/new")) == "new"); // a record may still fit
    disk.free();
    const QByteArray changed(50'000, 'n');
    QCOMPARE(world.change("a", changed), QByteArray());
    world.reopen();
    disk.fill();
    QCOMPARE(world.undo().value("a"), Outcome::Failed); // what is there could not be saved
    QCOMPARE(contentAt(world.path("a")), changed);
    disk.free();
    QCOMPARE(world.undo().value("a"), Outcome::Restored);
    QCOMPARE(contentAt(world.path("a")), old);
    world.undo();
    QCOMPARE(contentAt(world.path("a")), changed);
}

void tst_Checkpoints::whatMayNotBeWrittenStays()
{
    World world;
    QVERIFY(::mkdir(world.path("folder").constData(), 0755) == 0);
    writeAt(world.path("locked"), "old");
    writeAt(world.path("folder/file"), "old");
    world.store->beginTurn();
    world.change("locked", "new");
    world.change("locked-new", "new");
    world.change("folder/file", "new");
    world.change("folder/new", "new");
    QVERIFY(::chmod(world.path("locked").constData(), 0444) == 0);
    QVERIFY(::chmod(world.path("locked-new").constData(), 0444) == 0);
    QVERIFY(::chmod(world.path("folder").constData(), 0555) == 0);
    const Tree before = world.tree();
    const auto outcomes = world.undo();
    QCOMPARE(outcomes.value("locked"), Outcome::Failed);
    QCOMPARE(outcomes.value("locked-new"), Outcome::Failed);
    if (!isRoot()) { // whom no mode of a folder stops
        QCOMPARE(outcomes.value("folder/file"), Outcome::Failed);
        QCOMPARE(outcomes.value("folder/new"), Outcome::Failed);
        QCOMPARE(world.tree(), before);
    }
    QVERIFY(::chmod(world.path("folder").constData(), 0755) == 0);
    QVERIFY(::chmod(world.path("locked").constData(), 0644) == 0);
    QVERIFY(::chmod(world.path("locked-new").constData(), 0644) == 0);
    world.undo();
    QCOMPARE(contentAt(world.path("locked")), QByteArray("old"));
    QCOMPARE(contentAt(world.path("folder/file")), QByteArray("old"));
    QVERIFY(!exists(world.path("folder/new")) && !exists(world.path("locked-new")));
}

void tst_Checkpoints::cutRecordsLeaveEarlierOnes()
{
    World world;
    writeAt(world.path("a"), "old");
    writeAt(world.path("b"), "old");
    world.store->beginTurn();
    world.change("a", "new");
    const qsizetype first = contentAt(world.stateFile("changes.jsonl")).size();
    world.store->beginTurn();
    world.change("b", "new");
    world.close();
    const QByteArray records = contentAt(world.stateFile("changes.jsonl"));
    for (qsizetype size = first; size < records.size() - 1; size += 7) {
        writeAt(world.path("a"), "new");
        writeAt(world.path("b"), "new");
        writeAt(world.stateFile("changes.jsonl"), records.first(size));
        world.reopen();
        QCOMPARE(world.undo(), (QMap<QByteArray, Outcome>{{"a", Outcome::Restored}}));
        QCOMPARE(contentAt(world.path("a")), QByteArray("old"));
        world.close();
    }
}

void tst_Checkpoints::killDuringChanges()
{
    QRandomGenerator random(Seed);
    for (int round = 0; round < 8; ++round) {
        World world;
        constexpr int Files = 100;
        for (int i = 0; i < Files; ++i) {
            writeAt(world.path(QByteArray::number(i)), "old " + QByteArray::number(i));
        }
        const Tree before = world.tree();
        world.close();
        const pid_t agent = inProcess([&] {
            world.reopen();
            world.store->beginTurn();
            for (int i = 0; i < Files; ++i) {
                world.change(QByteArray::number(i), QByteArray(10'000, 'n'));
                world.change("made/" + QByteArray::number(i), "n");
            }
            ::pause();
            return 0;
        });
        ::usleep(5000 + static_cast<useconds_t>(random.bounded(100'000)));
        ::kill(agent, SIGKILL);
        QCOMPARE(ending(agent), -1);
        world.reopen();
        for (const Outcome outcome : world.undo()) {
            QVERIFY(outcome != Outcome::Conflict && outcome != Outcome::Failed);
        }
        Tree after = world.tree();
        after.removeIf([&](const std::pair<const QByteArray &, QByteArray &> &entry) {
            return entry.first.contains("/.spettro-"); // a kill between link and unlink leaves a hidden file
        });
        if (!after.contains(world.path("made"))) {
            QCOMPARE(after, before);
        }
        QVERIFY(after.size() <= before.size() + 1); // and perhaps its folder
    }
}

void tst_Checkpoints::killDuringUndo()
{
    QRandomGenerator random(Seed);
    int interrupted = 0;
    for (int round = 0; round < 10; ++round) {
        World world;
        constexpr int Files = 40;
        const QByteArray old(150'000, 'o');
        const QByteArray agents(200'000, 'n');
        const auto name = [](int i) { return QByteArray::number(i); };
        world.store->beginTurn();
        for (int i = 0; i < Files; ++i) {
            if (i % 3 != 0) {
                writeAt(world.path(name(i)), old + name(i));
            }
            world.change(name(i), agents + name(i));
        }
        world.close();
        const pid_t undoer = inProcess([&] {
            world.reopen();
            world.undo();
            return 0;
        });
        ::usleep(static_cast<useconds_t>(random.bounded(120'000)));
        ::kill(undoer, SIGKILL);
        interrupted += ending(undoer) == -1 ? 1 : 0;
        for (int i = 0; i < Files; ++i) {
            const bool isThere = exists(world.path(name(i)));
            const QByteArray content = contentAt(world.path(name(i)));
            QVERIFY(i % 3 == 0 ? !isThere || content == agents + name(i)
                               : content == old + name(i) || content == agents + name(i));
        }
        const bool isDone = contentAt(world.stateFile("changes.jsonl")).contains("undone");
        world.reopen();
        if (!isDone) {
            world.undo(); // goes on with the one that was killed
        }
        for (int i = 0; i < Files; ++i) {
            QCOMPARE(exists(world.path(name(i))), i % 3 != 0);
            QVERIFY(i % 3 == 0 || contentAt(world.path(name(i))) == old + name(i));
        }
    }
    QVERIFY2(interrupted > 2, qPrintable(QString::number(interrupted)));
}

void tst_Checkpoints::worksInTheFileThreads()
{
    World world;
    writeAt(world.path("a"), "old");
    const auto launcher = launcherFor(frozenPolicy(world.fixture, FileSystemMode::WorkspaceWrite));
    LaunchThread launchThread;
    ConfinedThreads threads(launchThread, launcher->policy.ruleset());
    const auto inFileThread = [&](auto function) {
        std::promise<void> done;
        threads.run(ConfinedThreads::Order::InTurn, [&](const std::optional<Error> &) {
            function();
            done.set_value();
        });
        done.get_future().wait();
    };
    world.store->beginTurn();
    inFileThread([&] {
        const QByteArray other = world.stateFile("other");
        const int control = ::open(other.constData(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        QVERIFY(control < 0 || kernelLandlockAbi() == 0); // no file can be made there
        QCOMPARE(world.change("a", "new"), QByteArray());
        QCOMPARE(world.change("f/b", "new"), QByteArray());
    });
    QCOMPARE(contentAt(world.path("a")), QByteArray("new"));
    inFileThread([&] {
        QCOMPARE(world.undo(),
                 (QMap<QByteArray, Outcome>{{"a", Outcome::Restored}, {"f/b", Outcome::Removed}}));
    });
    QCOMPARE(contentAt(world.path("a")), QByteArray("old"));
    QVERIFY(!exists(world.path("f")));
}

void tst_Checkpoints::toolsAskTheWitness()
{
    class Refuser : public ChangeWitness
    {
    public:
        std::optional<ToolError> beforeChange(const ScopeHandle &target,
                                              const std::optional<QByteArray> &before,
                                              QByteArrayView after) override
        {
            seen.append({target.realPath, before.value_or("none"), after.toByteArray()});
            return error;
        }
        QList<QList<QByteArray>> seen;
        std::optional<ToolError> error;
    };
    World world;
    writeAt(world.path("a"), "old");
    LaunchThread launchThread;
    ToolSession session(launchThread,
                        launcherFor(frozenPolicy(world.fixture, FileSystemMode::WorkspaceWrite)), world.guard,
                        {}, bytes(world.fixture.folder()));
    const auto write = [&](const QByteArray &content) {
        const ToolOutcome<ScopeHandle> target = world.guard.open("a", Access::Write);
        return writeChange(session, *target, *readExisting(*target), content);
    };
    QVERIFY(write("without").ok);
    Refuser witness;
    session.setChangeWitness(&witness);
    QVERIFY(write("seen").ok);
    QCOMPARE(contentAt(world.path("a")), QByteArray("seen"));
    witness.error = ToolError{"no", EIO};
    const ToolResult refused = write("refused");
    QVERIFY(!refused.ok);
    QCOMPARE(refused.error, QByteArray("no"));
    QCOMPARE(contentAt(world.path("a")), QByteArray("seen"));
    QCOMPARE(witness.seen, (QList<QList<QByteArray>>{{world.path("a"), "without", "seen"},
                                                     {world.path("a"), "seen", "refused"}}));
}

void tst_Checkpoints::linksAtItsPlaceAreRefused()
{
    for (const char *name : {".", "changes.jsonl", "contents"}) {
        World world;
        world.close();
        const QByteArray place =
            QByteArray(name) == "." ? world.stateFile("").chopped(1) : world.stateFile(name);
        const QByteArray moved = bytes(world.fixture.folder()) + "/moved";
        QVERIFY(::rename(place.constData(), moved.constData()) == 0);
        QVERIFY(::symlink(moved.constData(), place.constData()) == 0);
        const SessionStore store = world.sessions();
        const ToolOutcome<SessionLog> log = store.resume(store.list().value().first().id, [](Json &&) {});
        QVERIFY(log);
        QVERIFY(!CheckpointStore::open(*log));
    }
}

void tst_Checkpoints::removalIsGuarded()
{
    const World world;
    writeAt(world.path("a"), "old");
    const ToolOutcome<ScopeHandle> target = world.guard.open("a", Access::Write);
    writeAt(world.path("b"), "another");
    QVERIFY(::rename(world.path("b").constData(), world.path("a").constData()) == 0);
    const std::optional<ToolError> error = removeFile(*target);
    QVERIFY(error && error->number == ESTALE);
    QCOMPARE(contentAt(world.path("a")), QByteArray("another"));
    QVERIFY(!removeFile(*world.guard.open("a", Access::Write)));
    QVERIFY(!exists(world.path("a")));
    QVERIFY(world.tree().isEmpty());

    QDir(world.fixture.workspace()).mkpath("empty/inner");
    QDir(world.fixture.outside()).mkpath("empty");
    QVERIFY(::symlink("../outside", world.path("link").constData()) == 0);
    QVERIFY(::symlink("empty/inner", world.path("inner").constData()) == 0);
    QVERIFY(!removeEmptyFolder(world.guard, world.path("empty")));
    QVERIFY(!removeEmptyFolder(world.guard, world.path("link/empty")));
    QVERIFY(!removeEmptyFolder(world.guard, world.path("inner")));
    QVERIFY(!removeEmptyFolder(world.guard, bytes(world.fixture.outside("empty"))));
    QVERIFY(!removeEmptyFolder(world.guard, "/"));
    QVERIFY(!removeEmptyFolder(world.guard, ""));
    QVERIFY(removeEmptyFolder(world.guard, world.path("empty/inner")));
    QVERIFY(!exists(world.path("empty/inner")));
}

void tst_Checkpoints::nothingToUndo()
{
    World world;
    QVERIFY(!world.store->undo(world.guard, {}));
    world.store->beginTurn();
    QVERIFY(!world.store->undo(world.guard, {}));
    world.change("a", "new");
    QVERIFY(!world.store->undo(world.guard, {.fromTurn = 2}));
    QVERIFY(!world.store->undo(world.guard, {.fromTurn = 0}));
    QVERIFY(exists(world.path("a")));
    QVERIFY(world.store->undo(world.guard, {.fromTurn = 1}));
}

QTEST_GUILESS_MAIN(tst_Checkpoints)

#include "tst_checkpoints.moc"
