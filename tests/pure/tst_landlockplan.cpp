// From policy to Landlock ruleset: the table of ABIs is well-formed, and no plan leaves a right unhandled or grants one
// that is not handled.

#include "sandbox/plan/LandlockAbi.h"
#include "sandbox/plan/LandlockPlan.h"

#include <QTest>

#include <bit>

using namespace spettro::sandbox;
using namespace spettro::sandbox::landlock;

namespace {

constexpr int NewestAbi = 11; ///< The newest that has been reviewed.

Root root(const char *path, Grant grant, bool isDirectory)
{
    Root root;
    root.path = path;
    root.grant = grant;
    root.isDirectory = isDirectory;
    return root;
}

/// A policy with a root of every kind.
FrozenPolicy policy(FileSystemMode mode, const char *network)
{
    FrozenContent content;
    content.policy.mode.value = mode;
    content.policy.network.value = parseNetwork(network).value();
    content.workspace = "/w";
    if (mode != FileSystemMode::Off) {
        for (const Grant grant : {Grant::Read, Grant::List, Grant::Write, Grant::Device}) {
            content.roots.push_back(root("/folder", grant, true));
            content.roots.push_back(root("/file", grant, false));
        }
    }
    return FrozenPolicy(std::move(content));
}

constexpr FileSystemMode Modes[] = {FileSystemMode::Off, FileSystemMode::WorkspaceWrite,
                                    FileSystemMode::ReadOnly};
constexpr const char *Networks[] = {"all", "localhost", "none", "ports:443,8080"};

/// All rights up to and with the highest one.
constexpr std::uint64_t upTo(std::uint64_t highest)
{
    return highest | (highest - 1);
}

std::uint64_t rightsOn(Grant grant, bool isDirectory, int abi)
{
    const FrozenPolicy frozen = policy(FileSystemMode::WorkspaceWrite, "all");
    for (const PathRule &rule : planLandlock(frozen, abi).paths) {
        const Root &granted = frozen.roots()[rule.root];
        if (granted.grant == grant && granted.isDirectory == isDirectory) {
            return rule.access;
        }
    }
    return 0;
}

} // namespace

class tst_LandlockPlan : public QObject
{
    Q_OBJECT

private slots:
    void rightsOfAbi_data();
    void rightsOfAbi();
    void rightsOnlyGrow();
    void rightsHaveNoGap();
    void everyPlanIsWellFormed_data();
    void everyPlanIsWellFormed();
    void nothingIsLeftUnhandled();
    void networkIsHandledWhereItIsConfined();
    void portsAreGrantedAlone();
    void grants_data();
    void grants();
    void unconfinedPolicyPlansNothing();
};

void tst_LandlockPlan::rightsOfAbi_data()
{
    QTest::addColumn<int>("abi");
    QTest::addColumn<quint64>("fileSystem");
    QTest::addColumn<quint64>("network");
    QTest::addColumn<quint64>("scopes");
    const auto row = [](int abi, std::uint64_t fileSystem, std::uint64_t network, std::uint64_t scopes) {
        QTest::addRow("ABI %d", abi) << abi << quint64(fileSystem) << quint64(network) << quint64(scopes);
    };
    // Documentation/userspace-api/landlock.rst, and as probed bit by bit on kernels with ABI 2, 6, 7 and 11.
    row(-1, 0, 0, 0);
    row(0, 0, 0, 0);
    row(1, upTo(MakeSym), 0, 0);
    row(2, upTo(Refer), 0, 0);
    row(3, upTo(Truncate), 0, 0);
    row(4, upTo(Truncate), upTo(ConnectTcp), 0);
    row(5, upTo(IoctlDev), upTo(ConnectTcp), 0);
    row(6, upTo(IoctlDev), upTo(ConnectTcp), upTo(Signal));
    row(7, upTo(IoctlDev), upTo(ConnectTcp), upTo(Signal));
    row(8, upTo(IoctlDev), upTo(ConnectTcp), upTo(Signal));
    row(9, upTo(ResolveUnix), upTo(ConnectTcp), upTo(Signal));
    row(10, upTo(ResolveUnix), upTo(ConnectSendUdp), upTo(Signal));
    row(11, upTo(ResolveUnix), upTo(ConnectSendUdp), upTo(Signal));
    row(12, upTo(ResolveUnix), upTo(ConnectSendUdp),
        upTo(Signal)); // newer than reviewed: as the newest reviewed
}

void tst_LandlockPlan::rightsOfAbi()
{
    QFETCH(int, abi);
    QFETCH(quint64, fileSystem);
    QFETCH(quint64, network);
    QFETCH(quint64, scopes);
    const AbiRights rights = landlock::rightsOfAbi(abi);
    QCOMPARE(quint64(rights.fileSystem), fileSystem);
    QCOMPARE(quint64(rights.network), network);
    QCOMPARE(quint64(rights.scopes), scopes);
}

void tst_LandlockPlan::rightsOnlyGrow()
{
    for (int abi = 0; abi <= NewestAbi; ++abi) {
        const AbiRights older = landlock::rightsOfAbi(abi);
        const AbiRights newer = landlock::rightsOfAbi(abi + 1);
        QCOMPARE(older.fileSystem & ~newer.fileSystem, std::uint64_t(0));
        QCOMPARE(older.network & ~newer.network, std::uint64_t(0));
        QCOMPARE(older.scopes & ~newer.scopes, std::uint64_t(0));
    }
}

void tst_LandlockPlan::rightsHaveNoGap()
{
    for (int abi = 1; abi <= NewestAbi; ++abi) { // a bit that is left out is a right that nobody refuses
        const AbiRights rights = landlock::rightsOfAbi(abi);
        QVERIFY(std::has_single_bit(rights.fileSystem + 1));
        QVERIFY(std::has_single_bit(rights.network + 1));
        QVERIFY(std::has_single_bit(rights.scopes + 1));
    }
}

