// The model does not see that it is kept in bounds: nothing that it can read of Spettro says so, and a refusal reads like
// any other refusal of the system. All tools are put through successes and refusals, and everything that a command can
// read of its own processes, environment, files and mounts is searched.

#include "tests/support/OperatorHome.h"
#include "tests/support/Processes.h"
#include "tests/support/ToolCalls.h"

#include <QDir>
#include <QSet>
#include <QTest>

using namespace spettro::test;

namespace {

const QByteArrayList Words{"sandbox", "landlock", "policy", "confined", "seccomp"};

/// Which of the words are in a text, in whatever case.
QByteArrayList wordsIn(const QByteArray &text)
{
    const QByteArray lower = text.toLower();
    QByteArrayList found;
    std::copy_if(Words.begin(), Words.end(), std::back_inserter(found),
                 [&lower](const QByteArray &word) { return lower.contains(word); });
    return found;
}

/// The words of a text with what is around them, for the message of a failed check.
QByteArray placesIn(const QByteArray &text)
{
    constexpr qsizetype Around = 100;
    QByteArrayList places;
    for (const QByteArray &word : wordsIn(text)) {
        places << text.mid(std::max<qsizetype>(text.toLower().indexOf(word) - Around, 0), 2 * Around);
    }
    return places.join("\n...\n");
}

/// A process and all below it.
QByteArrayList treeOf(qint64 root)
{
    QHash<QByteArray, QByteArray> parents;
    for (const QString &process : QDir("/proc").entryList({"[1-9]*"}, QDir::Dirs)) {
        const QByteArray status = contentOf("/proc/" + process + "/stat");
        parents.insert(process.toUtf8(), status.mid(status.lastIndexOf(')') + 2).split(' ').value(1));
    }
    QByteArrayList tree{QByteArray::number(root)};
    for (qsizetype index = 0; index < tree.size(); ++index) {
        tree += parents.keys(tree.at(index));
    }
    return tree;
}

/// What a command can read about itself and Spettro. It waits for the list of the processes that count, which the host
/// makes: all others, with their names and arguments, are the machine's.
///
/// Not asked, because the kernel speaks there and not Spettro: the status of a process (it has lines on filters), attr/
/// (the labels of security modules), sched (how it is scheduled), wchan, stack and syscall (names of functions of the
/// kernel), and of the rest of /proc
/// filesystems, kallsyms, sys/kernel and the like. Nor mem and the page tables, which are no text. The mounts are apart.
constexpr const char *Dump = R"(
touch asking; until test -e processes; do sleep 0.05; done
kernel='^(status|attr|sched|wchan|stack|syscall|mem|pagemap|clear_refs|mounts|mountinfo|mountstats)$'
echo '# environment'; env; set; export -p; ulimit -a; id; umask; trap
echo '# own'; tr '\0' ' ' </proc/self/cmdline; cat /proc/self/comm; ps -o pid,ppid,args --no-headers $$ $PPID 2>&1
for process in self $PPID $(cat processes); do
    echo "# process $process"
    for file in $(ls /proc/$process 2>&1 | grep -Ev "$kernel"); do
        test -f /proc/$process/$file && { echo "## $file"; timeout 5 head -c 2000000 /proc/$process/$file 2>&1; echo; }
    done
    ls -l /proc/$process/ /proc/$process/fd /proc/$process/ns /proc/$process/map_files 2>&1
    cat /proc/$process/fdinfo/* /proc/$process/task/*/comm /proc/$process/task/*/cmdline 2>&1
    cat /proc/$process/net/unix 2>/dev/null | grep -a spettro
done
echo '# files'; ls -laR $TMPDIR . 2>&1; ls -la ~ ~/.spettro / /dev/shm /run/user 2>&1 | grep -ai spettro; ls -la .. ../outside 2>&1
find / -maxdepth 2 -newer processes -not -path '/proc/*' 2>/dev/null | grep -ai spettro
echo '# end'
)";

/// The mounts are the machine's but for those that the machine itself does not have.
constexpr const char *Mounts = "cat /proc/self/mounts /proc/self/mountinfo";

QByteArray onlyOwnLines(const QByteArray &lines, const QByteArray &ofTheMachine)
{
    const QByteArrayList machine = ofTheMachine.split('\n');
    const QSet<QByteArray> known(machine.begin(), machine.end());
    QByteArrayList own;
    for (const QByteArray &line : lines.split('\n')) {
        if (!known.contains(line)) {
            own << line;
        }
    }
    return own.join('\n');
}

/// Runs the dump, behind some other commands, and pages through all its output.
QByteArray dump(CallSession &session, const OperatorHome &home, const std::string &before = {})
{
    for (const char *name : {"asking", "processes", "processes.new"}) {
        QFile::remove(home.temporary(name));
    }
    const Json start = {{"command", before + "\ncd $TMPDIR\n" + std::string(Dump)},
                        {"run_in_background", true}};
    const CallResult started = session.call("bash", start);
    if (!QTest::qWaitFor([&home] { return exists(home.temporary("asking")); }, 10'000)) {
        return {};
    }
    writeFile(home.temporary("processes.new"), treeOf(session.process().processId()).join('\n'));
    QFile::rename(home.temporary("processes.new"), home.temporary("processes"));
    const std::string job = started.json.value("job_id", std::string());
    session.call("job-output", {{"job_id", job}, {"wait_sec", 60}});
    QByteArray whole = started.line;
    for (qint64 offset = 0, size = -1; offset != size;) {
        const CallResult page =
            session.call("job-output", {{"job_id", job}, {"offset", offset}, {"limit", 250'000}});
        const qint64 next = page.ok() ? page.json.value("next_offset", offset) : offset;
        size = page.ok() ? page.json.value("output_bytes", qint64{0}) : next;
        if (next == offset && size != offset) {
            return {};
        }
        whole += page.output();
        offset = next;
    }
    return whole;
}

/// A call and what of the system's words its result has to have; "" for one that succeeds.
struct Attempt
{
    const char *tool;
    Json input;
    QByteArray reason;
};

/// What reads, searches and fails in ways that every policy has.
QList<Attempt> attemptsAnywhere(const OperatorHome &home)
{
    const std::string outside = home.fixture().outside().toStdString();
    return {
        {"file-read", {{"path", "text"}}, ""},
        {"file-read", {{"path", outside + "/canary"}}, "Permission denied"},
        {"file-read", {{"path", "../outside/canary"}}, "Permission denied"},
        {"file-read", {{"path", "link"}}, "Permission denied"},
        {"file-read", {{"path", home.folder().toStdString() + "/.ssh/config"}}, "Permission denied"},
        {"file-read", {{"path", "/proc/self/environ"}}, " "},
        {"file-read", {{"path", "missing"}}, "No such file"},
        {"file-read", {{"path", "."}}, " "},
        {"file-read", {{"path", "fifo"}}, " "},
        {"file-read", {{"path", std::string("a\0b", 3)}}, " "},
        {"file-read", {{"path", 5}}, " "},
        {"file-read", Json::object(), " "},
        {"file-write", {{"path", outside + "/new"}, {"content", "x"}}, "Permission denied"},
        {"file-write", {{"path", "../outside/canary"}, {"content", "x"}}, "Permission denied"},
        {"file-write", {{"path", "link"}, {"content", "x"}}, " "},
        {"file-write", {{"path", "/etc/new"}, {"content", "x"}}, " "},
        {"file-write", {{"path", "."}, {"content", "x"}}, " "},
        {"file-write", {{"path", ".git/config"}, {"content", "x"}}, " "},
        {"file-write", {{"path", ".spettro/x"}, {"content", "x"}}, " "},
        {"file-write", {{"path", "spettro.agents.toml"}, {"content", "x"}}, " "},
        {"file-edit",
         {{"path", outside + "/canary"}, {"old_string", "c"}, {"new_string", "d"}},
         "Permission denied"},
        {"file-edit", {{"path", "text"}, {"old_string", "absent"}, {"new_string", "d"}}, " "},
        {"file-edit", {{"path", ".git/config"}, {"old_string", "c"}, {"new_string", "d"}}, " "},
        {"ls", Json::object(), ""},
        {"ls", {{"path", outside}}, "Permission denied"},
        {"ls", {{"path", "/"}}, " "},
        {"ls", {{"path", "missing"}}, "No such file"},
        {"glob", {{"pattern", "**/*"}}, ""},
        {"glob", {{"pattern", "*"}, {"path", outside}}, "Permission denied"},
        {"glob", {{"pattern", "[a"}}, " "},
        {"grep", {{"pattern", "line"}}, ""},
        {"grep", {{"pattern", "canary"}, {"path", outside}}, "Permission denied"},
        {"grep", {{"pattern", "(("}}, " "},
        {"job-output", {{"job_id", "job-99"}}, " "},
        {"job-kill", {{"job_id", "job-99"}}, " "},
        {"no-such-tool", Json::object(), " "},
    };
}

