// Where a policy cannot be kept, nothing runs: exit code 126 (2 for a mistake of the operator), the reason on
// standard error, and not a trace of the command (cases 25, 26, 58, 60 of the field).

#include "tests/support/Fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>

using namespace spettro::test;

namespace {

/// A wrapper program with its arguments, to put before `spettro exec`.
QStringList refusing(const Fixture &fixture, int call, int error, const QString &argument = "any")
{
    return {fixture.probe("refusecall"), QString::number(call), QString::number(error), argument};
}

const QStringList Confined{"--sandbox", "workspace-write", "--sandbox-net", "none"};

/// A command that would leave a trace in the workspace and say so.
class Attempt
{
public:
    explicit Attempt(const Fixture &fixture) : m_fixture(fixture) { QFile::remove(trace()); }

    Attempt &behind(const QStringList &wrapper)
    {
        m_wrapper = wrapper;
        return *this;
    }

    RunResult run(const QStringList &flags, const RunOptions &options = {}) const
    {
        return m_fixture.control(m_wrapper + QStringList{spettroPath(), "exec"} + flags + QStringList{"--"}
                                     + shell("echo ran > ran; echo hello"),
                                 options);
    }

    bool leftNothing(const RunResult &result) const { return !exists(trace()) && result.output.isEmpty(); }
    bool ran(const RunResult &result) const
    {
        const bool mayWrite =
            !result.errors.contains("Permission denied"); // no trace from a read-only workspace
        return result.exitCode == 0 && result.output == "hello\n" && exists(trace()) == mayWrite;
    }

private:
    QString trace() const { return m_fixture.workspace("ran"); }

    const Fixture &m_fixture;
    QStringList m_wrapper;
};

} // namespace

class tst_FailClosed : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void callFails_data();
    void callFails();
    void unusedCallFails();
    void policyOffNeedsNoKernel();
    void abiIsTooOld_data();
    void abiIsTooOld();
    void abiCannotBeRaised();
    void fewDescriptors_data();
    void fewDescriptors();
    void noMoreProcesses();
    void extraFolderCannotBeOpened_data();
    void extraFolderCannotBeOpened();
    void stageRequestIsForged_data();
    void stageRequestIsForged();
};

void tst_FailClosed::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_FailClosed::callFails_data()
{
    QTest::addColumn<int>("call");
    QTest::addColumn<int>("error");
    QTest::addColumn<QString>("argument");
    QTest::addColumn<QByteArrayList>("reasons"); // all of them are in the message
    const auto row = [](const char *name, long call, int error, const QByteArrayList &reasons,
                        const QString &argument = "any") {
        QTest::addRow("%s: %s", name, strerrorname_np(error)) << int(call) << error << argument << reasons;
    };
    constexpr long CreateRuleset = 444;
    constexpr long AddRule = 445;
    constexpr long RestrictSelf = 446;
    row("landlock_create_ruleset", CreateRuleset, ENOSYS,
        {"Landlock is not built into", "ENOSYS"}); // case 60
    row("landlock_create_ruleset", CreateRuleset, EOPNOTSUPP,
        {"Landlock is switched off at boot", "EOPNOTSUPP"});
    row("landlock_create_ruleset", CreateRuleset, EPERM, {"Landlock calls are filtered", "EPERM"});
    for (const int error : {ENOSYS, EOPNOTSUPP, EPERM, ENOMEM}) {
        row("landlock_add_rule", AddRule, error, {"landlock_add_rule", strerrorname_np(error)});
        row("landlock_restrict_self", RestrictSelf, error,
            {"landlock_restrict_self", strerrorname_np(error)});
    }
    row("landlock_restrict_self", RestrictSelf, E2BIG, {"landlock_restrict_self", "16 layers", "E2BIG"});
    for (const int error : {ENOSYS, EINVAL, EPERM, EACCES}) {
        row("seccomp at all", SYS_seccomp, error, {"seccomp"});
        row("seccomp SECCOMP_SET_MODE_FILTER", SYS_seccomp, error, {"seccomp", strerrorname_np(error)}, "1");
    }
    row("no_new_privs", SYS_prctl, EINVAL, {"PR_SET_NO_NEW_PRIVS", "EINVAL"},
        QString::number(PR_SET_NO_NEW_PRIVS));
    row("no_new_privs", SYS_prctl, EPERM, {"PR_SET_NO_NEW_PRIVS", "EPERM"},
        QString::number(PR_SET_NO_NEW_PRIVS));
    row("death signal", SYS_prctl, EINVAL, {"prctl", "EINVAL"}, QString::number(PR_SET_PDEATHSIG));
    row("subreaper", SYS_prctl, EINVAL, {"prctl", "EINVAL"}, QString::number(PR_SET_CHILD_SUBREAPER));
    row("capset", SYS_capset, EPERM, {"capabilities", "EPERM"});
    row("capget", SYS_capget, EPERM, {"capabilities", "EPERM"});
    row("close_range", SYS_close_range, ENOSYS, {"close_range", "ENOSYS"});
    row("setsid", SYS_setsid, EPERM, {"setsid", "EPERM"});
    row("fchdir", SYS_fchdir, EACCES, {"working folder", "EACCES"});
    row("setrlimit", SYS_prlimit64, EPERM, {"RLIMIT_CORE", "EPERM"});
    row("fork", SYS_clone, EAGAIN, {"fork", "EAGAIN"});
}

