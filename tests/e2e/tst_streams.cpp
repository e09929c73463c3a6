// What passes through Spettro unchanged: the three standard streams, ignored signals, and the end of the command
// although children of its own still hold a stream open.

#include "tests/support/Fixture.h"
#include "tests/support/Processes.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

#include <csignal>

using namespace spettro::test;

namespace {

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

/// A shell script with `spettro exec` under a policy as "$@".
QStringList around(const QString &script)
{
    return shell(script, QStringList{spettroPath(), "exec"} + Confined + QStringList{"--"});
}

} // namespace

class TestStreams : public QObject
{
    Q_OBJECT

private slots:
    void backgroundChildren_data();
    void backgroundChildren();
    void closedOutput();
    void closedInput();
    void missingStreams();
    void brokenPipe();
    void largeOutput();
    void exactInput();
    void errorsAreApart();
    void signalSettings_data();
    void signalSettings();
    void nohup();
};

void TestStreams::backgroundChildren_data()
{
    QTest::addColumn<QString>("script"); // $1: a duration
    QTest::addColumn<QByteArray>("output");
    QTest::addRow("plain") << "sleep $1 & echo started" << QByteArray("started\n");
    QTest::addRow("in a subshell") << "(sleep $1 2>/dev/null &); echo started" << QByteArray("started\n");
    QTest::addRow("half detached") << "sleep $1 </dev/null >/dev/null & echo half" << QByteArray("half\n");
    QTest::addRow("nohup setsid") << "nohup setsid sleep $1 & echo nohup" << QByteArray("nohup\n");
    QTest::addRow("of python")
        << "python3 -c 'import subprocess, sys; subprocess.Popen([\"sleep\", sys.argv[1]]);"
           " print(\"popen\")' $1"
        << QByteArray("popen\n");
    QTest::addRow("late output") << "echo a; (sleep $1; echo late) &" << QByteArray("a\n");
}

/// The command's end is the end: what it left in the background is ended with it and never waited for.
void TestStreams::backgroundChildren()
{
    QFETCH(QString, script);
    QFETCH(QByteArray, output);
    const Fixture fixture;
    const QByteArray duration = uniqueDuration();
    QElapsedTimer timer;
    timer.start();
    const RunResult result = fixture.exec(Confined, shell(script, {QString::fromLatin1(duration)}));
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(result.output, output);
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(processesWith(duration).isEmpty());
}

/// A command that closes its output closes it for the reader too, while it goes on.
void TestStreams::closedOutput()
{
    const Fixture fixture;
    QElapsedTimer timer;
    timer.start();
    const RunResult result = fixture.control(around("{ \"$@\" sh -c 'echo out; exec >&-; sleep 5; echo late "
                                                    ">late'; } | { cat; date +%s%N; }; date +%s%N"));
    const QByteArrayList lines = result.output.split('\n');
    QVERIFY2(lines.size() == 4 && lines[0] == "out", describe(result));
    const qint64 gap = (lines[2].toLongLong() - lines[1].toLongLong()) / 1'000'000;
    QVERIFY2(gap > 2000, qPrintable(QString("the reader saw the end %1 ms before the command's").arg(gap)));
    QVERIFY(exists(fixture.workspace("late")));
}

/// A command that closes its input breaks the pipe for the writer.
void TestStreams::closedInput()
{
    const Fixture fixture;
    const RunResult result = fixture.control(
        around("{ yes; date +%s%N >written; } 2>/dev/null | \"$@\" sh -c 'exec <&-; sleep 5'; date +%s%N"));
    const qint64 gap = (result.output.trimmed().toLongLong()
                        - contentOf(fixture.workspace("written")).trimmed().toLongLong())
                       / 1'000'000;
    QVERIFY2(gap > 2000 && gap < 20'000,
             qPrintable(QString("the writer ended %1 ms before the command").arg(gap)));
}