/// Commands that the system refuses something, and what else can come of one.
QList<Attempt> commandAttempts(const OperatorHome &home)
{
    const std::string outside = home.fixture().outside().toStdString();
    const auto command = [](const std::string &text) { return Json{{"command", text}}; };
    const auto python = [](const std::string &text) {
        return Json{{"command", "python3 -c '" + text + "'"}};
    };
    return {
        {"bash", command("echo hello; echo error >&2"), ""},
        {"bash", command("cat " + outside + "/canary"), "Permission denied"},
        {"bash", command("echo x >" + outside + "/new"), "Permission denied"},
        {"bash", command("rm " + outside + "/canary; mv " + outside + " x; ln " + outside + "/canary x"),
         "denied"},
        {"bash", command("mkdir /new; touch /etc/x /usr/x ~/x ~/.bashrc"), "Permission denied"},
        {"bash", command("ls -la " + outside + " ~ /root"), "Permission denied"},
        {"shell-exec", command("cat " + outside + "/canary"), "Permission denied"},
        {"bash", {{"command", "pwd"}, {"cwd", outside}}, "Permission denied"},
        {"bash", {{"command", "pwd"}, {"cwd", "missing"}}, "No such file"},
        {"bash", command("exit 126"), " "},
        {"bash", command("kill -SYS $$"), " "},
        {"bash", command("kill -9 $$"), " "},
        {"bash", {{"command", "sleep 60"}, {"timeout_sec", 1}}, " "},
        {"bash", command(": " + std::string(200'000, 'x')), "too long"},
        {"bash", command(std::string("a\0b", 3)), " "},
        {"bash", command(" "), " "},
        {"bash",
         command("kill -0 1; kill -0 -1; cat </dev/tty; mount -t tmpfs x .; chroot . true; unshare -U true;"
                 " unshare -n true; mknod x c 1 3; chown 1:1 text; dmesg; sudo -k true; su nobody -c true; "
                 "exit 3"),
         " "},
        {"bash", python("import socket; socket.create_connection((\"127.0.0.1\", 9), 2)"), "Error"},
        {"bash", python("import socket; socket.socket().bind((\"127.0.0.1\", 0))"), "Error"},
        {"bash", python("import socket; socket.socket(socket.AF_PACKET)"), "Error"},
        {"bash", python("import socket; socket.socket(socket.AF_UNIX).connect(\"/run/x\")"), "Error"},
        {"bash",
         python("import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n"
                "for call in (101, 155, 161, 165, 246, 248, 250, 298, 304, 310, 311, 321, 323, 425, 442):\n"
                " print(call, libc.syscall(call, 0, 0, 0, 0, 0, 0), os.strerror(ctypes.get_errno()))\n"
                "raise SystemExit(1)"),
         " "},
    };
}

void prepare(const OperatorHome &home)
{
    writeFile(home.workspace("text"), "line one\nline two\n");
    QFile::link(home.fixture().outside("canary"), home.workspace("link"));
    QDir(home.workspace()).mkpath(".git");
    writeFile(home.workspace(".git/config"), "[core]\n");
    run({"mkfifo", home.workspace("fifo")});
}

RunOptions optionsOf(const OperatorHome &home)
{
    RunOptions options;
    options.environment = home.environment();
    options.folder = home.workspace();
    return options;
}

void addPolicies()
{
    QTest::addColumn<QStringList>("flags");
    QTest::addRow("workspace-write") << WorkspaceOnly;
    QTest::addRow("read-only") << QStringList{"--sandbox", "read-only", "--sandbox-net", "none"};
    QTest::addRow("network to this host")
        << QStringList{"--sandbox", "workspace-write", "--sandbox-net", "localhost"};
    QTest::addRow("any network") << QStringList{"--sandbox", "workspace-write", "--sandbox-net", "all"};
}

} // namespace

class TestCallInvisible : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void searchFinds();
    void schemas();
    void results_data() { addPolicies(); }
    void results();
    void writes();
    void permissions_data();
    void permissions();
    void surroundings_data() { addPolicies(); }
    void surroundings();
    void surroundingsAreSearched();
};

void TestCallInvisible::initTestCase()
{
    const QStringList missing = missingPackages({"python3"});
    QVERIFY2(missing.isEmpty(), qPrintable("install " + missing.join(' ')));
    const OperatorHome home;
    QVERIFY2(wordsIn(home.folder().toUtf8() + spettroPath().toUtf8()).isEmpty(),
             "these tests cannot work in a folder with such a name");
}

/// The control of the search itself.
void TestCallInvisible::searchFinds()
{
    QCOMPARE(wordsIn("a SandBoxed x"), QByteArrayList{"sandbox"});
    QCOMPARE(wordsIn("LANDLOCK Policy unconfined seccomp sandbox").size(), Words.size());
    QCOMPARE(wordsIn("Permission denied"), QByteArrayList());
}

void TestCallInvisible::schemas()
{
    const OperatorHome home;
    const RunResult list = run({spettroPath(), "call", "--list"}, optionsOf(home));
    QVERIFY2(list.exitCode == 0 && list.output.contains("\"job-kill\""), describe(list));
    QVERIFY2(wordsIn(list.output).isEmpty(), placesIn(list.output));
}

void TestCallInvisible::results()
{
    QFETCH(QStringList, flags);
    const OperatorHome home;
    prepare(home);
    CallSession session(home.fixture(), flags, optionsOf(home));
    for (const Attempt &attempt : attemptsAnywhere(home) + commandAttempts(home)) {
        const CallResult result = session.call(attempt.tool, attempt.input);
        QVERIFY2(result.json.is_object(), attempt.tool);
        QVERIFY2(wordsIn(result.line).isEmpty(),
                 placesIn(result.line) + " of " + attempt.input.dump().substr(0, 300).c_str());
        const bool isNetwork = attempt.reason == "Error" && flags.last() != "none";
        QVERIFY2(isNetwork || result.ok() == attempt.reason.isEmpty(),
                 result.line + " of " + attempt.input.dump().substr(0, 300).c_str());
        QVERIFY2(isNetwork || result.line.contains(attempt.reason),
                 result.line + " of " + attempt.input.dump().substr(0, 300).c_str());
    }
    QVERIFY(home.fixture().isCanaryIntact());
    // As the system says it.
    const CallResult refused = session.call("file-read", {{"path", "../outside/canary"}});
    QCOMPARE(refused.error(), QByteArray("open ../outside/canary: Permission denied"));
}

/// Writing in the workspace, allowed and refused.
void TestCallInvisible::writes()
{
    for (const char *mode : {"workspace-write", "read-only"}) {
        const OperatorHome home;
        prepare(home);
        CallSession session(home.fixture(), {"--sandbox", mode, "--sandbox-net", "none"}, optionsOf(home));
        const bool isAllowed = QByteArray(mode) == "workspace-write";
        const QList<Attempt> attempts{
            {"file-read", {{"path", "text"}}, ""},
            {"file-edit",
             {{"path", "text"}, {"old_string", "one"}, {"new_string", "1"}},
             "Permission denied"},
            {"file-write", {{"path", "src/x"}, {"content", "x\n"}}, "Permission denied"},
            {"file-write", {{"path", "text"}, {"content", "x\n"}, {"append", true}}, "Permission denied"},
            {"bash", {{"command", "echo y >y"}}, "Permission denied"},
        };
        for (const Attempt &attempt : attempts) {
            const CallResult result = session.call(attempt.tool, attempt.input);
            QVERIFY2(wordsIn(result.line).isEmpty(), placesIn(result.line));
            QVERIFY2(result.ok() == (isAllowed || attempt.reason.isEmpty()), describe(result));
            QVERIFY2(isAllowed || result.line.contains(attempt.reason), describe(result));
        }
        QCOMPARE(exists(home.workspace("src/x")), isAllowed);
        QCOMPARE(exists(home.workspace("y")), isAllowed);
    }
}

void TestCallInvisible::permissions_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addRow("ask-first") << "ask-first";
    QTest::addRow("restricted") << "restricted";
    QTest::addRow("yolo") << "yolo";
}

