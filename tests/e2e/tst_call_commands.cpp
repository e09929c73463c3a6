// The tools bash, shell-exec, job-output and job-kill: what comes of a command is told exactly and in bounded memory,
// nothing hangs, nothing is left running, and no argument of a call widens what the command may do.

#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"
#include "tests/support/TerminalSession.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QStringDecoder>
#include <QTest>

#include <csignal>

using namespace spettro::test;

namespace {

constexpr int Prompt = 5000;           // milliseconds in which a command that wants a person is back
constexpr qint64 MostMemory = 200'000; // kB
constexpr qint64 LongOutput = IsSanitized ? 300'000'000LL : 3'000'000'000LL; // bytes

const QByteArray ReplacementMark = "\xef\xbf\xbd";

CallResult bash(CallSession &session, const QByteArray &command, Json more = Json::object())
{
    more["command"] = command.toStdString();
    return session.call("bash", more);
}

/// A member of a result; the fallback also where there was no result.
template<typename T>
T fact(const CallResult &result, const char *member, const T &fallback)
{
    return result.json.is_object() ? result.json.value(member, fallback) : fallback;
}

bool has(const CallResult &result, const char *member)
{
    return result.json.is_object() && result.json.contains(member);
}

QByteArray jobIn(const CallResult &result)
{
    return QByteArray::fromStdString(fact(result, "job_id", std::string()));
}

int exitCodeIn(const CallResult &result)
{
    return fact(result, "exit_code", -1);
}

/// Valid for the strictest reader: one line of JSON for two parsers, UTF-8, no control character as it is.
bool isStrict(const CallResult &result)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder.decode(result.line);
    const bool hasControl = std::any_of(result.line.begin(), result.line.end() - 1, [](char byte) {
        return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
    });
    return result.json.is_object() && !decoder.hasError() && !hasControl && result.line.endsWith('\n')
           && QJsonDocument::fromJson(result.line).isObject();
}

/// The whole output of a command, by pages of so many bytes; each is valid on its own and brings it further.
QByteArray wholeOutput(CallSession &session, const QByteArray &job, int limit)
{
    QByteArray whole;
    for (qint64 offset = 0, size = -1; offset != size;) {
        const CallResult page =
            session.call("job-output", {{"job_id", job.toStdString()}, {"offset", offset}, {"limit", limit}});
        size = fact(page, "output_bytes", qint64{0});
        const qint64 next = fact(page, "next_offset", offset);
        if (!page.ok() || !isStrict(page) || page.output().size() > limit || next <= offset) {
            return whole + "\n[stuck: " + page.line + ']';
        }
        whole += page.output();
        offset = next;
    }
    return whole;
}

QByteArray numbers(int last)
{
    QByteArray text;
    for (int number = 1; number <= last; ++number) {
        text += QByteArray::number(number) + '\n';
    }
    return text;
}

/// Whether the processes with this text in their command line end within so many milliseconds.
bool areGone(const QByteArray &text, int milliseconds = 3000)
{
    return QTest::qWaitFor([&] { return processesWith(text).isEmpty(); }, milliseconds);
}

/// A file of a process with names in front of the lines, in kB: "VmHWM" is the most memory that it ever had.
qint64 memoryOf(qint64 process, const char *name)
{
    const QByteArray text = contentOf(QString("/proc/%1/status").arg(process));
    const qsizetype start = text.indexOf(QByteArray(name) + ':');
    return start < 0 ? -1 : text.mid(start).split('\n').first().simplified().split(' ').value(1).toLongLong();
}

QByteArray makeJson(const QByteArray &command)
{
    return QByteArray::fromStdString(Json{{"command", command.toStdString()}}.dump());
}

} // namespace

class TestCallCommands : public QObject
{
    Q_OBJECT

private slots:
    void exitCodes();
    void signalNames();
    void honestEnds_data();
    void honestEnds();
    void refusalIsApart();
    void orderedStreams();
    void headAndTail();
    void pages_data();
    void pages();
    void charactersAreWhole();
    void oddBytes_data();
    void oddBytes();
    void hugeOutput_data();
    void hugeOutput();
    void loudCommandEnds_data();
    void loudCommandEnds();
    void nobodyAnswers_data();
    void nobodyAnswers();
    void historyIsKept();
    void terminalIsUntouched();
    void backgroundChildren_data();
    void backgroundChildren();
    void wholeTreeEnds_data();
    void wholeTreeEnds();
    void jobs();
    void jobEndsByItself();
    void jobsEndWithSession_data();
    void jobsEndWithSession();
    void signalBetweenCalls();
    void attackOnTheSession();
    void onlyThreeDescriptors();
    void badCommands();
    void foldersWidenNothing_data();
    void foldersWidenNothing();
    void folderIsGone();
    void workspaceIsSwapped();
    void keysAreHidden();
    void plantedPrograms();
    void repositoryRunsNothing();
    void boundsStay();
    void refusedWriteIsAnError();
};

/// Case 75.
void TestCallCommands::exitCodes()
{
    const Fixture fixture;
    CallSession session(fixture);
    for (int code = 0; code < 256; ++code) {
        const CallResult result = session.call(code % 2 == 0 ? "bash" : "shell-exec",
                                               {{"command", "echo out; exit " + std::to_string(code)}});
        QVERIFY2(exitCodeIn(result) == code && result.ok() == (code == 0), describe(result));
        QVERIFY2(result.output() == "out\n" && !has(result, "signal") && !has(result, "timed_out"),
                 describe(result));
    }
    QCOMPARE(call(fixture, "bash", {{"command", "exit 0"}}).exitCode, 0);
    QCOMPARE(call(fixture, "bash", {{"command", "exit 7"}}).exitCode, 1); // the tool failed
}

/// Case 75: death by a signal is a failure, told by name.
void TestCallCommands::signalNames()
{
    const QList<std::pair<int, QByteArray>> signalsByName{
        {1, "SIGHUP"},   {2, "SIGINT"},   {3, "SIGQUIT"},   {4, "SIGILL"},   {5, "SIGTRAP"},
        {6, "SIGABRT"},  {7, "SIGBUS"},   {8, "SIGFPE"},    {9, "SIGKILL"},  {10, "SIGUSR1"},
        {11, "SIGSEGV"}, {12, "SIGUSR2"}, {13, "SIGPIPE"},  {14, "SIGALRM"}, {15, "SIGTERM"},
        {24, "SIGXCPU"}, {31, "SIGSYS"},  {40, "signal 40"}};
    const Fixture fixture;
    CallSession session(fixture);
    for (const auto &[number, name] : signalsByName) {
        const CallResult result =
            bash(session, "ulimit -c 0; echo part; exec sh -c 'kill -" + QByteArray::number(number)
                              + " $$; sleep 9'"); // bash itself ignores SIGQUIT
        QVERIFY2(!result.ok() && exitCodeIn(result) == 128 + number, name + ": " + describe(result));
        QVERIFY2(fact(result, "signal", std::string()) == name.toStdString() && result.error().contains(name)
                     && result.output() == "part\n",
                 describe(result));
    }
}

