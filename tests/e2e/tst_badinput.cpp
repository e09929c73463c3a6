// Wrong usage and odd surroundings of `spettro exec`: an error that names its cause and 2, or it works; nothing in
// between, and nothing that hangs.

#include "tests/support/OperatorHome.h"

#include <QTest>

using namespace spettro::test;

namespace {

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

} // namespace

class TestBadInput : public QObject
{
    Q_OBJECT

private slots:
    void usage_data();
    void usage();
    void oddEnvironment_data();
    void oddEnvironment();
    void largeArguments();
};

void TestBadInput::usage_data()
{
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QByteArray>("named"); // what the message has to name
    const auto add = [](const char *name, const QStringList &flags, const char *named) {
        QTest::addRow("%s", name) << flags << QByteArray(named);
    };
    add("unknown flag", {"--sandbx", "off"}, "--sandbx");
    add("unknown short flag", {"-x"}, "-x");
    add("unknown mode", {"--sandbox", "workspace"}, "--sandbox");
    add("mode in capitals", {"--sandbox", "READ-ONLY"}, "--sandbox");
    add("mode with a blank", {"--sandbox", " read-only"}, "--sandbox");
    add("empty mode", {"--sandbox", ""}, "--sandbox");
    add("mode missing", {"--sandbox"}, "--sandbox");
    add("two modes", {"--sandbox", "off", "--sandbox", "read-only"}, "--sandbox");
    add("unknown network", {"--sandbox-net", "lan"}, "--sandbox-net");
    add("port 0", {"--sandbox-net", "ports:0"}, "--sandbox-net");
    add("port 65536", {"--sandbox-net", "ports:65536"}, "--sandbox-net");
    add("port 2^32+443", {"--sandbox-net", "ports:4294967739"}, "--sandbox-net");
    add("negative port", {"--sandbox-net", "ports:-1"}, "--sandbox-net");
    add("no ports", {"--sandbox-net", "ports:"}, "--sandbox-net");
    add("a comma too many", {"--sandbox-net", "ports:443,"}, "--sandbox-net");
    add("a word as port", {"--sandbox-net", "ports:https"}, "--sandbox-net");
    add("a range of ports", {"--sandbox-net", "ports:1-9"}, "--sandbox-net");
    add("extra folder missing", {"--sandbox", "read-only", "--sandbox-allow-dir", "no-such"}, "no-such");
    add("extra folder empty", {"--sandbox", "read-only", "--sandbox-allow-dir", ""}, "--sandbox-allow-dir");
    add("extra reading folder missing", {"--sandbox", "read-only", "--sandbox-allow-read-dir", "no-such"},
        "no-such");
    add("extra folder a file", {"--sandbox", "read-only", "--sandbox-allow-dir", "/etc/passwd"},
        "/etc/passwd");
    add("extra folder /", {"--sandbox", "read-only", "--sandbox-allow-dir", "/"}, "--sandbox-allow-dir");
    add("extra folder /proc", {"--sandbox", "read-only", "--sandbox-allow-dir", "/proc/self"},
        "--sandbox-allow-dir");
    add("extra folder /sys", {"--sandbox", "read-only", "--sandbox-allow-dir", "/sys/fs"},
        "--sandbox-allow-dir");
    add("extra folder /dev", {"--sandbox", "read-only", "--sandbox-allow-dir", "/dev"},
        "--sandbox-allow-dir");
    add("time limit of a word", {"--timeout", "soon"}, "--timeout");
    add("negative time limit", {"--timeout", "-1"}, "--timeout");
    add("time limit inf", {"--timeout", "inf"}, "--timeout");
    add("time limit nan", {"--timeout", "nan"}, "--timeout");
    add("time limit 1e300", {"--timeout", "1e300"}, "--timeout");
    add("workspace missing", {"--cwd", "no-such"}, "no-such");
    add("workspace empty", {"--cwd", ""}, "--cwd");
    add("a stray word", {"word"}, "word");
}

void TestBadInput::usage()
{
    QFETCH(QStringList, flags);
    QFETCH(QByteArray, named);
    const OperatorHome home;
    const RunResult result = home.exec(flags, shell("touch ran"));
    QVERIFY2(result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.startsWith("spettro: ") && result.errors.contains(named), describe(result));
    QVERIFY(result.output.isEmpty());
    QVERIFY(!exists(home.workspace("ran")));
}

void TestBadInput::oddEnvironment_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value"); // null: unset
    QTest::addRow("no HOME") << "HOME" << QString();
    QTest::addRow("empty HOME") << "HOME"
                                << "";
    QTest::addRow("relative HOME") << "HOME"
                                   << "x";
    QTest::addRow("missing HOME") << "HOME"
                                  << "/no/such";
    QTest::addRow("HOME is /") << "HOME"
                               << "/";
    QTest::addRow("no TMPDIR") << "TMPDIR" << QString();
    QTest::addRow("missing TMPDIR") << "TMPDIR"
                                    << "/no/such";
    QTest::addRow("TMPDIR is a file") << "TMPDIR"
                                      << "/etc/passwd";
    QTest::addRow("TMPDIR is /") << "TMPDIR"
                                 << "/";
    QTest::addRow("relative TMPDIR") << "TMPDIR"
                                     << "tmp";
    QTest::addRow("no PATH") << "PATH" << QString();
    QTest::addRow("empty PATH") << "PATH"
                                << "";
    QTest::addRow("PATH with oddities") << "PATH"
                                        << "::/no/such:.:/usr/bin:/bin";
    QTest::addRow("wrong PWD") << "PWD"
                               << "/usr";
    QTest::addRow("relative PWD") << "PWD"
                                  << ".";
}

/// The command has a place for temporary files whatever the operator's environment looks like; nothing opens.
void TestBadInput::oddEnvironment()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    if (value.isNull()) {
        options.environment.remove(name);
    } else {
        options.environment.insert(name, value);
    }
    const RunResult result =
        home.exec(Confined,
                  {"/bin/sh", "-c",
                   "f=$(/usr/bin/mktemp) && echo x >\"$f\" && /bin/rm \"$f\" && echo y >inside;"
                   " (echo z >../outside/new) 2>/dev/null; pwd"},
                  options);
    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(result.output, QFile::encodeName(home.workspace()) + '\n');
    QCOMPARE(result.errors, QByteArray());
    QVERIFY(exists(home.workspace("inside")));
    QVERIFY(!exists(home.fixture().outside("new")));
}

void TestBadInput::largeArguments()
{
    const OperatorHome home;
    const QString text(100'000, 'x');
    const RunResult result = home.exec(Confined, {"printf", "%s", text});
    QCOMPARE(result.output.size(), text.size());
    QStringList many;
    for (int number = 0; number < 20'000; ++number) {
        many << QString::number(number);
    }
    QCOMPARE(home.exec(Confined, shell("echo $#", many)).output, QByteArray("20000\n"));
    QCOMPARE(home.exec(Confined, {"printf", "[%s]", "", "--", "-x", "--sandbox", "a b", "\n"}).output,
             QByteArray("[][--][-x][--sandbox][a b][\n]"));
}

QTEST_GUILESS_MAIN(TestBadInput)
#include "tst_badinput.moc"