void tst_LandlockPlan::everyPlanIsWellFormed_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QByteArray>("network");
    for (const FileSystemMode mode : Modes) {
        for (const char *network : Networks) {
            QTest::addRow("%s, %s", toText(mode).data(), network) << int(mode) << QByteArray(network);
        }
    }
}

void tst_LandlockPlan::everyPlanIsWellFormed()
{
    QFETCH(int, mode);
    QFETCH(QByteArray, network);
    const FrozenPolicy frozen = policy(FileSystemMode(mode), network.constData());
    for (int abi = 0; abi <= NewestAbi + 1; ++abi) {
        const LandlockPlan plan = planLandlock(frozen, abi);
        const AbiRights known = landlock::rightsOfAbi(abi);
        // What the kernel refuses whole: rights that it does not know, rules with rights that are not handled, empty
        // rules, rights of folders on files (landlock_add_rule(2): EINVAL, ENOMSG).
        QCOMPARE(plan.handledFileSystem & ~known.fileSystem, std::uint64_t(0));
        QCOMPARE(plan.handledNetwork & ~known.network, std::uint64_t(0));
        QCOMPARE(plan.scopes & ~known.scopes, std::uint64_t(0));
        for (const PathRule &rule : plan.paths) {
            QVERIFY(rule.root < frozen.roots().size());
            QVERIFY(rule.access != 0);
            QCOMPARE(rule.access & ~plan.handledFileSystem, std::uint64_t(0));
            QVERIFY(frozen.roots()[rule.root].isDirectory || (rule.access & ~FileRights) == 0);
        }
        for (const PortRule &rule : plan.ports) {
            QVERIFY(rule.access != 0 && (rule.access & ~plan.handledNetwork) == 0);
        }
        QCOMPARE(plan.isEmpty(), (plan.handledFileSystem | plan.handledNetwork | plan.scopes) == 0);
        QCOMPARE(planLandlock(frozen, abi), plan);
    }
}

void tst_LandlockPlan::nothingIsLeftUnhandled()
{
    for (const FileSystemMode mode : {FileSystemMode::WorkspaceWrite, FileSystemMode::ReadOnly}) {
        for (const char *network : Networks) {
            for (int abi = 0; abi <= NewestAbi; ++abi) {
                const LandlockPlan plan = planLandlock(policy(mode, network), abi);
                QCOMPARE(plan.handledFileSystem, landlock::rightsOfAbi(abi).fileSystem);
                QCOMPARE(plan.scopes, landlock::rightsOfAbi(abi).scopes);
            }
        }
    }
}

void tst_LandlockPlan::networkIsHandledWhereItIsConfined()
{
    for (const FileSystemMode mode : Modes) {
        for (const char *network : Networks) {
            for (int abi = 0; abi <= NewestAbi; ++abi) {
                const LandlockPlan plan = planLandlock(policy(mode, network), abi);
                const bool isConfined = QByteArray(network) != "all";
                QCOMPARE(plan.handledNetwork,
                         isConfined ? landlock::rightsOfAbi(abi).network : std::uint64_t(0));
                QCOMPARE(plan.scopes, isConfined || mode != FileSystemMode::Off
                                          ? landlock::rightsOfAbi(abi).scopes
                                          : std::uint64_t(0));
            }
        }
    }
}

void tst_LandlockPlan::portsAreGrantedAlone()
{
    for (const char *network : Networks) {
        const LandlockPlan plan = planLandlock(policy(FileSystemMode::WorkspaceWrite, network), NewestAbi);
        const std::vector<PortRule> expected =
            QByteArray(network).startsWith("ports:")
                ? std::vector<PortRule>{{443, BindTcp | ConnectTcp}, {8080, BindTcp | ConnectTcp}}
                : std::vector<PortRule>{};
        QCOMPARE(plan.ports, expected); // no UDP on them
    }
}

void tst_LandlockPlan::grants_data()
{
    QTest::addColumn<int>("grant");
    QTest::addColumn<bool>("isDirectory");
    QTest::addColumn<quint64>("access"); // at the newest ABI
    const auto row = [](const char *name, Grant grant, std::uint64_t onFolder, std::uint64_t onFile) {
        QTest::addRow("%s, folder", name) << int(grant) << true << quint64(onFolder);
        QTest::addRow("%s, file", name) << int(grant) << false << quint64(onFile);
    };
    row("read", Grant::Read, Execute | ReadFile | ReadDir, Execute | ReadFile);
    row("list", Grant::List, ReadDir, 0);
    row("write", Grant::Write, upTo(Truncate) & ~(MakeChar | MakeBlock),
        Execute | ReadFile | WriteFile | Truncate);
    row("device", Grant::Device, ReadFile | ReadDir | WriteFile | Truncate | IoctlDev,
        ReadFile | WriteFile | Truncate | IoctlDev);
}

void tst_LandlockPlan::grants()
{
    QFETCH(int, grant);
    QFETCH(bool, isDirectory);
    QFETCH(quint64, access);
    for (int abi = 1; abi <= NewestAbi; ++abi) {
        QCOMPARE(quint64(rightsOn(Grant(grant), isDirectory, abi)),
                 access & landlock::rightsOfAbi(abi).fileSystem);
    }
}

void tst_LandlockPlan::unconfinedPolicyPlansNothing()
{
    for (int abi = 0; abi <= NewestAbi; ++abi) {
        QCOMPARE(planLandlock(policy(FileSystemMode::Off, "all"), abi), LandlockPlan());
    }
}

QTEST_APPLESS_MAIN(tst_LandlockPlan)

#include "tst_landlockplan.moc"