/// What nobody permits is refused in words of its own, which do not say more either.
void TestCallInvisible::permissions()
{
    QFETCH(QString, mode);
    const OperatorHome home;
    prepare(home);
    CallSession session(home.fixture(), WorkspaceOnly + QStringList{"--permission", mode}, optionsOf(home));
    const bool isAllowed = mode == "yolo";
    const CallResult command = session.call("bash", {{"command", "touch made"}});
    QVERIFY2(wordsIn(command.line).isEmpty() && command.ok() == isAllowed, describe(command));
    QCOMPARE(exists(home.workspace("made")), isAllowed);
    for (const Attempt &attempt : attemptsAnywhere(home)) {
        const CallResult result = session.call(attempt.tool, attempt.input);
        QVERIFY2(result.json.is_object() && wordsIn(result.line).isEmpty(), placesIn(result.line));
    }
    QVERIFY(home.fixture().isCanaryIntact());
}

void TestCallInvisible::surroundings()
{
    QFETCH(QStringList, flags);
    const OperatorHome home;
    prepare(home);
    CallSession session(home.fixture(), flags, optionsOf(home));
    QVERIFY(session.call("bash", {{"command", "test -w $TMPDIR"}}).ok()); // a place for its notes
    // There is something to be seen: a job, an output that is kept.
    QVERIFY(session.call("bash", {{"command", "exec sleep 60"}, {"run_in_background", true}}).ok());
    QVERIFY(session.call("bash", {{"command", "seq 1 20000"}}).json.contains("job_id"));

    const QByteArray text = dump(session, home);
    for (const char *part : {"# environment\n", "HOME=", "# process self", "## cmdline", "## environ",
                             "## maps", "# files", "# end\n", "sleep"}) {
        QVERIFY2(text.contains(part), part + text.left(3000));
    }
    QVERIFY2(wordsIn(text).isEmpty(), placesIn(text));

    const QByteArray mounts = session.call("bash", {{"command", Mounts}}).output();
    QVERIFY2(mounts.contains("/proc"), mounts);
    const QByteArray own =
        onlyOwnLines(mounts, contentOf("/proc/self/mounts") + contentOf("/proc/self/mountinfo"));
    QVERIFY2(wordsIn(own).isEmpty(), placesIn(own));

    // The host's look at the same: names of processes, threads and files that Spettro made.
    for (const QByteArray &process : treeOf(session.process().processId())) {
        const QString folder = "/proc/" + process;
        QByteArray names = contentOf(folder + "/comm");
        if (process.toLongLong() != session.process().processId()) {
            names += contentOf(folder
                               + "/cmdline"); // of the agent itself only what a command has read above counts
        }
        for (const QString &thread : QDir(folder + "/task").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            names += contentOf(folder + "/task/" + thread + "/comm");
        }
        QVERIFY2(wordsIn(names).isEmpty(), placesIn(names));
    }
    QVERIFY(wordsIn(Fixture::snapshot(home.temporary())).isEmpty());
    QVERIFY(wordsIn(Fixture::snapshot(home.workspace())).isEmpty());
}