void tst_FailClosed::callFails()
{
    QFETCH(int, call); // case 25
    QFETCH(int, error);
    QFETCH(QString, argument);
    QFETCH(QByteArrayList, reasons);
    Fixture fixture;
    Attempt attempt(fixture);
    attempt.behind(refusing(fixture, call, error, argument));
    for (const QStringList &flags : {Confined, QStringList{"--sandbox", "read-only"}}) {
        const RunResult result = attempt.run(flags);
        QVERIFY2(attempt.leftNothing(result), describe(result));
        if (IsSanitized && result.errors.contains("AddressSanitizer getrlimit() failed")) {
            continue; // it ended the process before main()
        }
        QVERIFY2(result.exitCode == 126, describe(result));
        QVERIFY2(result.errors.startsWith("spettro: nothing was run: ") && result.errors.count('\n') == 1,
                 describe(result));
        for (const QByteArray &reason : reasons) {
            QVERIFY2(result.errors.contains(reason), reason + " is missing; " + describe(result));
        }
    }
}

/// The control of the above: the wrapper itself does no harm.
void tst_FailClosed::unusedCallFails()
{
    Fixture fixture;
    Attempt attempt(fixture);
    const RunResult result = attempt.behind(refusing(fixture, SYS_quotactl, ENOSYS)).run(Confined);
    QVERIFY2(attempt.ran(result), describe(result));
}

void tst_FailClosed::policyOffNeedsNoKernel()
{
    for (const long call : {444L, 445L, 446L, long(SYS_seccomp), long(SYS_capset)}) {
        Fixture fixture;
        Attempt attempt(fixture);
        const RunResult result =
            attempt.behind(refusing(fixture, int(call), ENOSYS)).run({"--sandbox", "off"});
        QVERIFY2(attempt.ran(result), describe(result));
    }
}

void tst_FailClosed::abiIsTooOld_data()
{
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<int>("firstAbi"); // the lowest that can keep the policy
    QTest::newRow("ports") << QStringList{"--sandbox-net", "ports:443"} << 4;
    QTest::newRow("files and ports") << QStringList{"--sandbox", "read-only", "--sandbox-net", "ports:443"}
                                     << 4;
    QTest::newRow("workspace-write") << QStringList{"--sandbox", "workspace-write"} << 1;
    QTest::newRow("read-only") << QStringList{"--sandbox", "read-only"} << 1;
    QTest::newRow("no network, by the filter alone") << QStringList{"--sandbox-net", "none"} << 0;
    QTest::newRow("localhost, by the filter alone") << QStringList{"--sandbox-net", "localhost"} << 0;
}

void tst_FailClosed::abiIsTooOld()
{
    QFETCH(QStringList, flags);
    QFETCH(int, firstAbi);
    Fixture fixture;
    for (int abi = 0; abi <= kernelLandlockAbi(); ++abi) {
        Attempt attempt(fixture);
        const RunResult result =
            attempt.run(flags + QStringList{"--test-landlock-abi", QString::number(abi)});
        if (abi >= firstAbi) {
            QVERIFY2(attempt.ran(result), describe(result));
        } else {
            QVERIFY2(attempt.leftNothing(result) && result.exitCode == 126, describe(result));
            QVERIFY2(abi == 0 || result.errors.contains("ABI 4"), describe(result));
        }
    }
}

void tst_FailClosed::abiCannotBeRaised()
{
    Fixture fixture; // a limit above the kernel's ABI changes nothing, on a host without Landlock as well
    Attempt attempt(fixture);
    const QStringList flags = Confined + QStringList{"--test-landlock-abi", "99"};
    const RunResult plain = attempt.run(flags);
    QVERIFY2(attempt.ran(plain), describe(plain));
    Attempt poorer(fixture);
    const RunResult result = poorer.behind(refusing(fixture, 444, ENOSYS)).run(flags);
    QVERIFY2(poorer.leftNothing(result) && result.exitCode == 126, describe(result));
}

void tst_FailClosed::fewDescriptors_data()
{
    QTest::addColumn<int>("limit");
    for (const int limit : {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 48, 64, 96, 128, 256}) {
        QTest::addRow("%d", limit) << limit;
    }
}

