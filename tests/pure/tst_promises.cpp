// Which promises of a policy a host can keep, by which layer, and which of them a command cannot do without.

#include "sandbox/plan/Promises.h"

#include <QTest>

#include <set>

using namespace spettro::sandbox;

namespace {

constexpr int NewestAbi = 11;
constexpr FileSystemMode Modes[] = {FileSystemMode::Off, FileSystemMode::WorkspaceWrite,
                                    FileSystemMode::ReadOnly};
constexpr const char *Networks[] = {"all", "localhost", "none", "ports:443"};

std::vector<PromiseState> assess(FileSystemMode mode, const char *network, const HostFacts &host)
{
    return assessPromises(mode, parseNetwork(network).value(), host);
}

PromiseState stateOf(Promise promise, FileSystemMode mode, const char *network, const HostFacts &host)
{
    return assess(mode, network, host)[std::size_t(promise)];
}

/// Whether a command may run.
bool isEnforceable(FileSystemMode mode, const char *network, const HostFacts &host)
{
    for (const PromiseState &state : assess(mode, network, host)) {
        if (state.asked && state.required && !state.kept) {
            return false;
        }
    }
    return true;
}

} // namespace

class tst_Promises : public QObject
{
    Q_OBJECT

private slots:
    void everyPromiseIsJudgedOnce();
    void namesAndMeaningsAreDistinct();
    void enforceable_data();
    void enforceable();
    void newerKernelsKeepMore();
    void offAsksForWhatNeedsNoKernel();
    void askedByPolicy();
    void reasonOfMissingLandlock_data();
    void reasonOfMissingLandlock();
    void reasonOfAnOldAbi();
    void knownGapsAreNotClaimed();
};

void tst_Promises::everyPromiseIsJudgedOnce()
{
    for (const FileSystemMode mode : Modes) {
        for (const char *network : Networks) {
            const std::vector<PromiseState> states = assess(mode, network, {7, 0, true});
            QCOMPARE(states.size(), std::size_t(Promise::ProcessTree) + 1);
            for (std::size_t i = 0; i < states.size(); ++i) {
                QCOMPARE(std::size_t(states[i].promise), i);
                QVERIFY(!states[i].layer.empty());
            }
        }
    }
}

void tst_Promises::namesAndMeaningsAreDistinct()
{
    std::set<std::string_view> names;
    std::set<std::string_view> meanings;
    for (std::size_t i = 0; i <= std::size_t(Promise::ProcessTree); ++i) {
        QVERIFY(names.insert(nameOf(Promise(i))).second);
        QVERIFY(meanings.insert(meaningOf(Promise(i))).second);
    }
    QCOMPARE(nameOf(Promise::WriteRoots), std::string_view("write-roots"));
    QCOMPARE(nameOf(Promise::ProcessTree), std::string_view("process-tree"));
}

void tst_Promises::enforceable_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QByteArray>("network");
    QTest::addColumn<int>("firstAbi");
    QTest::addColumn<bool>("needsFilter");
    const auto row = [](FileSystemMode mode, const char *network, int firstAbi, bool needsFilter) {
        QTest::addRow("%s, %s", toText(mode).data(), network)
            << int(mode) << QByteArray(network) << firstAbi << needsFilter;
    };
    row(FileSystemMode::Off, "all", 0, false);
    row(FileSystemMode::Off, "localhost", 0, true);
    row(FileSystemMode::Off, "none", 0, true);
    row(FileSystemMode::Off, "ports:443", 4, true);
    for (const FileSystemMode mode : {FileSystemMode::WorkspaceWrite, FileSystemMode::ReadOnly}) {
        row(mode, "all", 1, true);
        row(mode, "localhost", 1, true);
        row(mode, "none", 1, true);
        row(mode, "ports:443", 4, true);
    }
}

void tst_Promises::enforceable()
{
    QFETCH(int, mode);
    QFETCH(QByteArray, network);
    QFETCH(int, firstAbi);
    QFETCH(bool, needsFilter);
    for (int abi = 0; abi <= NewestAbi; ++abi) {
        const HostFacts host{abi, abi == 0 ? 38 : 0, true};
        QCOMPARE(isEnforceable(FileSystemMode(mode), network.constData(), host), abi >= firstAbi);
        const HostFacts withoutFilter{abi, host.landlockError, false};
        QCOMPARE(isEnforceable(FileSystemMode(mode), network.constData(), withoutFilter),
                 abi >= firstAbi && !needsFilter);
    }
}

