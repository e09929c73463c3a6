// What a command is given besides its arguments: no secrets, no open files, no core dumps, a place for
// temporary files (cases 14, 15, 46 of the field).

#include "tests/support/Fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

using namespace spettro::test;

namespace {

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

const QList<QStringList> Policies{Confined, {"--sandbox", "read-only"}, {"--sandbox-net", "none"}};

QByteArray withFlags(const QStringList &flags, const RunResult &result)
{
    return flags.join(' ').toUtf8() + ": " + describe(result);
}

RunOptions withVariable(const QString &name, const QString &value)
{
    RunOptions options;
    options.environment.insert(name, value);
    return options;
}

/// A descriptor that programs started from here inherit, with the first free number from `lowest` on.
class InheritedDescriptor
{
public:
    InheritedDescriptor(const QString &path, int lowest)
    {
        const int opened = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CLOEXEC);
        m_number = ::fcntl(opened, F_DUPFD, lowest);
        ::close(opened);
    }
    ~InheritedDescriptor() { ::close(m_number); }
    InheritedDescriptor(const InheritedDescriptor &) = delete;
    InheritedDescriptor &operator=(const InheritedDescriptor &) = delete;

    int number() const { return m_number; }

private:
    int m_number = -1;
};

} // namespace

class tst_ConfinedEnvironment : public QObject
{
    Q_OBJECT

private slots:
    void variableIsRemoved_data();
    void variableIsRemoved();
    void variableIsLetThrough();
    void ordinaryVariablesStay();
    void modelKeyIsRemovedWithoutASandbox();
    void temporaryFolderIsWritable_data();
    void temporaryFolderIsWritable();
    void inheritedDescriptorIsClosed_data();
    void inheritedDescriptorIsClosed();
    void onlyStandardStreamsAreOpen();
    void coreDumpsAreOff();
    void workingFolderIsTheWorkspace();
};

void tst_ConfinedEnvironment::variableIsRemoved_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name :
         {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "MY_CLIENT_SECRET", "AWS_SECRET_ACCESS_KEY",
          "AWS_PROFILE", "DB_PASSWORD", "LD_AUDIT", "BASH_ENV", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
          "DOCKER_HOST", "TMUX", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY",
          "VSCODE_IPC_HOOK_CLI"}) { // case 11, case 14
        QTest::newRow(name) << name;
    }
}

void tst_ConfinedEnvironment::variableIsRemoved()
{
    QFETCH(QString, name);
    Fixture fixture;
    const RunOptions options = withVariable(name, "canary-42");
    const RunResult control = fixture.control({"/usr/bin/env"}, options);
    QVERIFY2(control.output.contains("canary-42"), describe(control));
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.exec(flags, {"/usr/bin/env"}, options);
        QVERIFY2(result.exitCode == 0 && !result.output.contains("canary-42"), withFlags(flags, result));
    }
}

void tst_ConfinedEnvironment::variableIsLetThrough()
{
    Fixture fixture;
    RunOptions options = withVariable("GITHUB_TOKEN", "canary-42");
    options.environment.insert("GITLAB_TOKEN", "canary-43");
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.exec(flags + QStringList{"--sandbox-allow-env", "GITHUB_TOKEN"},
                                              {"/usr/bin/env"}, options);
        QVERIFY2(result.output.contains("GITHUB_TOKEN=canary-42\n"), withFlags(flags, result));
        QVERIFY2(!result.output.contains("canary-43"), withFlags(flags, result));
    }
}

void tst_ConfinedEnvironment::ordinaryVariablesStay()
{
    Fixture fixture;
    for (const char *name : {"LANG", "EDITOR", "MY_SETTING", "CFLAGS"}) {
        for (const QStringList &flags : Policies) {
            const RunResult result = fixture.exec(flags, {"/usr/bin/env"}, withVariable(name, "plain-42"));
            QVERIFY2(result.output.contains(QByteArray(name) + "=plain-42\n"), withFlags(flags, result));
        }
    }
}

void tst_ConfinedEnvironment::modelKeyIsRemovedWithoutASandbox()
{
    Fixture fixture;
    const RunResult result = fixture.exec({}, {"/usr/bin/env"}, withVariable("OPENAI_API_KEY", "canary-42"));
    QVERIFY2(result.exitCode == 0 && !result.output.contains("canary-42"), describe(result));
}

