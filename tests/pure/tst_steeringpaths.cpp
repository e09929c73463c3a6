// By which names a repository steers programs on the host, in every spelling that some file system takes for them.

#include "tools/SteeringPaths.h"

#include <QByteArray>
#include <QTest>

using namespace spettro;

class tst_SteeringPaths : public QObject
{
    Q_OBJECT

private slots:
    void names_data();
    void names();
};

void tst_SteeringPaths::names_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("steers");
    const auto row = [](const QByteArray &path, bool steers) {
        QTest::newRow(path.constData()) << path << steers;
    };
    for (const char *path : {".git",
                             ".git/config",
                             ".git/hooks/pre-commit",
                             "vendor/x/.git/config",
                             ".GIT/config",
                             ".git./config",
                             ".git /config",
                             ".git. . /config",
                             ".git::$INDEX_ALLOCATION/config",
                             ".g\xe2\x80\x8cit/config",
                             ".git\xef\xbb\xbf",
                             ".spettro/x",
                             "spettro.agents.toml",
                             "SPETTRO.Agents.TOML",
                             "sub/spettro.agents.toml",
                             ".vscode/tasks.json",
                             ".idea/a",
                             ".mcp.json",
                             ".claude/settings.json",
                             ".codex/config.toml",
                             ".cursor/mcp.json",
                             ".gemini/settings.json",
                             "/.git/config",
                             "a//.git"}) {
        row(path, true);
    }
    for (const char *path : {"", "a", "git/config", ".gitignore", ".github/workflows/x.yml", ".gitmodules",
                             "x.git", "spettro.agents.toml.bak", "a.claude", ".gi", "..git", " .git"}) {
        row(path, false);
    }
}

void tst_SteeringPaths::names()
{
    QFETCH(QByteArray, path);
    QFETCH(bool, steers);
    QCOMPARE(isSteeringPath(path), steers);
}

QTEST_APPLESS_MAIN(tst_SteeringPaths)

#include "tst_steeringpaths.moc"