void tst_Promises::newerKernelsKeepMore()
{
    for (const FileSystemMode mode : Modes) {
        for (const char *network : Networks) {
            for (int abi = 0; abi < NewestAbi; ++abi) {
                const std::vector<PromiseState> older = assess(mode, network, {abi, 0, true});
                const std::vector<PromiseState> newer = assess(mode, network, {abi + 1, 0, true});
                for (std::size_t i = 0; i < older.size(); ++i) {
                    QVERIFY2(newer[i].kept || !older[i].kept, nameOf(older[i].promise).data());
                }
            }
        }
    }
}

void tst_Promises::offAsksForWhatNeedsNoKernel()
{
    for (const PromiseState &state : assess(FileSystemMode::Off, "all", {0, 38, false})) {
        QVERIFY2(!state.asked || state.kept, nameOf(state.promise).data());
    }
}

void tst_Promises::askedByPolicy()
{
    const HostFacts host{7, 0, true};
    const auto isAsked = [&](Promise promise, FileSystemMode mode, const char *net) {
        return stateOf(promise, mode, net, host).asked;
    };
    for (const Promise promise :
         {Promise::WriteRoots, Promise::ReadRoots, Promise::Truncation, Promise::Metadata}) {
        QVERIFY(isAsked(promise, FileSystemMode::ReadOnly, "all"));
        QVERIFY(!isAsked(promise, FileSystemMode::Off, "none"));
    }
    for (const Promise promise : {Promise::Tcp, Promise::OtherProtocols}) {
        QVERIFY(isAsked(promise, FileSystemMode::Off, "ports:443"));
        QVERIFY(!isAsked(promise, FileSystemMode::WorkspaceWrite, "all"));
    }
    for (const Promise promise :
         {Promise::UnixSockets, Promise::Signals, Promise::Debugging, Promise::TerminalInjection}) {
        QVERIFY(isAsked(promise, FileSystemMode::Off, "none"));
        QVERIFY(isAsked(promise, FileSystemMode::WorkspaceWrite, "all"));
        QVERIFY(!isAsked(promise, FileSystemMode::Off, "all"));
    }
}

void tst_Promises::reasonOfMissingLandlock_data()
{
    QTest::addColumn<int>("error");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("ENOSYS") << 38 << QByteArray("not built into this kernel"); // case 60
    QTest::newRow("EOPNOTSUPP") << 95 << QByteArray("switched off at boot");
    QTest::newRow("EPERM") << 1 << QByteArray("filtered");
    QTest::newRow("another") << 12 << QByteArray("error 12");
}

void tst_Promises::reasonOfMissingLandlock()
{
    QFETCH(int, error);
    QFETCH(QByteArray, reason);
    const PromiseState state =
        stateOf(Promise::WriteRoots, FileSystemMode::WorkspaceWrite, "none", {0, error, true});
    QVERIFY(!state.kept && state.required);
    QVERIFY2(QByteArray::fromStdString(state.layer).contains(reason), state.layer.c_str());
}

void tst_Promises::reasonOfAnOldAbi()
{
    const PromiseState state = stateOf(Promise::Tcp, FileSystemMode::Off, "ports:443", {3, 0, true});
    QVERIFY(!state.kept);
    QCOMPARE(state.layer, std::string("needs Landlock ABI 4, this kernel has 3"));
}

void tst_Promises::knownGapsAreNotClaimed()
{
    for (int abi = 0; abi <= NewestAbi; ++abi) {
        const HostFacts host{abi, 0, true};
        const auto isKept = [&](Promise promise, FileSystemMode mode, const char *network) {
            return stateOf(promise, mode, network, host).kept;
        };
        QVERIFY(!isKept(Promise::Metadata, FileSystemMode::ReadOnly, "none"));
        QCOMPARE(isKept(Promise::Signals, FileSystemMode::ReadOnly, "none"), abi >= 6);
        QCOMPARE(isKept(Promise::Debugging, FileSystemMode::ReadOnly, "none"), abi >= 1);
        QCOMPARE(isKept(Promise::Debugging, FileSystemMode::Off, "none"), abi >= 4);
    }
}

QTEST_APPLESS_MAIN(tst_Promises)

#include "tst_promises.moc"