void tst_ConfinedEnvironment::temporaryFolderIsWritable_data()
{
    QTest::addColumn<QString>("variable"); // the operator's TMPDIR
    QTest::newRow("not set") << "";
    QTest::newRow("a folder of the operator") << "@O/tmp";
    QTest::newRow("missing") << "@O/missing";
    QTest::newRow("the home folder") << "@H";
    QTest::newRow("the root") << "/";
    QTest::newRow("relative") << "tmp";
}

void tst_ConfinedEnvironment::temporaryFolderIsWritable()
{
    QFETCH(QString, variable); // case 46
    Fixture fixture;
    QVERIFY(QDir().mkdir(fixture.outside("tmp")));
    variable.replace("@O", fixture.outside()).replace("@H", QDir::homePath());
    RunOptions options;
    options.environment.remove("TMPDIR");
    if (!variable.isEmpty()) {
        options.environment.insert("TMPDIR", variable);
    }
    const QStringList command = shell(
        "file=$(mktemp) && echo content > \"$file\" && cat \"$file\" && rm \"$file\" && echo \"$TMPDIR\"");
    for (const char *mode : {"workspace-write", "read-only"}) {
        const RunResult result = fixture.exec({"--sandbox", mode}, command, options);
        QVERIFY2(result.exitCode == 0 && result.output.startsWith("content\n/"), describe(result));
        const bool isTaken = result.output == "content\n" + variable.toUtf8() + '\n';
        QCOMPARE(isTaken, variable == fixture.outside("tmp"));
        QVERIFY(
            fixture.exec({"--sandbox", mode}, shell(": > \"$1\"", {fixture.outside("new")}), options).exitCode
            != 0);
        QVERIFY(!exists(fixture.outside("new")));
    }
}

void tst_ConfinedEnvironment::inheritedDescriptorIsClosed_data()
{
    QTest::addColumn<int>("lowest");
    QTest::addColumn<QStringList>("flags");
    for (const int lowest : {3, 60, 200, 900}) {
        QTest::addRow("from %d", lowest) << lowest << Confined;
        QTest::addRow("from %d, policy off", lowest) << lowest << QStringList();
    }
}

void tst_ConfinedEnvironment::inheritedDescriptorIsClosed()
{
    QFETCH(int, lowest); // case 15
    QFETCH(QStringList, flags);
    Fixture fixture;
    const InheritedDescriptor inherited(fixture.outside("canary"), lowest);
    const QStringList write{fixture.probe("syscalls"), "write", QString::number(inherited.number())};
    const RunResult result = fixture.exec(flags, write);
    QVERIFY2(result.output == "refused EBADF\n" && fixture.isCanaryIntact(), describe(result));
    const RunResult control = fixture.control(write);
    QVERIFY2(control.exitCode == 0 && !fixture.isCanaryIntact(), describe(control));
}

void tst_ConfinedEnvironment::onlyStandardStreamsAreOpen()
{
    Fixture fixture; // case 15: Spettro's own, the ruleset's above all
    for (const QStringList &flags : Policies + QList<QStringList>{{}}) {
        const RunResult result = fixture.exec(flags, {fixture.probe("filecall"), "list", "/proc/self/fd"});
        QByteArrayList names = result.output.split('\n');
        names.removeAll(".");
        names.removeAll("..");
        QCOMPARE(names.size(), 4 + 2); // 0, 1, 2, the listing's own; "done", the end
        QVERIFY2(names.contains("0") && names.contains("1") && names.contains("2") && names.contains("3"),
                 withFlags(flags, result));
    }
}

void tst_ConfinedEnvironment::coreDumpsAreOff()
{
    Fixture fixture;
    const QStringList command = shell("ulimit -Sc; ulimit -Hc");
    for (const QStringList &flags : Policies) {
        QCOMPARE(fixture.exec(flags, command).output, QByteArray("0\n0\n"));
    }
    if (fixture.control(command).output.endsWith("\n0\n")) {
        QSKIP("this host has them off for everyone");
    }
}

void tst_ConfinedEnvironment::workingFolderIsTheWorkspace()
{
    Fixture fixture;
    RunOptions elsewhere;
    elsewhere.folder = fixture.outside();
    for (const QStringList &flags : Policies) {
        const RunResult result = fixture.exec(flags + QStringList{"--cwd", fixture.workspace()},
                                              shell("echo \"$PWD\"; readlink /proc/self/cwd"), elsewhere);
        const QByteArray workspace = QFile::encodeName(fixture.workspace());
        QVERIFY2(result.output == workspace + '\n' + workspace + '\n', withFlags(flags, result));
    }
}

QTEST_GUILESS_MAIN(tst_ConfinedEnvironment)

#include "tst_confinedenvironment.moc"