void tst_FailClosed::fewDescriptors()
{
    QFETCH(int, limit);
    Fixture fixture;
    Attempt attempt(fixture);
    attempt.behind({fixture.probe("limit"), "nofile", QString::number(limit)});
    const RunResult result = attempt.run(Confined);
    const bool isEnough = limit >= 256;
    if (isEnough || attempt.ran(result)) {
        QVERIFY2(attempt.ran(result), describe(result));
        const RunResult outside = fixture.control(
            QStringList{fixture.probe("limit"), "nofile", QString::number(limit), spettroPath(), "exec"}
            + Confined + QStringList{"--"} + shell("echo attack > \"$1\"", {fixture.outside("new")}));
        QVERIFY2(!exists(fixture.outside("new")), describe(outside));
        return;
    }
    QVERIFY2(attempt.leftNothing(result) && !result.errors.isEmpty(), describe(result));
    // A dynamic build, as the sanitizers need one, may not get as far as main(): its loader says so. And the
    // sanitizer of undefined behaviour needs two descriptors to look at an object.
    const bool isLoader =
        result.exitCode == 127 && result.errors.contains("error while loading shared libraries");
    const bool isSanitizer =
        IsSanitized && result.exitCode == 1 && result.errors.contains("object has invalid vptr");
    const bool isRefusal = result.exitCode == 126 && result.errors.contains("EMFILE");
    QVERIFY2(isRefusal || isLoader || isSanitizer, describe(result));
}

void tst_FailClosed::noMoreProcesses()
{
    if (isRoot()) {
        QSKIP("the kernel sets root no limit of processes: see the entry as an ordinary user");
    }
    Fixture fixture;
    Attempt attempt(fixture);
    const RunResult result = attempt.behind({fixture.probe("limit"), "nproc", "1"}).run(Confined);
    QVERIFY2(attempt.leftNothing(result) && result.exitCode == 126, describe(result));
    QVERIFY2(result.errors.contains("fork") && result.errors.contains("EAGAIN"), describe(result));
}

void tst_FailClosed::extraFolderCannotBeOpened_data()
{
    QTest::addColumn<QString>("flag");
    for (const char *flag : {"--sandbox-allow-dir", "--sandbox-allow-read-dir"}) {
        QTest::newRow(flag) << flag;
    }
}

void tst_FailClosed::extraFolderCannotBeOpened()
{
    QFETCH(QString, flag); // case 58
    Fixture fixture;
    Attempt attempt(fixture);
    const auto with = [&](const QString &folder) { return Confined + QStringList{flag, folder}; };

    const RunResult control = attempt.run(with(fixture.outside()));
    QVERIFY2(attempt.ran(control), describe(control));

    Attempt missing(fixture);
    RunResult result = missing.run(with(fixture.outside("missing")));
    QVERIFY2(missing.leftNothing(result) && result.exitCode == 2, describe(result));
    QVERIFY2(result.errors.contains(flag.toUtf8()) && result.errors.contains("outside/missing"),
             describe(result));
    QVERIFY2(!exists(fixture.outside("missing")), "it is not made behind the operator's back");

    QVERIFY(QFile::link("loop", fixture.outside("loop")));
    result = missing.run(with(fixture.outside("loop")));
    QVERIFY2(missing.leftNothing(result) && result.exitCode == 126, describe(result));
    QVERIFY2(result.errors.contains("outside/loop") && result.errors.contains("ELOOP"), describe(result));

    if (!isRoot()) { // root can open everything
        QVERIFY(QDir().mkpath(fixture.outside("closed/inner")));
        QVERIFY(QFile::setPermissions(fixture.outside("closed"), {}));
        result = missing.run(with(fixture.outside("closed/inner")));
        QVERIFY2(missing.leftNothing(result) && result.exitCode == 126, describe(result));
        QVERIFY2(result.errors.contains("closed/inner") && result.errors.contains("EACCES"),
                 describe(result));
    }
}

void tst_FailClosed::stageRequestIsForged_data()
{
    QTest::addColumn<QString>("value");
    for (const char *value : {"", "0", "7", "-1", "x", "3x", "99999999999999999999", "/etc/passwd"}) {
        QTest::addRow("'%s'", value) << value;
    }
}

void tst_FailClosed::stageRequestIsForged()
{
    QFETCH(QString,
           value); // a stage without its request runs nothing, and not what stands on the command line
    Fixture fixture;
    Attempt attempt(fixture);
    RunOptions options;
    options.environment.insert("SPETTRO_SANDBOX_STAGE", value);
    for (const QStringList &flags : {Confined, QStringList{"--sandbox", "off"}}) {
        const RunResult result = attempt.run(flags, options);
        QVERIFY2(attempt.leftNothing(result) && result.exitCode == 126, describe(result));
        QVERIFY2(result.errors.startsWith("spettro: nothing was run: "), describe(result));
    }
}

QTEST_GUILESS_MAIN(tst_FailClosed)

#include "tst_failclosed.moc"
