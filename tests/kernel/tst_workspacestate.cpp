// Whether something was done in a project: by content.

#include "app/agent/WorkspaceState.h"
#include "sandbox/linux/Descriptor.h"
#include "tests/support/Fixture.h"

#include <QDir>
#include <QTest>

#include <fcntl.h>

using namespace spettro;
using namespace spettro::test;

class tst_WorkspaceState : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void seesWork_data();
    void seesWork();
    void cancelled();

private:
    WorkspaceState read(bool isCancelled = false) const;

    std::unique_ptr<Fixture> m_fixture;
};

void tst_WorkspaceState::init()
{
    m_fixture = std::make_unique<Fixture>();
    writeFile(m_fixture->workspace("kept"), "kept\n");
    writeFile(m_fixture->workspace("large"), QByteArray(2'000'000, 'x'));
    writeFile(m_fixture->workspace(".gitignore"), "built\n");
    QDir(m_fixture->workspace()).mkpath("folder");
    RunOptions here;
    here.folder = m_fixture->workspace();
    const RunResult made =
        run(shell("git init -q && git add . && git -c user.name=t -c user.email=t@t commit -qm first"), here);
    QVERIFY2(made.exitCode == 0, describe(made));
}

WorkspaceState tst_WorkspaceState::read(bool isCancelled) const
{
    const sandbox::Descriptor folder(
        ::open(QFile::encodeName(m_fixture->workspace()).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return WorkspaceState::read(folder.number(), [isCancelled] { return isCancelled; });
}

void tst_WorkspaceState::seesWork_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<bool>("isWork");
    QTest::addColumn<QByteArrayList>("changed");
    const auto row = [](const char *name, const char *script, bool isWork, const QByteArrayList &changed) {
        QTest::newRow(name) << QByteArray(script) << isWork << changed;
    };
    row("nothing", ":", false, {});
    row("only the time", "touch kept large", true, {"large"}); // above 1 MiB the time counts
    row("only the time of a small file", "touch -d 2001-01-01 kept", false, {});
    row("written again as it was", "printf 'kept\\n' >new && mv new kept", false, {});
    row("same size, other content", "printf 'KEPT\\n' >kept", true, {"kept"});
    row("new file", "mkdir -p a/b && echo >a/b/c", true, {"a/b/c"});
    row("removed", "rm kept", true, {"kept"});
    row("renamed", "mv kept other", true, {"kept", "other"});
    row("mode", "chmod +x kept", true, {"kept"});
    row("link", "ln -s kept link", true, {"link"});
    row("ignored", "echo >built", false, {});
    row("empty folder", "mkdir empty", false, {});
    row("name that is no UTF-8", "echo >\"$(printf 'bad\\377')\"", true, {"bad\xff"});
    row("commit", "git -c user.name=t -c user.email=t@t commit -q --allow-empty -m second", true, {});
    row("branch", "git branch other", true, {});
    row("git status", "git status >/dev/null", false, {});
    row("fifo", "mkfifo pipe", true, {"pipe"});
}

void tst_WorkspaceState::seesWork()
{
    QFETCH(QByteArray, script);
    QFETCH(bool, isWork);
    QFETCH(QByteArrayList, changed);
    const WorkspaceState before = read();
    RunOptions here;
    here.folder = m_fixture->workspace();
    const RunResult result = run(shell(QString::fromLatin1(script)), here);
    QVERIFY2(result.exitCode == 0, describe(result));
    const WorkspaceState after = read();
    QCOMPARE(!(after == before), isWork);
    QCOMPARE(after.changesSince(before), changed);
    QCOMPARE(before.changesSince(after), changed);
}

void tst_WorkspaceState::cancelled()
{
    QVERIFY(!(read(true) == read()));
}

QTEST_GUILESS_MAIN(tst_WorkspaceState)

#include "tst_workspacestate.moc"
