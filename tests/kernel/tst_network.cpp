// The network modes, against every way to send something that the kernel offers (cases 19, 21, 22, 54 of the
// field): judged by what a server on the host heard.

#include "tests/support/Fixture.h"
#include "tests/support/HostServer.h"

#include <QElapsedTimer>
#include <QTest>

using namespace spettro::test;

namespace {

using Kind = HostServer::Kind;

/// The ways to have `network` in force: alone, with files confined, and at every ABI that can keep it.
QList<QStringList> confinements(const QString &network)
{
    const bool hasPorts = network.startsWith("ports:");
    QList<QStringList> all{{"--sandbox-net", network}};
    for (const int abi : landlockAbis()) {
        if (!hasPorts || abi >= 4) {
            const QString limit = QString::number(abi);
            all << QStringList{"--sandbox-net", network, "--test-landlock-abi", limit};
            all << QStringList{"--sandbox", "workspace-write",     "--sandbox-net",
                               network,     "--test-landlock-abi", limit};
        }
    }
    return all;
}

QByteArray describeAll(const QStringList &flags, const RunResult &result)
{
    return flags.join(' ').toUtf8() + ": " + describe(result);
}

/// What an ordinary user gets where something is not allowed or not there; never SIGSYS, EINVAL or ENOENT.
bool isOrdinaryRefusal(const RunResult &result)
{
    static const QByteArrayList answers{"refused EACCES\n", "refused EPERM\n", "refused EAFNOSUPPORT\n",
                                        "refused EPROTONOSUPPORT\n", "refused EOPNOTSUPP\n"};
    return result.exitCode == 1 && answers.contains(result.output);
}

} // namespace

class tst_Network : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void reachesNoServer_data();
    void reachesNoServer();
    void makesNoSocketOfOtherFamilies_data();
    void makesNoSocketOfOtherFamilies();
    void readsInterfacesByNetlink();
    void bindsNoPort();
    void listensNowhereUnbound();
    void allowedPortWorks_data();
    void allowedPortWorks();
    void allowedPortIsTcpOnly_data();
    void allowedPortIsTcpOnly();
    void networkAllConfinesNothing();
    void nameLookupFailsFast();
};

void tst_Network::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Network::reachesNoServer_data()
{
    QTest::addColumn<QString>("act");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("missing"); // why a host may be unable to do it at all
    const auto row = [](const char *act, Kind kind, const char *address, const char *missing = "") {
        QTest::addRow("%s to %s", act, address) << act << int(kind) << address << missing;
    };
    for (const char *act : {"tcp", "tcp-after-unspecified", "fast-open-sendto", "fast-open-sendmsg",
                            "fast-open-sendmmsg", "fast-open-connect"}) {
        row(act, Kind::Tcp4, "127.0.0.1");
        row(act, Kind::Tcp6, "::1", "IPv6");
        row(act, Kind::Tcp4, "::ffff:127.0.0.1", "IPv6"); // case 51
    }
    row("mptcp", Kind::Tcp4, "127.0.0.1", "CONFIG_MPTCP");
    row("mptcp", Kind::Tcp6, "::1", "CONFIG_MPTCP");
    for (const char *act : {"udp", "udp-connected"}) { // case 19
        row(act, Kind::Udp4, "127.0.0.1");
        row(act, Kind::Udp6, "::1", "IPv6");
        row(act, Kind::Udp4, "::ffff:127.0.0.1", "IPv6");
    }
    row("udp-lite", Kind::UdpLite4, "127.0.0.1", "UDP-Lite");
    row("raw-udp", Kind::Udp4, "127.0.0.1", "raw sockets for this user");
}

void tst_Network::reachesNoServer()
{
    QFETCH(QString, act);
    QFETCH(int, kind);
    QFETCH(QString, address);
    QFETCH(QString, missing);
    Fixture fixture;
    const QString probe = fixture.probe("netcall");

    const HostServer controlServer{Kind(kind)};
    const RunResult control = fixture.control({probe, act, address, QString::number(controlServer.port())});
    if (!missing.isEmpty() && (!controlServer.isValid() || control.exitCode != 0)) {
        QSKIP(qPrintable("this host has no " + missing + ": " + QString::fromUtf8(describe(control))));
    }
    QVERIFY2(control.exitCode == 0, describe(control));
    QVERIFY2(controlServer.hears("attack"), "without a sandbox the server hears it");

    const HostServer server{Kind(kind)};
    QVERIFY(server.isValid());
    for (const QString network : {"none", "localhost", "ports:1"}) {
        for (const QStringList &flags : confinements(network)) {
            const RunResult result =
                fixture.exec(flags, {probe, act, address, QString::number(server.port())});
            QVERIFY2(isOrdinaryRefusal(result), describeAll(flags, result));
        }
    }
    QVERIFY2(server.isSilent(), "heard: " + server.received());
}