void TestCallCommands::honestEnds_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("output");
    const QByteArray claim = "sandbox: Operation not permitted (landlock, seccomp, read-only file system)\n";
    QTest::addRow("case 75: abort below a shell")
        << QByteArray("exec 2>/dev/null; ulimit -c 0; python3 -c 'import os; os.abort()'; exit $?") << 134
        << QByteArray();
    QTest::addRow("case 76: nothing found") << QByteArray("grep nothing /etc/hostname") << 1 << QByteArray();
    QTest::addRow("case 76: a text about bounds")
        << "printf '" + claim.chopped(1) + "\\n'; exit 1" << 1 << claim;
    QTest::addRow("case 76: the shell's own 126")
        << QByteArray("touch noexec; exec 2>/dev/null; ./noexec") << 126 << QByteArray();
    QTest::addRow("case 76: the shell's own 127")
        << QByteArray("exec 2>/dev/null; no-such-program") << 127 << QByteArray();
    QTest::addRow("case 76: no pipefail")
        << QByteArray("yes | head -1; false | true; echo rc=$?") << 0 << QByteArray("y\nrc=0\n");
    QTest::addRow("case 72: 124 of the command's own") << QByteArray("exit 124") << 124 << QByteArray();
    QTest::addRow("A98: output closed early")
        << QByteArray("printf a; exec 1>&-; sleep 0.5; touch late") << 0 << QByteArray("a");
    QTest::addRow("A98: late output of a child")
        << QByteArray("(sleep 5; echo late) & echo now") << 0 << QByteArray("now\n");
}

/// The plain result, and no guess about it.
void TestCallCommands::honestEnds()
{
    QFETCH(QByteArray, command);
    QFETCH(int, exitCode);
    QFETCH(QByteArray, output);
    const Fixture fixture;
    const CallResult result = call(fixture, "bash", {{"command", command.toStdString()}});
    QVERIFY2(exitCodeIn(result) == exitCode && result.output() == output, describe(result));
    QCOMPARE(result.exitCode, exitCode == 0 ? 0 : 1);
    QCOMPARE(result.error(), exitCode == 0 ? QByteArray() : "exit code " + QByteArray::number(exitCode));
    QVERIFY2(!has(result, "timed_out") && !has(result, "signal"), describe(result));
    QCOMPARE(result.errors, QByteArray());
    QCOMPARE(exists(fixture.workspace("late")), command.contains("touch late"));
}

/// Case 76: Spettro's own 126 says that nothing was run, where the operator reads it.
void TestCallCommands::refusalIsApart()
{
    const Fixture fixture;
    const CallResult result = call(fixture, "bash", {{"command", "touch ran"}},
                                   WorkspaceOnly + QStringList{"--test-landlock-abi", "0"});
    QVERIFY2(result.exitCode == 126 && result.errors.contains("nothing was run"), describe(result));
    QVERIFY(!exists(fixture.workspace("ran")));
    QCOMPARE(call(fixture, "bash", {{"command", "touch ran"}}).exitCode, 0);
    QVERIFY(exists(fixture.workspace("ran")));
}