/// The control: a word is found wherever the search looks.
void TestCallInvisible::surroundingsAreSearched()
{
    struct Plant
    {
        const char *name;
        std::string before; // in the same shell
        std::string job;    // in another command
        QByteArray word;
    };
    const QList<Plant> plants{
        {"own environment", "export TEST=Sandbox", "true", "sandbox"},
        {"own open file", "touch .POL; mv .POL .$(echo POLICYx); exec 9<$(ls -d .POL*)", "true", "policy"},
        {"arguments", "", "exec -a landlock-name sleep 60", "landlock"},
        {"name of a program", "", "cp /bin/sleep $TMPDIR/seccomp-x; exec -a x $TMPDIR/seccomp-x 60",
         "seccomp"},
        {"name of a file", "", "touch $TMPDIR/Confined; sleep 60", "confined"},
        {"folder", "", "mkdir -p $TMPDIR/policy; cd $TMPDIR/policy; exec sleep 60", "policy"},
    };
    for (const Plant &plant : plants) {
        const OperatorHome home;
        CallSession session(home.fixture(), WorkspaceOnly, optionsOf(home));
        QVERIFY(session.call("bash", {{"command", plant.job}, {"run_in_background", true}}).json.is_object());
        QVERIFY2(wordsIn(dump(session, home, plant.before)).contains(plant.word), plant.name);
    }
    const OperatorHome home;
    RunOptions options = optionsOf(home);
    options.environment.insert("SOMETHING", "Sandbox");
    CallSession session(home.fixture(), WorkspaceOnly, options);
    QCOMPARE(wordsIn(dump(session, home)), QByteArrayList{"sandbox"});
    writeFile(home.workspace("text"), "Seccomp\n");
    QCOMPARE(wordsIn(session.call("file-read", {{"path", "text"}}).line), QByteArrayList{"seccomp"});
    QCOMPARE(wordsIn(onlyOwnLines("machine policy\nown policy", "machine policy\n")),
             QByteArrayList{"policy"});
    QCOMPARE(wordsIn(onlyOwnLines("machine policy\nown", "machine policy\n")), QByteArrayList());
}

QTEST_GUILESS_MAIN(TestCallInvisible)
#include "tst_call_invisible.moc"