void TestStreams::missingStreams()
{
    const Fixture fixture;
    // Without standard streams nothing of Spettro's may end up in their place.
    const QByteArray script =
        "\"$@\" sh -c '{ ls -l /proc/self/fd; } >list 2>&1; exit 4' <&- >&- 2>&-; echo $?";
    const RunResult result = fixture.control(around(script));
    QCOMPARE(result.output, QByteArray("4\n"));
    const QByteArray list = contentOf(fixture.workspace("list"));
    QVERIFY2(!list.contains("memfd") && !list.contains("landlock") && !list.contains("anon_inode"), list);
}

void TestStreams::brokenPipe()
{
    const Fixture fixture;
    const RunResult result =
        fixture.control(around("{ \"$@\" sh -c 'yes; echo $? >code'; } | head -n 1; \"$@\" yes |"
                               " head -n 1"));
    QCOMPARE(result.output, QByteArray("y\ny\n"));
    QCOMPARE(contentOf(fixture.workspace("code")), QByteArray("141\n"));
    QCOMPARE(result.errors, QByteArray());
}

void TestStreams::largeOutput()
{
    const Fixture fixture;
    RunOptions options;
    options.timeLimit = 120'000;
    const RunResult counted = fixture.control(around("\"$@\" head -c 200000000 /dev/zero | wc -c"), options);
    QCOMPARE(counted.output, QByteArray("200000000\n"));

    QByteArray expected;
    for (int number = 1; number <= 300'000; ++number) {
        expected += QByteArray::number(number) + '\n';
    }
    const RunResult exact = fixture.exec(Confined, {"seq", "1", "300000"}, options);
    QVERIFY(exact.output == expected);
}

void TestStreams::exactInput()
{
    const Fixture fixture;
    QByteArray bytes(8 * 1024 * 1024, Qt::Uninitialized);
    QRandomGenerator::global()->fillRange(reinterpret_cast<quint32 *>(bytes.data()), bytes.size() / 4);
    RunOptions options;
    options.input = bytes;
    options.timeLimit = 60'000;
    const RunResult result = fixture.exec(Confined, {"tee", "copy"}, options);
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.output == bytes);
    QVERIFY(contentOf(fixture.workspace("copy")) == bytes);
    QCOMPARE(fixture.exec(Confined, {"cat"}).output, QByteArray()); // end of file at once
}

void TestStreams::errorsAreApart()
{
    const RunResult result = Fixture().exec(Confined, shell("echo out; echo err >&2; printf 'a\\0b'"));
    QCOMPARE(result.output, QByteArray("out\na\0b", 7));
    QCOMPARE(result.errors, QByteArray("err\n"));
}

void TestStreams::signalSettings_data()
{
    QTest::addColumn<QString>("before");
    QTest::addRow("default") << "";
    QTest::addRow("SIGHUP ignored") << "trap '' HUP;";
    QTest::addRow("SIGINT and SIGQUIT ignored, as in the background") << "trap '' INT QUIT;";
    QTest::addRow("SIGPIPE ignored") << "trap '' PIPE;";
    QTest::addRow("SIGTERM ignored") << "trap '' TERM;";
}

/// The command finds signals ignored and blocked as Spettro found them.
void TestStreams::signalSettings()
{
    QFETCH(QString, before);
    const Fixture fixture;
    const QString look = "grep -E 'Sig(Blk|Ign)' /proc/self/status";
    const RunResult control = fixture.control(shell(before + look));
    const RunResult confined = fixture.control(around(before + "\"$@\" " + look));
    QCOMPARE(control.exitCode, 0);
    QCOMPARE(confined.output, control.output);
}

void TestStreams::nohup()
{
    const Fixture fixture;
    QProcess spettro;
    spettro.setWorkingDirectory(fixture.workspace());
    spettro.start("/usr/bin/nohup", QStringList{spettroPath(), "exec"} + Confined
                                        + QStringList{"--", "sh", "-c", "echo here; sleep 1; echo still"});
    QVERIFY(spettro.waitForReadyRead());
    ::kill(pid_t(spettro.processId()), SIGHUP);
    QVERIFY(spettro.waitForFinished());
    QCOMPARE(spettro.exitCode(), 0);
    QCOMPARE(spettro.readAllStandardOutput(), QByteArray("here\nstill\n"));
}

QTEST_GUILESS_MAIN(TestStreams)
#include "tst_streams.moc"