/// A98: nothing is lost of either stream, and the order is that of the writing.
void TestCallCommands::orderedStreams()
{
    const Fixture fixture;
    CallSession session(fixture);
    QByteArray expected;
    for (int number = 1; number <= 5000; ++number) {
        expected += "out " + QByteArray::number(number) + "\nerr " + QByteArray::number(number) + '\n';
    }
    const CallResult result =
        bash(session, "for ((i = 1; i <= 5000; ++i)); do echo out $i; echo err $i >&2; done");
    QVERIFY2(result.ok() && !jobIn(result).isEmpty(), describe(result));
    QVERIFY(wholeOutput(session, jobIn(result), 100'000) == expected);
    QCOMPARE(bash(session, "echo a; echo b >&2; echo c").output(), QByteArray("a\nb\nc\n"));
}

/// Case 77: beginning and end, what is left out counted, and the exit code.
void TestCallCommands::headAndTail()
{
    const Fixture fixture;
    CallSession session(fixture);
    const QByteArray whole = numbers(200'000) + "END-MARK\n";
    const CallResult result = bash(session, "seq 1 200000; echo END-MARK; exit 5");
    QCOMPARE(exitCodeIn(result), 5);
    QCOMPARE(fact(result, "output_bytes", qint64{0}), whole.size());
    QCOMPARE(fact(result, "output_lines", 0), 200'001);
    QVERIFY(fact(result, "truncated", false));

    const QRegularExpression gap(R"(\[\.\.\. (\d+) bytes \((\d+) lines\) left out \.\.\.\]\n)");
    const QRegularExpressionMatch match = gap.match(QString::fromUtf8(result.output()));
    QVERIFY2(match.hasMatch(), describe(result));
    const QByteArray head = result.output().left(match.capturedStart());
    const QByteArray tail = result.output().mid(match.capturedEnd());
    QVERIFY(head.size() > 8000 && tail.size() > 8000 && result.output().size() < 40'000);
    QVERIFY(whole.startsWith(head) && whole.endsWith(tail) && head.endsWith('\n'));
    QCOMPARE(match.captured(1).toLongLong(), whole.size() - head.size() - tail.size());
    QCOMPARE(match.captured(2).toLongLong(), 200'001 - head.count('\n') - tail.count('\n'));

    const CallResult brief = bash(session, "seq 1 1000");
    QVERIFY2(brief.output() == numbers(1000) && !has(brief, "truncated") && !has(brief, "job_id"),
             describe(brief));
}

void TestCallCommands::pages_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("expected");
    QTest::addColumn<int>("limit");
    const QByteArray mixed = QByteArray("a\xe2\x89\xa4\xf0\x9f\x99\x82\xc3\xa9\n").repeated(4000);
    const QByteArray python = "python3 -c \"print('a≤🙂é\\n' * 4000, end='')\"";
    QTest::addRow("case 77: numbers") << QByteArray("seq 1 200000") << numbers(200'000) << 256 * 1024;
    QTest::addRow("case 79: a cut in every place") << python << mixed << 1001;
    QTest::addRow("case 79: the usual size") << python << mixed << 32 * 1024;
    QTest::addRow("case 79: one long line") << QByteArray("python3 -c \"print('你' * 50000, end='')\"")
                                            << QByteArray("你").repeated(50'000) << 10'000;
    QTest::addRow("case 79: standard error")
        << QByteArray("python3 -c \"import sys; sys.stderr.write('é' * 70001)\"")
        << QByteArray("é").repeated(70'001) << 50'001;
}

/// The whole, byte for byte.
void TestCallCommands::pages()
{
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, expected);
    QFETCH(int, limit);
    const Fixture fixture;
    CallSession session(fixture);
    const CallResult result = bash(session, command);
    QVERIFY2(result.ok() && isStrict(result), describe(result));
    QVERIFY(!result.output().contains(ReplacementMark));
    const QByteArray whole = wholeOutput(session, jobIn(result), limit);
    QVERIFY2(whole == expected, whole.right(500));

    // A page is never smaller than a character, or the model would not get on; behind the end there is nothing.
    const Json behind = {{"job_id", jobIn(result).toStdString()}, {"offset", expected.size() + 10}};
    const CallResult last = session.call("job-output", behind);
    QVERIFY2(last.ok() && last.output().isEmpty(), describe(last));
    const Json small = {{"job_id", jobIn(result).toStdString()}, {"offset", 1}, {"limit", 1}};
    const CallResult first = session.call("job-output", small);
    QVERIFY2(first.ok() && isStrict(first) && fact(first, "next_offset", 0) > 1, describe(first));
}

/// A89, case 79: wherever a limit falls, no character is cut; cut ones of the command's own become one mark.
void TestCallCommands::charactersAreWhole()
{
    const Fixture fixture;
    CallSession session(fixture);
    constexpr int ShownAtOnce = 32 * 1024;
    for (int shift = 0; shift < 4; ++shift) {
        for (int count = ShownAtOnce / 4 - 2; count <= ShownAtOnce / 4 + 2; ++count) {
            const QByteArray python = "python3 -c \"print('x' * %1 + '🙂' * %2, end='')\"";
            const CallResult result = bash(session, QByteArray(python)
                                                        .replace("%1", QByteArray::number(shift))
                                                        .replace("%2", QByteArray::number(count)));
            QVERIFY2(result.ok() && isStrict(result), describe(result));
            QVERIFY2(!result.output().contains(ReplacementMark), describe(result));
            const QByteArray expected = QByteArray(shift, 'x') + QByteArray("🙂").repeated(count);
            QCOMPARE(has(result, "truncated"), expected.size() > ShownAtOnce);
            QVERIFY(has(result, "truncated") || result.output() == expected);
        }
    }
    const CallResult slow =
        bash(session, "for b in e2 89 a4 f0 9f 99 82; do printf \"\\\\x$b\"; sleep 0.05; done");
    QCOMPARE(slow.output(), QByteArray("≤🙂"));
    const CallResult cut =
        bash(session, "printf '\\xe2\\x89'; sleep 0.2; printf 'x\\n'; printf 'tail\\xf0\\x9f'");
    QCOMPARE(cut.output(), ReplacementMark + "x\ntail" + ReplacementMark);
    QVERIFY(isStrict(cut));
}

void TestCallCommands::oddBytes_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArrayList>("shown");
    QTest::addRow("case 81: NUL") << QByteArray("printf 'a\\0b\\0c'") << QByteArrayList{"a\\x00b\\x00c"};
    QTest::addRow("case 81: controls") << QByteArray("printf '\\x01\\x02\\x7f\\x1b[31mred\\x1b[0m\\n'")
                                       << QByteArrayList{"\\x01\\x02\\x7fred\n"};
    QTest::addRow("case 81: no UTF-8") << QByteArray("printf 'a\\xff\\xfe\\xc0\\x80\\xed\\xa0\\x80z'")
                                       << QByteArrayList{"a" + ReplacementMark, "z"};
    QTest::addRow("case 81: noncharacters") << QByteArray("printf 'a\\xef\\xbf\\xbe\\xe2\\x80\\xa8z'")
                                            << QByteArrayList{"a" + ReplacementMark, "z"};
    QTest::addRow("case 81: a program") << QByteArray("head -c 100000 /bin/ls") << QByteArrayList{"ELF"};
    QTest::addRow("A90: a hundred NUL")
        << QByteArray("head -c 100 /dev/zero") << QByteArrayList{QByteArray("\\x00").repeated(100)};
    QTest::addRow("A90: noise") << QByteArray("head -c 1000000 /dev/urandom; echo; echo end")
                                << QByteArrayList{"end"};
    QTest::addRow("A89: a cut emoji")
        << QByteArray("printf 'a\\xf0\\x9f\\x98'") << QByteArrayList{"a" + ReplacementMark};
}

void TestCallCommands::oddBytes()
{
    QFETCH(QByteArray, command);
    QFETCH(QByteArrayList, shown);
    const Fixture fixture;
    CallSession session(fixture);
    const CallResult result = bash(session, command);
    QVERIFY2(result.ok() && isStrict(result), describe(result));
    for (const QByteArray &part : shown) {
        QVERIFY2(result.output().contains(part), describe(result));
    }
    for (const char byte : result.output()) {
        QVERIFY2(static_cast<unsigned char>(byte) >= 0x20 || byte == '\n' || byte == '\t', describe(result));
    }
    QCOMPARE(bash(session, "echo still-alive").output(), QByteArray("still-alive\n"));
}

void TestCallCommands::hugeOutput_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QByteArray>("tail");
    QTest::addRow("case 77: one line") << "head -c " + QByteArray::number(LongOutput)
                                              + " /dev/zero | tr '\\0' a; echo; echo END-MARK; exit 5"
                                       << LongOutput + 10 << QByteArray("a\nEND-MARK\n");
    QTest::addRow("case 77: lines to standard error")
        << QByteArray("yes 2>/dev/null | head -c 300000000 >&2; echo END-MARK; exit 5") << qint64{300'000'009}
        << QByteArray("y\nEND-MARK\n");
}

/// Case 77, A98.
void TestCallCommands::hugeOutput()
{
    QFETCH(QByteArray, command);
    QFETCH(qint64, bytes);
    QFETCH(QByteArray, tail);
    const Fixture fixture;
    CallSession session(fixture);
    constexpr int Patience = 240'000; // milliseconds, on a busy machine
    const CallResult result = session.call("bash", {{"command", command.toStdString()}}, Patience);
    QVERIFY2(exitCodeIn(result) == 5 && fact(result, "output_bytes", qint64{0}) == bytes, describe(result));
    QVERIFY2(result.output().endsWith(tail) && result.output().size() < 40'000, describe(result));
    const qint64 most = memoryOf(session.process().processId(), "VmHWM");
    if (!IsSanitized) { // their allocators keep what was freed
        QVERIFY2(most > 0 && most < MostMemory, QByteArray::number(most) + " kB");
    }
    // What is kept on disk is bounded too, and said to be.
    const CallResult page =
        session.call("job-output", {{"job_id", jobIn(result).toStdString()}, {"offset", 300'000'000}});
    QVERIFY2(page.ok() && fact(page, "next_offset", bytes) < 300'000'000
                 && fact(page, "note", std::string()).find("kept") != std::string::npos,
             describe(page));
}

void TestCallCommands::loudCommandEnds_data()
{
    QTest::addColumn<bool>("isCancelled");
    QTest::addRow("cases 72 and 77: time limit") << false;
    QTest::addRow("cases 72 and 77: cancelled by the operator") << true;
}

/// A flood of output holds up neither the time limit nor Ctrl-C.
void TestCallCommands::loudCommandEnds()
{
    QFETCH(bool, isCancelled);
    const Fixture fixture;
    CallSession session(fixture);
    const QByteArray mark = uniqueDuration();
    const Json input = {{"command", "echo begin; touch began; yes " + mark.toStdString()},
                        {"timeout_sec", isCancelled ? 600 : 2}};
    session.process().write(
        QByteArray::fromStdString(Json{{"tool", "bash"}, {"input", input}}.dump() + '\n'));
    QVERIFY(QTest::qWaitFor([&] { return exists(fixture.workspace("began")); }, 10'000));
    QElapsedTimer timer;
    timer.start();
    if (isCancelled) {
        QTest::qWait(1000); // milliseconds; output is flowing by then
        ::kill(static_cast<pid_t>(session.process().processId()), SIGINT);
    }
    const CallResult result = session.sendLine({});
    QVERIFY2(timer.elapsed() < 10'000, QByteArray::number(timer.elapsed()));
    QVERIFY2(!result.ok() && fact(result, isCancelled ? "cancelled" : "timed_out", false), describe(result));
    QVERIFY2(result.output().startsWith("begin\n" + mark) && fact(result, "truncated", false),
             describe(result));
    QVERIFY(areGone(mark));
    if (isCancelled) {
        session.process().waitForFinished();
        QCOMPARE(session.process().exitCode(), 128 + SIGINT);
    } else {
        QCOMPARE(exitCodeIn(result), 124);
        QVERIFY(memoryOf(session.process().processId(), "VmHWM") < MostMemory || IsSanitized);
    }
}

void TestCallCommands::nobodyAnswers_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QStringList>("programs");
    QTest::addRow("case 74: cat") << QByteArray("test \"$(cat; echo rc=$?)\" = rc=0") << QStringList{};
    QTest::addRow("case 74: read") << QByteArray("! read x && test -z \"$x\"") << QStringList{};
    QTest::addRow("case 74: input()")
        << QByteArray("python3 -c 'input()' 2>&1 | grep -q EOFError") << QStringList{"python3"};
    QTest::addRow("case 74: python3 -i")
        << QByteArray("python3 -i 2>/dev/null; true") << QStringList{"python3"};
    QTest::addRow("case 74: no terminal") << QByteArray(
        "! tty -s && ! test -t 0 && ! test -t 1 && ! test -t 2 && ! (exec </dev/tty) && ! stty -echo")
                                          << QStringList{};
    QTest::addRow("A88: /dev/tty of python")
        << QByteArray("! python3 -c 'open(\"/dev/tty\")'") << QStringList{"python3"};
    QTest::addRow("A88: git commit") << QByteArray("echo b >b && git add b && ! git commit && git reset -q")
                                     << QStringList{"git"};
    QTest::addRow("A88: git commit --amend") << QByteArray("! git commit --amend") << QStringList{"git"};
    QTest::addRow("A88: git rebase -i")
        << QByteArray("! git rebase -i HEAD~1 && git rebase --abort; true") << QStringList{"git"};
    QTest::addRow("A88: git log") << QByteArray("git log | grep -q two && git -p log >/dev/null")
                                  << QStringList{"git"};
    QTest::addRow("case 74: git over https")
        << QByteArray("! git ls-remote https://127.0.0.1:1/x") << QStringList{"git"};
    QTest::addRow("A88: ssh") << QByteArray("! ssh -o ConnectTimeout=1 -o StrictHostKeyChecking=ask -p 1 "
                                            "nobody@127.0.0.1 true")
                              << QStringList{"ssh"};
    QTest::addRow("A88: a passphrase") << QByteArray("ssh-keygen -q -t ed25519 -N secret -f key && "
                                                     "! ssh-keygen -y -f key")
                                       << QStringList{"ssh-keygen"};
    // Where there is no sudo this is the shell's 127; what counts is that it is back.
    QTest::addRow("A88: sudo") << QByteArray("! sudo -k true") << QStringList{};
    QTest::addRow("A88: sudo -S") << QByteArray("! sudo -S -k true") << QStringList{};
    QTest::addRow("A88: su") << QByteArray("su nobody -c true; true") << QStringList{};
    QTest::addRow("A88: editor and pager")
        << QByteArray("! $EDITOR file && ! $VISUAL file && echo x | $PAGER") << QStringList{};
}

/// Cases 74 and A88: what wants a person fails at once.
void TestCallCommands::nobodyAnswers()
{
    QFETCH(QByteArray, command);
    QFETCH(QStringList, programs);
    const QStringList missing = missingPackages(programs);
    QVERIFY2(missing.isEmpty(), qPrintable("install " + missing.join(' ')));
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    // The operator's own settings would wait.
    for (const char *name :
         {"EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "PAGER", "GIT_PAGER", "SSH_ASKPASS"}) {
        options.environment.insert(name, "sleep 30; true");
    }
    options.folder = home.workspace();
    options.input = "keys of the operator\n";
    const RunResult prepared = run(shell("git init -q && for n in one two; do echo $n >a && git add a && "
                                         "git commit -qm $n || exit; done"),
                                   options);
    QVERIFY2(prepared.exitCode == 0, describe(prepared));
    const RunOptions forGit{options.folder, options.environment, {}, options.timeLimit};
    const QByteArray headBefore = run({"git", "rev-parse", "HEAD"}, forGit).output;
    QVERIFY(headBefore.size() > 40);

    CallSession session(home.fixture(), WorkspaceOnly, options);
    QElapsedTimer timer;
    timer.start();
    const CallResult result = bash(session, command, {{"timeout_sec", 20}});
    QVERIFY2(timer.elapsed() < Prompt, QByteArray::number(timer.elapsed()) + " ms: " + describe(result));
    QVERIFY2(result.ok(), describe(result));
    QVERIFY(!has(result, "timed_out"));
    QCOMPARE(run({"git", "rev-parse", "HEAD"}, forGit).output, headBefore);
}

/// A88: an interactive rebase must not rewrite history because nobody looked at it.
void TestCallCommands::historyIsKept()
{
    QVERIFY2(missingPackages({"git"}).isEmpty(), "install git");
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    options.folder = home.workspace();
    const RunResult prepared =
        run(shell("git init -q; for n in one two three; do git commit -q --allow-empty -m $n;"
                  " done; git rev-parse HEAD"),
            options);
    CallSession session(home.fixture(), WorkspaceOnly, options);
    const CallResult result =
        bash(session, "git rebase -i --autosquash HEAD~2 --reschedule-failed-exec -x false");
    QVERIFY2(!result.ok() && result.output().contains("editor"), describe(result));
    const RunResult now = run({"git", "rev-parse", "HEAD"}, options);
    QVERIFY2(now.output == prepared.output && now.output.size() > 40, describe(now));
    // The control: with an editor that agrees the same command goes to work.
    const RunResult control = run(
        {"env", "GIT_SEQUENCE_EDITOR=true", "git", "rebase", "-i", "HEAD~2", "-x", "touch reached"}, options);
    QVERIFY2(exists(home.workspace("reached")), describe(control));
}

/// Case 74: Spettro in a terminal. The command has none, the modes stay, and the keys are for whom they are meant.
void TestCallCommands::terminalIsUntouched()
{
    const Fixture fixture;
    RunOptions options;
    options.folder = fixture.workspace();
    const QByteArray command =
        "touch began; tty; test -t 0 -o -t 1 -o -t 2; echo tty=$?; (exec </dev/tty) 2>/dev/null;"
        " echo open=$?; cat; stty -echo 2>/dev/null; echo prompt >/dev/tty; sleep 2; echo end";
    TerminalSession terminal(
        shell("\"$@\"; read x; echo \"the shell got $x.\"",
              QStringList{spettroPath(), "call", "bash", QString::fromUtf8(makeJson(command))}
                  + WorkspaceOnly),
        options);
    const termios before = terminal.modes();
    QVERIFY(QTest::qWaitFor([&] { return exists(fixture.workspace("began")); }, 10'000));
    terminal.type("some keys\n");
    QVERIFY2(terminal.shows("not a tty\\ntty=1\\nopen=1\\n"), terminal.screen());
    QVERIFY2(terminal.shows("end\\n\""), terminal.screen());
    QVERIFY2(terminal.shows("the shell got some keys."), terminal.screen());
    QVERIFY(terminal.comesToHave(before));
    QVERIFY2(!terminal.screen().contains("\nprompt"), terminal.screen());
    QCOMPARE(terminal.waitForEnd(), 0);
}

void TestCallCommands::backgroundChildren_data()
{
    QTest::addColumn<QByteArray>("command"); // $D: a duration
    QTest::addColumn<QByteArray>("output");
    QTest::addRow("case 71: plain") << QByteArray("sleep $D & echo started") << QByteArray("started\n");
    QTest::addRow("case 71: in a subshell")
        << QByteArray("(sleep $D 2>/dev/null &); echo b") << QByteArray("b\n");
    QTest::addRow("case 71: half detached")
        << QByteArray("sleep $D </dev/null >/dev/null & echo half") << QByteArray("half\n");
    QTest::addRow("case 71: nohup setsid")
        << QByteArray("nohup setsid sleep $D & echo n") << QByteArray("n\n");
    QTest::addRow("case 71: of python") << QByteArray(
        "python3 -c 'import subprocess; subprocess.Popen([\"sleep\", \"$D\"]); print(\"popen\")'")
                                        << QByteArray("popen\n");
    QTest::addRow("case 71: late output")
        << QByteArray("echo a; (sleep $D; echo late) &") << QByteArray("a\n");
    QTest::addRow("A87: setsid") << QByteArray("setsid sleep $D & echo hi") << QByteArray("hi\n");
    QTest::addRow("A87: ignores SIGTERM")
        << QByteArray("(trap '' TERM HUP INT; sleep $D) & echo hi") << QByteArray("hi\n");
    QTest::addRow("A87: is stopped") << QByteArray("sleep $D & kill -STOP $!; echo hi") << QByteArray("hi\n");
}

/// The end of the command is the end of the call, whoever still holds its output.
void TestCallCommands::backgroundChildren()
{
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, output);
    const Fixture fixture;
    const QByteArray duration = uniqueDuration();
    CallSession session(fixture);
    QElapsedTimer timer;
    timer.start();
    const CallResult result = bash(session, command.replace("$D", duration));
    QVERIFY2(timer.elapsed() < Prompt, QByteArray::number(timer.elapsed()));
    QVERIFY2(result.ok() && result.output() == output, describe(result));
    QVERIFY(areGone(duration));
}

void TestCallCommands::wholeTreeEnds_data()
{
    QTest::addColumn<QByteArray>("command"); // $D: a duration
    QTest::addColumn<int>("signal");         // 0: the time limit of the call
    const QList<std::pair<const char *, QByteArray>> trees{
        {"shells in shells", "bash -c 'bash -c \"sleep $D\" | cat'; echo never"},
        {"A97: two children", "sh -c 'sleep $D & sleep $D'"},
        {"fifo", "(until false; do echo tick; sleep 0.2; done) & mkfifo p; sleep $D & cat p"},
        {"A87: ignores SIGTERM", "trap '' TERM INT HUP; sleep $D; sleep $D"},
        {"A87: sessions of their own", "setsid sleep $D & setsid setsid sleep $D & sleep $D"},
        {"stopped", "sleep $D & kill -STOP $!; kill -STOP $$; sleep $D"},
    };
    for (const auto &[name, command] : trees) {
        QTest::addRow("case 72, %s: time limit", name) << command << 0;
        QTest::addRow("case 72, %s: Ctrl-C", name) << command << SIGINT;
    }
    QTest::addRow("case 72: SIGTERM") << trees.first().second << SIGTERM;
    QTest::addRow("case 72: SIGHUP") << trees.first().second << SIGHUP;
}

/// At the limit and when the operator cancels, the whole tree is gone and what it wrote is told.
void TestCallCommands::wholeTreeEnds()
{
    QFETCH(QByteArray, command);
    QFETCH(int, signal);
    const Fixture fixture;
    const QByteArray duration = uniqueDuration();
    QProcess spettro;
    spettro.setWorkingDirectory(fixture.workspace());
    spettro.start(spettroPath(), QStringList{"call", "bash", "-"} + WorkspaceOnly);
    const QByteArray whole = "echo before; touch began; " + command.replace("$D", duration);
    const Json input = {{"command", whole.toStdString()}, {"timeout_sec", signal == 0 ? 2 : 600}};
    spettro.write(QByteArray::fromStdString(input.dump()));
    spettro.closeWriteChannel();
    QVERIFY(QTest::qWaitFor(
        [&] { return exists(fixture.workspace("began")) && !processesWith(duration).isEmpty(); }, 10'000));
    QElapsedTimer timer;
    timer.start();
    if (signal != 0) {
        ::kill(static_cast<pid_t>(spettro.processId()), signal);
    }
    QVERIFY(spettro.waitForFinished(20'000));
    QVERIFY2(timer.elapsed() < 6000, QByteArray::number(timer.elapsed()));
    QVERIFY(areGone(duration, 1500));
    const Json result = Json::parse(spettro.readAllStandardOutput().toStdString(), nullptr, false);
    QVERIFY2(result.is_object(), spettro.readAllStandardError());
    QVERIFY2(result.value("output", std::string()).starts_with("before\n"), result.dump().c_str());
    QVERIFY2(result.value(signal == 0 ? "timed_out" : "cancelled", false), result.dump().c_str());
    QCOMPARE(spettro.exitStatus(), QProcess::NormalExit);
    QCOMPARE(spettro.exitCode(), signal == 0 ? 1 : 128 + signal);
}

/// A87: a command in the background is read, waited for and ended by its name.
void TestCallCommands::jobs()
{
    const Fixture fixture;
    CallSession session(fixture);
    const QByteArray duration = uniqueDuration();
    QElapsedTimer timer;
    timer.start();
    const CallResult started =
        bash(session,
             "echo first; until test -e go; do sleep 0.05; done; echo second; setsid sleep " + duration
                 + " & sleep " + duration,
             {{"run_in_background", true}});
    QVERIFY2(timer.elapsed() < Prompt, QByteArray::number(timer.elapsed()));
    const QByteArray job = jobIn(started);
    QVERIFY2(started.ok() && fact(started, "running", false) && !job.isEmpty(), describe(started));
    QVERIFY2(!has(started, "exit_code"), describe(started));

    const Json ask = {{"job_id", job.toStdString()}};
    const CallResult before = session.call("job-output", ask);
    QVERIFY2(before.output() == "first\n" && fact(before, "running", false), describe(before));
    QCOMPARE(bash(session, "echo meanwhile; touch go").output(), QByteArray("meanwhile\n"));
    CallResult after;
    QVERIFY(QTest::qWaitFor(
        [&] {
            after = session.call("job-output",
                                 {{"job_id", job.toStdString()}, {"offset", fact(before, "next_offset", 0)}});
            return after.output() == "second\n";
        },
        10'000));
    QVERIFY2(fact(after, "running", false), describe(after));
    timer.start();
    const CallResult waited = session.call("job-output", {{"job_id", job.toStdString()}, {"wait_sec", 2}});
    QVERIFY2(timer.elapsed() >= 1900 && fact(waited, "running", false), describe(waited));

    QVERIFY(!processesWith(duration).isEmpty());
    const CallResult killed = session.call("job-kill", ask);
    QVERIFY2(killed.ok() && killed.output() == "first\nsecond\n", describe(killed));
    QVERIFY(areGone(duration, 1500));
    const CallResult later = session.call("job-output", ask);
    QVERIFY2(later.ok() && !fact(later, "running", true) && later.output() == "first\nsecond\n",
             describe(later));
    QVERIFY2(session.call("job-kill", ask).ok(), "a job that has ended");

    for (const char *name : {"job-99", "", "../job-1", "job-1\x1b"}) {
        const CallResult none = session.call("job-output", {{"job_id", name}});
        QVERIFY2(!none.ok() && isStrict(none) && none.error().contains("no job"), describe(none));
        QVERIFY2(!session.call("job-kill", {{"job_id", name}}).ok(), name);
    }
    CallSession other(fixture);
    QVERIFY2(!other.call("job-output", ask).ok(), "a job of another session");
}

/// Waiting ends with the command; the limit holds in the background too; a stranger's pipe does not end it.
void TestCallCommands::jobEndsByItself()
{
    const Fixture fixture;
    CallSession session(fixture);
    const CallResult ends = bash(session, "sleep 1.5; echo done; exit 3", {{"run_in_background", true}});
    QElapsedTimer timer;
    timer.start();
    const CallResult waited =
        session.call("job-output", {{"job_id", jobIn(ends).toStdString()}, {"wait_sec", 50}});
    QVERIFY2(timer.elapsed() < 10'000, QByteArray::number(timer.elapsed()));
    QVERIFY2(waited.output() == "done\n" && exitCodeIn(waited) == 3 && !fact(waited, "running", true),
             describe(waited));

    const QByteArray duration = uniqueDuration();
    const CallResult limited =
        bash(session, "sleep " + duration, {{"run_in_background", true}, {"timeout_sec", 1}});
    const CallResult over =
        session.call("job-output", {{"job_id", jobIn(limited).toStdString()}, {"wait_sec", 50}});
    QVERIFY2(fact(over, "timed_out", false) && exitCodeIn(over) == 124, describe(over));
    QVERIFY(areGone(duration));

    const CallResult atOnce = bash(session, "echo no; exit 4", {{"run_in_background", true}});
    QVERIFY2(exitCodeIn(atOnce) == 4 && atOnce.output() == "no\n", describe(atOnce));
    const CallResult loud = bash(session, "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; touch finished",
                                 {{"run_in_background", true}});
    QVERIFY(QTest::qWaitFor([&] { return exists(fixture.workspace("finished")); }, 10'000));
    const CallResult all =
        session.call("job-output", {{"job_id", jobIn(loud).toStdString()}, {"wait_sec", 5}});
    QCOMPARE(all.output(), numbers(6));
}

void TestCallCommands::jobsEndWithSession_data()
{
    QTest::addColumn<int>("signal"); // 0: the end of the input
    QTest::addRow("A87: the session ends") << 0;
    QTest::addRow("A87: SIGKILL") << SIGKILL;
    QTest::addRow("A87: SIGTERM") << SIGTERM;
    QTest::addRow("A87: SIGINT") << SIGINT;
    QTest::addRow("A87: SIGHUP") << SIGHUP;
    QTest::addRow("A87: SIGSEGV") << SIGSEGV;
}

/// A87: however the session ends, its jobs end with it, and their outputs leave no file.
void TestCallCommands::jobsEndWithSession()
{
    QFETCH(int, signal);
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    CallSession session(home.fixture(), WorkspaceOnly, options);
    const QByteArray duration = uniqueDuration();
    for (const char *command : {"echo out; sleep $D", "echo out; trap '' TERM; setsid sleep $D & sleep $D"}) {
        QVERIFY(
            bash(session, QByteArray(command).replace("$D", duration), {{"run_in_background", true}}).ok());
    }
    QVERIFY(QTest::qWaitFor([&] { return processesWith(duration).size() >= 3; }, 10'000));
    if (signal == 0) {
        session.process().closeWriteChannel();
    } else {
        ::kill(static_cast<pid_t>(session.process().processId()), signal);
    }
    QVERIFY2(areGone(duration, 5000), "a job is left");
    QTRY_COMPARE(session.process().state(), QProcess::NotRunning);
    QCOMPARE(QDir(home.folder() + "/.spettro/outputs")
                 .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList());
}

/// A87: whenever the signal comes, also in the moment between a result and the next line.
void TestCallCommands::signalBetweenCalls()
{
    const Fixture fixture;
    for (int round = 0; round < 10; ++round) {
        CallSession session(fixture);
        QVERIFY(bash(session, "true").ok());
        ::kill(static_cast<pid_t>(session.process().processId()), SIGTERM);
        QVERIFY2(session.process().waitForFinished(3000), QByteArray::number(round));
        QCOMPARE(session.process().exitCode(), 128 + SIGTERM);
    }
}

/// A97: a command reaches neither the session's process nor its group.
void TestCallCommands::attackOnTheSession()
{
    const Fixture fixture;
    CallSession session(fixture);
    const qint64 agent = session.process().processId();
    for (const QByteArray command :
         {"kill -9 0", "kill -9 -1", "kill -9 $PPID", "kill -STOP $PPID; echo x"}) {
        bash(session, command, {{"timeout_sec", 5}});
        QCOMPARE(bash(session, "echo alive").output(), QByteArray("alive\n"));
    }
    const CallResult result = bash(session, "kill -9 " + QByteArray::number(agent));
    QVERIFY2(!result.ok() && exitCodeIn(result) == 1, describe(result));
    QCOMPARE(session.process().processId(), agent);
}

/// A99, as the host sees it.
void TestCallCommands::onlyThreeDescriptors()
{
    const Fixture fixture;
    CallSession session(fixture);
    const QByteArray duration = uniqueDuration();
    QVERIFY(bash(session, "exec sleep " + duration, {{"run_in_background", true}}).ok());
    QVERIFY(bash(session, "seq 1 100000").ok()); // has an output file
    QVERIFY(
        bash(session, "exec sleep " + duration + " second", {{"run_in_background", true}}).json.is_object());
    QList<pid_t> sleepers;
    for (const pid_t process : processesWith(duration)) {
        if (contentOf(QString("/proc/%1/comm").arg(process)) == "sleep\n") {
            sleepers << process;
        }
    }
    QVERIFY(!sleepers.isEmpty());
    for (const pid_t process : sleepers) {
        const QDir descriptors(QString("/proc/%1/fd").arg(process));
        QCOMPARE(descriptors.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
                 (QStringList{"0", "1", "2"}));
        QCOMPARE(QFile::symLinkTarget(descriptors.filePath("0")), QString("/dev/null"));
    }
}

/// Case 82: what cannot be run as it stands is not run at all.
void TestCallCommands::badCommands()
{
    const Fixture fixture;
    CallSession session(fixture);
    const QByteArray before = Fixture::snapshot(fixture.folder());
    const QByteArrayList lines{
        R"({"tool":"bash","input":{"command":"touch safe\u0000; touch nulpwn"}})",
        R"({"tool":"shell-exec","input":{"command":"touch safe\u0000"}})",
        R"({"tool":"bash","input":{"command":"touch safe","cwd":".\u0000x"}})",
        R"({"tool":"bash","input":{"command":"touch safe \ud800"}})",
        R"({"tool":"bash","input":{"command":""}})",
        R"({"tool":"bash","input":{"command":"  \n\t "}})",
        R"({"tool":"bash","input":{"command":["touch","safe"]}})",
        R"({"tool":"bash","input":{"command":"touch safe","timeout_sec":0}})",
        R"({"tool":"bash","input":{"command":"touch safe","timeout_sec":-1}})",
        R"({"tool":"bash","input":{"command":"touch safe","timeout_sec":"5"}})",
        R"({"tool":"bash","input":{"command":"touch safe","timeout_sec":9000000000000000000}})",
        R"({"tool":"bash","input":{"command":"touch safe","sandbox":"off"}})",
        R"({"tool":"bash","input":{}})",
        R"({"tool":"job-output","input":{"job_id":"job-1","offset":-1}})",
        "{\"tool\":\"bash\",\"input\":{\"command\":\"touch safe \xff\"}}",
        R"({"tool":"bash","input":{"command":"touch safe: )" + QByteArray(200'000, 'x') + "\"}}",
    };
    for (const QByteArray &line : lines) {
        const CallResult result = session.sendLine(line);
        QVERIFY2(!result.ok() && isStrict(result) && !result.error().isEmpty(),
                 describe(result) + line.left(200));
        QVERIFY2(!has(result, "exit_code"), describe(result) + line.left(200));
        QCOMPARE(Fixture::snapshot(fixture.folder()), before);
    }
    QVERIFY(session.sendLine(lines.last()).error().contains("Argument list too long"));

    // Long ones that fit, and odd characters, arrive whole; a far time limit is no overflow.
    QCOMPARE(bash(session, "echo " + QByteArray(100'000, 'x') + " | wc -c").output(), QByteArray("100001\n"));
    QCOMPARE(bash(session, "printf '%s' 'é\t🙂\x1b[31m\r\"\\' | od -An -tx1").output().simplified(),
             QByteArray("c3 a9 09 f0 9f 99 82 1b 5b 33 31 6d 0d 22 5c"));
    QCOMPARE(bash(session, "echo far", {{"timeout_sec", 2'000'000'000}}).output(), QByteArray("far\n"));
}

void TestCallCommands::foldersWidenNothing_data()
{
    QTest::addColumn<QString>("folder"); // $O: outside, $W: the workspace
    QTest::addRow("case 1: outside") << "$O";
    QTest::addRow("case 1: outside with a slash") << "$O/";
    QTest::addRow("case 1: above") << "$W/..";
    QTest::addRow("case 1: above, relative") << "..";
    QTest::addRow("case 1: beside") << "$W/../outside";
    QTest::addRow("case 1: by a link") << "$W/link";
    QTest::addRow("case 1: by a link below") << "link/.";
    QTest::addRow("case 1: the root") << "/";
    QTest::addRow("case 1: by /proc") << "/proc/self/cwd/../outside";
}

/// Case 1: a folder that the policy does not open for reading is refused, one that it does is not writable for that.
void TestCallCommands::foldersWidenNothing()
{
    QFETCH(QString, folder);
    const Fixture fixture;
    QFile::link(fixture.outside(), fixture.workspace("link"));
    folder.replace("$O", fixture.outside()).replace("$W", fixture.workspace());
    const QByteArray name = "pwn-" + uniqueDuration();
    const QByteArray before = Fixture::snapshot(fixture.folder());
    const Json input = {{"command", "echo pwn >./" + name.toStdString() + "; echo rc=$?"},
                        {"cwd", folder.toStdString()}};
    for (const char *tool : {"bash", "shell-exec"}) {
        const CallResult refused = call(fixture, tool, input);
        QVERIFY2(refused.exitCode == 1 && refused.error().startsWith("open " + folder.toUtf8() + ": "),
                 describe(refused));
        const CallResult readable = call(
            fixture, tool, input, WorkspaceOnly + QStringList{"--sandbox-allow-read-dir", fixture.folder()});
        QVERIFY2(!readable.output().contains("rc=0"), describe(readable));
        const std::string around = "cd '" + folder.toStdString() + "' && echo pwn >" + name.toStdString();
        const CallResult byShell = call(fixture, tool, {{"command", around}});
        QVERIFY2(!byShell.ok() && !byShell.output().isEmpty(), describe(byShell));
        QCOMPARE(Fixture::snapshot(fixture.folder()), before);
        QVERIFY(!exists('/' + name));
    }
    const QString out = fixture.outside();
    const CallResult there =
        call(fixture, "bash", {{"command", "pwd; cat canary; echo x >canary"}, {"cwd", out.toStdString()}},
             WorkspaceOnly + QStringList{"--sandbox-allow-read-dir", out});
    QVERIFY2(there.output().startsWith(out.toUtf8() + "\ncanary\n"), describe(there));
    QVERIFY2(!there.ok() && there.output().contains("Permission denied"), describe(there));
    QVERIFY(fixture.isCanaryIntact());

    // The control.
    const Json harmless = {{"command", "echo x >" + name.toStdString()}, {"cwd", out.toStdString()}};
    const CallResult control = call(fixture, "bash", harmless, {"--sandbox", "off"});
    QVERIFY2(control.ok() && exists(fixture.outside(name)), describe(control));
}

/// Case 83.
void TestCallCommands::folderIsGone()
{
    const Fixture fixture;
    CallSession session(fixture);
    QVERIFY(
        bash(session, "mkdir -p sub/deep locked && cd sub && rmdir deep ../sub; pwd; ls; echo rc=$?").ok());
    const CallResult gone = bash(session, "echo here", {{"cwd", fixture.workspace("sub").toStdString()}});
    QVERIFY2(!gone.ok()
                 && gone.error()
                        == "open " + fixture.workspace("sub").toUtf8() + ": No such file or directory",
             describe(gone));
    writeFile(fixture.workspace("file"), "x");
    const CallResult file = bash(session, "echo here", {{"cwd", "file"}});
    QVERIFY2(!file.ok() && file.error() == "open file: Not a directory", describe(file));
    const CallResult again = bash(session, "echo again; pwd");
    QCOMPARE(again.output(), "again\n" + fixture.workspace().toUtf8() + '\n');
    QCOMPARE(bash(session, "pwd; echo $PWD", {{"cwd", "locked/"}}).output().count("/locked\n"), 2);
}

/// Case 83: with the workspace away nothing is run and nothing written, and another in its place is not taken for it.
void TestCallCommands::workspaceIsSwapped()
{
    const Fixture fixture;
    const QString workspace = fixture.workspace();
    CallSession session(fixture);
    QVERIFY(bash(session, "touch here").ok());
    const auto nothingIsDone = [&] {
        const QByteArray before = Fixture::snapshot(fixture.folder());
        for (const std::string &cwd : {std::string("."), workspace.toStdString()}) {
            const CallResult result =
                bash(session, "touch l; touch " + fixture.outside("x").toUtf8(), {{"cwd", cwd}});
            if (result.ok() || !result.error().contains(workspace.toUtf8()) || !result.output().isEmpty()) {
                return false;
            }
        }
        for (const std::string &path : {std::string("a.txt"), workspace.toStdString() + "/a.txt"}) {
            if (session.call("file-write", {{"path", path}, {"content", "x"}}).ok()) {
                return false;
            }
        }
        return Fixture::snapshot(fixture.folder()) == before;
    };
    QVERIFY(QFile::rename(workspace, fixture.folder() + "/away"));
    QVERIFY2(nothingIsDone(), "moved away");
    QVERIFY(QDir().mkdir(workspace));
    QVERIFY2(nothingIsDone(), "another folder");
    QVERIFY(QDir().rmdir(workspace) && QFile::link(fixture.outside(), workspace));
    QVERIFY2(nothingIsDone(), "a link to outside");
    QVERIFY(QFile::remove(workspace) && QFile::rename(fixture.folder() + "/away", workspace));
    QVERIFY2(bash(session, "touch back").ok() && exists(fixture.workspace("back")), "the control");
}

/// Case 14, A77.
void TestCallCommands::keysAreHidden()
{
    const OperatorHome home;
    const QByteArray canary = "sk-canary-" + uniqueDuration();
    RunOptions options;
    options.environment = home.environment();
    options.environment.insert("OPENAI_API_KEY", canary);
    options.environment.insert("SPETTRO_TEST_KEY", canary);
    options.environment.insert("EDITED_BY", "the operator");
    const QByteArray command =
        "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline $TMPDIR/* ~/.spettro/* 2>/dev/null"
        " | tr '\\0' '\\n' | grep -a canary; tr '\\0' '\\n' </proc/$PPID/environ";
    CallSession session(home.fixture(), WorkspaceOnly, options);
    const QByteArray whole = bash(session, command).output();
    QVERIFY2(!whole.contains(canary), whole);
    for (const char *kept : {"HOME=", "PATH=", "LANG=C.UTF-8", "EDITED_BY=the operator"}) {
        QVERIFY2(whole.contains(kept), kept);
    }
    // The control: the canary would be seen where the operator lets it through.
    CallSession open(home.fixture(), WorkspaceOnly + QStringList{"--sandbox-allow-env", "OPENAI_API_KEY"},
                     options);
    QVERIFY(bash(open, command).output().contains("OPENAI_API_KEY=" + canary));
}

/// Case 28: programs are not looked up where a command could have put them.
void TestCallCommands::plantedPrograms()
{
    const Fixture fixture;
    RunOptions options;
    options.environment.insert("PATH", fixture.workspace("bin") + ':' + options.environment.value("PATH"));
    QDir().mkdir(fixture.workspace("bin")); // what is not there at the start is no part of a command's PATH
    CallSession session(fixture, WorkspaceOnly, options);
    const QByteArray marker = fixture.workspace("bin/started").toUtf8();
    QVERIFY(bash(session, "for n in bash sh spettro spettro-agent bwrap git env setsid rg grep python3;"
                          " do printf '#!/bin/sh\\necho \"$0\" >>"
                              + marker + "\\n' >bin/$n; chmod +x bin/$n; done")
                .ok());
    QCOMPARE(bash(session, "echo second").output(), QByteArray("second\n"));
    QCOMPARE(session.call("shell-exec", {{"command", "echo third"}}).output(), QByteArray("third\n"));
    QVERIFY(session.call("file-write", {{"path", "f"}, {"content", "needle\n"}}).ok());
    QVERIFY(session.call("grep", {{"pattern", "needle"}}).output().contains("needle"));
    QVERIFY(session.call("glob", {{"pattern", "f"}}).ok());
    QVERIFY2(!exists(marker), contentOf(marker));
    bash(session, "git"); // the control: the command's own use of its PATH
    QCOMPARE(contentOf(marker), fixture.workspace("bin/git").toUtf8() + '\n');
}

/// Case 9: nothing that the repository's settings name is run by Spettro itself.
void TestCallCommands::repositoryRunsNothing()
{
    QVERIFY2(missingPackages({"git"}).isEmpty(), "install git");
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    options.folder = home.workspace();
    const QString marker = home.fixture().outside("pwned");
    const RunResult prepared = run(
        shell("git init -q; printf '#!/bin/sh\\necho $0 >>\"%s\"\\n' \"$1\" >.git/p.sh; chmod +x .git/p.sh;"
              "git config core.fsmonitor \"$PWD/.git/p.sh\"; git config diff.external \"$PWD/.git/p.sh\";"
              "git config filter.z.clean \"$PWD/.git/p.sh\"; printf '* filter=z\\n' >.gitattributes;"
              "git config core.pager \"$PWD/.git/p.sh\"; for h in post-checkout pre-commit "
              "post-index-change; do"
              " cp .git/p.sh .git/hooks/$h; done",
              {marker}),
        options);
    QVERIFY2(prepared.exitCode == 0, describe(prepared));
    CallSession session(home.fixture(), WorkspaceOnly, options);
    QVERIFY(session.call("file-write", {{"path", "a"}, {"content", "one\n"}}).ok());
    QVERIFY(session.call("file-read", {{"path", "a"}}).ok());
    QVERIFY(session.call("file-edit", {{"path", "a"}, {"old_string", "one"}, {"new_string", "two"}}).ok());
    QVERIFY(session.call("grep", {{"pattern", "two"}}).ok());
    QVERIFY(session.call("glob", {{"pattern", "*"}}).ok());
    QVERIFY(session.call("ls", Json::object()).ok());
    bash(session, "git status; git diff; git add a; git commit -m x"); // their own hooks, within bounds
    QVERIFY2(!exists(marker), contentOf(marker));
    run({"git", "status"}, options); // the control: the host's git runs them
    QVERIFY(exists(marker));
}

/// Case 30: what was decided at the start holds to the end.
void TestCallCommands::boundsStay()
{
    const Fixture fixture;
    const QString manifest = fixture.workspace("spettro.agents.toml");
    const QByteArray narrow = "[runtime]\nsandbox_mode = 'workspace-write'\n";
    const QByteArray wide = narrow + "sandbox_allow_dirs = ['../outside']\n";
    writeFile(manifest, narrow);
    const QStringList flags{"--trust-manifest", "--sandbox-net", "none"};
    CallSession session(fixture, flags);
    const QByteArray late = "(sleep 1; touch " + fixture.outside("late").toUtf8() + "; echo rc=$?); sleep 60";
    const CallResult job = bash(session, late, {{"run_in_background", true}});
    for (const QByteArray &content :
         {narrow + "unknown_key = 1\n", QByteArray("[[[broken"), wide, QByteArray()}) {
        writeFile(manifest, content);
        const CallResult result = bash(session, "touch inside; touch " + fixture.outside("a").toUtf8());
        QVERIFY2(!result.ok() && result.output().contains("Permission denied"), describe(result));
        const CallResult file =
            session.call("file-write", {{"path", fixture.outside("b").toStdString()}, {"content", ""}});
        QVERIFY2(!file.ok() && file.error().contains("Permission denied"), describe(file));
    }
    QVERIFY(QTest::qWaitFor(
        [&] {
            return session.call("job-output", {{"job_id", jobIn(job).toStdString()}})
                .output()
                .contains("rc=1");
        },
        10'000));
    QVERIFY(!exists(fixture.outside("a")) && !exists(fixture.outside("b"))
            && !exists(fixture.outside("late")));
    QVERIFY(exists(fixture.workspace("inside")));
    writeFile(manifest, wide); // the control: a new session takes it
    CallSession next(fixture, flags);
    QVERIFY2(bash(next, "touch " + fixture.outside("a").toUtf8()).ok() && exists(fixture.outside("a")),
             "control");
}

/// Case 32: no write seems to succeed whose data then is nowhere.
void TestCallCommands::refusedWriteIsAnError()
{
    for (const char *mode : {"workspace-write", "read-only"}) {
        const OperatorHome home;
        const QStringList flags{"--sandbox", mode, "--sandbox-net", "none"};
        RunOptions options;
        options.environment = home.environment();
        CallSession session(home.fixture(), flags, options);
        const QByteArray report = home.fixture().outside("report").toUtf8();
        const CallResult refused = bash(session, "echo data >" + report + "; echo rc=$?; cat " + report);
        QVERIFY2(refused.output().contains("rc=1") && refused.output().contains("Permission denied"),
                 describe(refused));
        QVERIFY(!exists(report));
        const bool isWritten = bash(session, "echo data >$TMPDIR/keep").ok();
        QCOMPARE(contentOf(home.temporary("keep")), isWritten ? QByteArray("data\n") : QByteArray());
        QCOMPARE(bash(session, "cat $TMPDIR/keep").output() == "data\n", isWritten);
        const bool isInside = bash(session, "echo data >inside").ok();
        QCOMPARE(contentOf(home.workspace("inside")), isInside ? QByteArray("data\n") : QByteArray());
        QCOMPARE(isInside, QByteArray(mode) == "workspace-write");
    }
}

QTEST_GUILESS_MAIN(TestCallCommands)
#include "tst_call_commands.moc"