void tst_Network::makesNoSocketOfOtherFamilies_data()
{
    QTest::addColumn<QStringList>("act");
    const auto row = [](const char *name, const QStringList &act) {
        QTest::newRow(name) << act + QStringList{"0"};
    };
    row("packet", {"packet", "0"});
    row("packet by its old name", {"inet-packet", "0"});
    row("ping", {"ping", "127.0.0.1"});
    row("vsock", {"vsock", "0"});
    row("vsock datagram", {"vsock-datagram", "0"});
    row("kernel crypto", {"family", "38"});
    row("bluetooth", {"family", "31"});
    row("can", {"family", "29"});
    row("netlink: kernel events", {"netlink", "15"});
    row("netlink: audit", {"netlink", "9"});
    row("netlink: socket diagnosis", {"netlink", "4"});
    row("netlink: netfilter", {"netlink", "12"});
    row("netlink: generic", {"netlink", "16"});
}

void tst_Network::makesNoSocketOfOtherFamilies()
{
    QFETCH(QStringList, act); // case 19
    Fixture fixture;
    act.prepend(fixture.probe("netcall"));
    for (const QString network : {"none", "localhost", "ports:1"}) {
        for (const QStringList &flags : confinements(network)) {
            const RunResult result = fixture.exec(flags, act);
            QVERIFY2(isOrdinaryRefusal(result), describeAll(flags, result));
        }
    }
    const RunResult control = fixture.control(act);
    if (control.exitCode != 0) {
        QSKIP(qPrintable("not even the host makes this one: " + QString::fromUtf8(control.output)));
    }
}

void tst_Network::readsInterfacesByNetlink()
{
    Fixture fixture; // programs list interfaces and addresses; NETLINK_ROUTE stays
    const QStringList act{fixture.probe("netcall"), "netlink", "0", "0"};
    for (const QString network : {"none", "localhost", "ports:1"}) {
        const RunResult result = fixture.exec({"--sandbox-net", network}, act);
        QVERIFY2(result.exitCode == 0, describe(result));
    }
}

void tst_Network::bindsNoPort()
{
    Fixture fixture;
    for (const QString address : {"127.0.0.1", "0.0.0.0", "::1", "::"}) {
        const QStringList act{fixture.probe("netcall"), "bind", address, "0"};
        const RunResult control = fixture.control(act);
        QVERIFY2(control.exitCode == 0, describe(control));
        for (const QString network : {"none", "localhost", "ports:1"}) {
            for (const QStringList &flags : confinements(network)) {
                const RunResult result = fixture.exec(flags, act);
                QVERIFY2(isOrdinaryRefusal(result), describeAll(flags, result));
            }
        }
    }
}

