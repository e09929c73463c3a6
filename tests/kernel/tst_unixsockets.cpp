// Sockets of outside services (docker, D-Bus, tmux, ssh-agent): no way to them by AF_UNIX under any policy
// that confines something (cases 11, 19, 52 of the field); judged by what the service heard.

#include "tests/support/Fixture.h"
#include "tests/support/HostServer.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

using namespace spettro::test;

namespace {

using Kind = HostServer::Kind;

/// Every policy that confines something, at the kernel's ABI; and the two kinds of them at every older one.
QList<QStringList> confinements()
{
    QList<QStringList> all;
    for (const char *mode : {"off", "workspace-write", "read-only"}) {
        for (const char *network : {"all", "localhost", "none", "ports:443"}) {
            const bool confines = QByteArray(mode) != "off" || QByteArray(network) != "all";
            const bool isPossible = QByteArray(network) != "ports:443" || kernelLandlockAbi() >= 4;
            if (confines && isPossible) {
                all << QStringList{"--sandbox", mode, "--sandbox-net", network};
            }
        }
    }
    for (const int abi : landlockAbis()) {
        const QStringList limit{"--test-landlock-abi", QString::number(abi)};
        all << QStringList{"--sandbox", "workspace-write"} + limit
            << QStringList{"--sandbox-net", "none"} + limit;
    }
    return all;
}

bool isOrdinaryRefusal(const RunResult &result)
{
    static const QByteArrayList answers{"refused EACCES\n", "refused EPERM\n", "refused EPROTONOSUPPORT\n"};
    return result.exitCode == 1 && answers.contains(result.output);
}

} // namespace

class tst_UnixSockets : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void reachesNoOutsideService_data();
    void reachesNoOutsideService();
    void reachesNoServiceThroughALink();
    void connectedPairsWork();
    void tmuxServerTakesNoCommand();
};

void tst_UnixSockets::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_UnixSockets::reachesNoOutsideService_data()
{
    QTest::addColumn<QString>("act");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("place");
    const struct
    {
        const char *act;
        Kind kind;
    } acts[] = {
        {"stream", Kind::UnixStream},
        {"seqpacket", Kind::UnixSeqPacket},
        {"datagram", Kind::UnixDatagram},
        {"datagram-connected", Kind::UnixDatagram},
        {"raw", Kind::UnixDatagram},
        {"pair-datagram", Kind::UnixDatagram},
        {"pair-datagram-connect", Kind::UnixDatagram},
        {"pair-datagram-message", Kind::UnixDatagram},
    };
    for (const auto &[act, kind] : acts) {
        for (const char *place : {"outside", "workspace", "temporary", "abstract"}) {
            QTest::addRow("%s, %s", act, place) << act << int(kind) << place;
        }
    }
}

void tst_UnixSockets::reachesNoOutsideService()
{
    QFETCH(QString, act); // case 11
    QFETCH(int, kind);
    QFETCH(QString, place);
    Fixture fixture;
    const QTemporaryDir temporary("/tmp/spettro-test-XXXXXX");
    const QString address = place == "outside"     ? fixture.outside("s")
                            : place == "workspace" ? fixture.workspace("s")
                            : place == "temporary" ? temporary.filePath("s")
                                                   : '@' + fixture.folder();
    const QStringList command{fixture.probe("unixcall"), act, address};
    {
        const HostServer server(Kind(kind), QFile::encodeName(address));
        QVERIFY(server.isValid());
        const RunResult control = fixture.control(command);
        QVERIFY2(control.exitCode == 0, describe(control));
        QVERIFY2(server.hears("attack"), "without a sandbox the service hears it");
    }
    QFile::remove(address);
    const HostServer server(Kind(kind), QFile::encodeName(address));
    QVERIFY(server.isValid());
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, command);
        QVERIFY2(isOrdinaryRefusal(result), flags.join(' ').toUtf8() + ": " + describe(result));
    }
    QVERIFY2(server.isSilent(), "heard: " + server.received());
}

void tst_UnixSockets::reachesNoServiceThroughALink()
{
    Fixture fixture;
    const HostServer server(Kind::UnixStream, QFile::encodeName(fixture.outside("s")));
    QVERIFY(QFile::link(fixture.outside("s"), fixture.workspace("link")));
    const QStringList command{fixture.probe("unixcall"), "stream", fixture.workspace("link")};
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, command);
        QVERIFY2(isOrdinaryRefusal(result), flags.join(' ').toUtf8() + ": " + describe(result));
    }
    QVERIFY(server.isSilent());
    QCOMPARE(fixture.control(command).exitCode, 0);
    QVERIFY(server.hears("attack"));
}

void tst_UnixSockets::connectedPairsWork()
{
    Fixture fixture; // case 52: shells, asyncio and node talk to their own children by these
    for (const QStringList &flags : confinements()) {
        for (const char *act : {"pair-stream", "pair-seqpacket"}) {
            const RunResult result = fixture.exec(flags, {fixture.probe("unixcall"), act});
            QVERIFY2(result.exitCode == 0, flags.join(' ').toUtf8() + ": " + describe(result));
        }
    }
}

void tst_UnixSockets::tmuxServerTakesNoCommand()
{
    const QString tmux = QStandardPaths::findExecutable("tmux"); // case 11
    if (tmux.isEmpty()) {
        QFAIL("install tmux");
    }
    Fixture fixture;
    const QString socket = fixture.outside("t");
    // Not the user's own shell: that may be one that lets nobody in.
    const RunResult server = fixture.control({"/usr/bin/env", "SHELL=/bin/sh", tmux, "-f", "/dev/null", "-S",
                                              socket, "new-session", "-d", "sleep 100"});
    QVERIFY2(server.exitCode == 0, describe(server));
    const auto attack = [&](const QString &name) {
        return QStringList{tmux, "-S", socket, "run-shell", "echo attack > '" + fixture.outside(name) + "'"};
    };
    for (const QStringList &flags : {QStringList{"--sandbox", "workspace-write", "--sandbox-net", "none"},
                                     QStringList{"--sandbox", "read-only", "--sandbox-net", "localhost"},
                                     QStringList{"--sandbox", "workspace-write"}}) {
        const RunResult result = fixture.exec(flags, attack("confined"));
        QVERIFY2(result.exitCode != 0, describe(result));
    }
    const RunResult control = fixture.control(attack("control"));
    fixture.control({tmux, "-S", socket, "kill-server"});
    QVERIFY2(control.exitCode == 0 && exists(fixture.outside("control")), describe(control));
    QVERIFY(!exists(fixture.outside("confined")));
}

QTEST_GUILESS_MAIN(tst_UnixSockets)

#include "tst_unixsockets.moc"