void tst_Network::listensNowhereUnbound()
{
    Fixture fixture;
    const QStringList act{fixture.probe("netcall"), "listen-unbound", "0", "0"};
    const std::unique_ptr<QProcess> control = fixture.start({}, act);
    QVERIFY(control->waitForReadyRead(10'000));
    const QString port = QString::fromLatin1(control->readLine()).trimmed().section(' ', -1);
    const RunResult guest = fixture.control({fixture.probe("netcall"), "tcp", "127.0.0.1", port});
    QVERIFY2(guest.exitCode == 0, "without a sandbox the host can connect to it: " + describe(guest));
    control->waitForFinished();

    for (const QString network : {"none", "localhost", "ports:1"}) {
        for (const QStringList &flags : confinements(network)) {
            const RunResult result = fixture.exec(flags, act);
            QVERIFY2(isOrdinaryRefusal(result), describeAll(flags, result));
        }
    }
}

void tst_Network::allowedPortWorks_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("address");
    QTest::newRow("v4") << int(Kind::Tcp4) << "127.0.0.1";
    QTest::newRow("v6") << int(Kind::Tcp6) << "::1";
    QTest::newRow("mapped") << int(Kind::Tcp4) << "::ffff:127.0.0.1";
}

void tst_Network::allowedPortWorks()
{
    QFETCH(int, kind);
    QFETCH(QString, address);
    if (kernelLandlockAbi() < 4) {
        QSKIP("this kernel's Landlock knows no ports (ABI 4)");
    }
    Fixture fixture;
    const HostServer other{Kind(kind)};
    for (int abi = 4; abi <= kernelLandlockAbi(); ++abi) {
        for (const QString mode : {"off", "workspace-write", "read-only"}) {
            const HostServer allowed{Kind(kind)};
            if (!allowed.isValid()) {
                QSKIP("this host has no IPv6");
            }
            const QStringList flags{"--sandbox",           mode,
                                    "--sandbox-net",       "ports:1," + QString::number(allowed.port()),
                                    "--test-landlock-abi", QString::number(abi)};
            const auto connectTo = [&](const HostServer &server) {
                return fixture.exec(
                    flags, {fixture.probe("netcall"), "tcp", address, QString::number(server.port())});
            };
            const RunResult result = connectTo(allowed);
            QVERIFY2(result.exitCode == 0, describeAll(flags, result));
            QVERIFY(allowed.hears("attack"));
            QVERIFY(isOrdinaryRefusal(connectTo(other)));
        }
    }
    QVERIFY(other.isSilent());
}

void tst_Network::allowedPortIsTcpOnly_data()
{
    QTest::addColumn<QString>("act");
    QTest::addColumn<int>("kind");
    QTest::newRow("udp") << "udp" << int(Kind::Udp4);
    QTest::newRow("udp-connected") << "udp-connected" << int(Kind::Udp4);
    QTest::newRow("udp-lite") << "udp-lite" << int(Kind::UdpLite4);
    QTest::newRow("mptcp") << "mptcp" << int(Kind::Tcp4);
    QTest::newRow("raw-udp") << "raw-udp" << int(Kind::Udp4);
}

void tst_Network::allowedPortIsTcpOnly()
{
    QFETCH(QString, act); // case 19: an allowed number is not a way out for other protocols
    QFETCH(int, kind);
    if (kernelLandlockAbi() < 4) {
        QSKIP("this kernel's Landlock knows no ports (ABI 4)");
    }
    Fixture fixture;
    const HostServer server{Kind(kind)};
    const QString port = QString::number(server.port());
    const QStringList command{fixture.probe("netcall"), act, "127.0.0.1", port};
    const RunResult result = fixture.exec({"--sandbox-net", "ports:" + port}, command);
    QVERIFY2(isOrdinaryRefusal(result), describe(result));
    QVERIFY(server.isSilent());
    if (fixture.control(command).exitCode != 0) {
        QSKIP("not even the host can send this");
    }
    QVERIFY(server.hears("attack"));
}

void tst_Network::networkAllConfinesNothing()
{
    Fixture fixture;
    const HostServer tcp(Kind::Tcp4);
    const HostServer udp(Kind::Udp4);
    const QStringList flags{"--sandbox", "workspace-write", "--sandbox-net", "all"};
    const QString probe = fixture.probe("netcall");
    QCOMPARE(fixture.exec(flags, {probe, "tcp", "127.0.0.1", QString::number(tcp.port())}).exitCode, 0);
    QCOMPARE(fixture.exec(flags, {probe, "udp", "127.0.0.1", QString::number(udp.port())}).exitCode, 0);
    QVERIFY(tcp.hears("attack") && udp.hears("attack"));
}

void tst_Network::nameLookupFailsFast()
{
    Fixture fixture; // case 19: at once, not after a minute
    const QStringList lookUp{"/usr/bin/getent", "hosts", "canary.example.com"};
    QElapsedTimer timer;
    for (const QString network : {"none", "localhost"}) {
        timer.start();
        const RunResult result = fixture.exec({"--sandbox-net", network}, lookUp);
        QVERIFY2(result.exitCode > 0 && result.exitCode != 126 && timer.elapsed() < 5000, describe(result));
    }
}

QTEST_GUILESS_MAIN(tst_Network)

#include "tst_network.moc"
