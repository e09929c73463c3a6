// What a command can read: system paths without the secrets in them, the workspace, the extra roots; nothing
// else of the home folder. And devices: the harmless nodes work, no disk and no memory (cases 31, 42, 43, 66
// of the field).

#include "tests/support/Fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <sys/stat.h>

using namespace spettro::test;

namespace {

/// Every mode that confines files, with every ABI.
QList<QStringList> confinements()
{
    QList<QStringList> all;
    for (const char *mode : {"workspace-write", "read-only"}) {
        for (const int abi : landlockAbis()) {
            all << QStringList{"--sandbox", mode, "--test-landlock-abi", QString::number(abi)};
        }
    }
    return all;
}

QByteArray withFlags(const QStringList &flags, const RunResult &result)
{
    return flags.join(' ').toUtf8() + ": " + describe(result);
}

/// The block devices of this host, and what else gives its disks and memory away.
QStringList dangerousDevices()
{
    QStringList found{"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/loop-control", "/dev/console"};
    for (const QString &name : QDir("/dev").entryList(QDir::System)) {
        struct stat status;
        const QString path = "/dev/" + name;
        if (::stat(QFile::encodeName(path).constData(), &status) == 0 && S_ISBLK(status.st_mode)) {
            found << path;
        }
    }
    return found;
}

} // namespace

class tst_Reading : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void homeIsClosed_data();
    void homeIsClosed();
    void homeIsClosedToShells();
    void secretsOfTheSystemAreWithheld_data();
    void secretsOfTheSystemAreWithheld();
    void systemIsReadable_data();
    void systemIsReadable();
    void extraFolderIsOpened();
    void harmlessDevicesWork_data();
    void harmlessDevicesWork();
    void harmlessDevicesTakeControlCalls();
    void disksAndMemoryAreClosed();
    void extraDeviceIsOpened();
};

void tst_Reading::initTestCase()
{
    QVERIFY2(kernelLandlockAbi() > 0,
             "needs a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock,...)");
}

void tst_Reading::homeIsClosed_data()
{
    QTest::addColumn<QStringList>("act"); // @O: the folder outside, @W: the workspace
    const auto row = [](const char *name, const QStringList &act) { QTest::newRow(name) << act; };
    row("a file", {"read", "@O/canary"}); // case 31
    row("a file, by a link", {"read", "@W/link"});
    row("a file, by a linked folder", {"read", "@W/folder/canary"});
    row("a file, by dots", {"read", "../outside/canary"});
    row("a file, by /proc/self/root", {"read", "/proc/self/root@O/canary"}); // case 6
    row("a file, by /proc/self/cwd", {"read", "/proc/self/cwd/../outside/canary"});
    row("a folder", {"list", "@O"});
    row("a folder, by /proc/self/root", {"list", "/proc/self/root@O"});
    row("the folder above", {"list", ".."});
    row("the home folder", {"list", "@H"});
    row("a program", {"execute", "@O/hello"});
    row("a program, by its descriptor", {"execute-open-file", "@O/hello"});
}

void tst_Reading::homeIsClosed()
{
    QFETCH(QStringList, act);
    Fixture fixture;
    QVERIFY(QFile::link(fixture.outside("canary"), fixture.workspace("link")));
    QVERIFY(QFile::link(fixture.outside(), fixture.workspace("folder")));
    QVERIFY(QFile::copy(fixture.probe("hello"), fixture.outside("hello")));
    act.replaceInStrings("@O", fixture.outside());
    act.replaceInStrings("@W", fixture.workspace());
    act.replaceInStrings("@H", QDir::homePath());
    act.prepend(fixture.probe("filecall"));

    const RunResult control = fixture.control(act);
    QVERIFY2(control.exitCode == 0 && !control.output.startsWith("refused"), describe(control));
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, act);
        QVERIFY2(result.exitCode == 1 && result.output == "refused EACCES\n", withFlags(flags, result));
    }
}

void tst_Reading::homeIsClosedToShells()
{
    Fixture fixture; // case 31: names that are only known at run time
    const QStringList script = shell(
        "P=$1; cat $P/canary; cat $P/can*; (cd $P && cat canary); grep -r canary $P; find $P -name '*nary';"
        " cp $P/canary copy && cat copy; tar cf - $P 2>/dev/null | grep -a canary; . $P/canary; true",
        {fixture.outside()});
    const RunResult control = fixture.control(script);
    QVERIFY2(control.output.count("canary") > 6, describe(control));
    QVERIFY(QFile::remove(fixture.workspace("copy")));
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, script);
        QVERIFY2(!result.output.contains("canary"), withFlags(flags, result));
    }
}

void tst_Reading::secretsOfTheSystemAreWithheld_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<bool>("isReadable");
    for (const char *path : {"/etc/shadow",
                             "/etc/shadow-",
                             "/etc/gshadow",
                             "/etc/sudoers",
                             "/etc/sudoers.d/admins",
                             "/etc/krb5.keytab",
                             "/etc/ssh/ssh_host_rsa_key",
                             "/etc/ssh/ssh_host_ed25519_key",
                             "/etc/ssl/private/server.key",
                             "/etc/letsencrypt/live/site/privkey.pem",
                             "/etc/wireguard/wg0.conf",
                             "/etc/security/opasswd",
                             "/etc/apt/auth.conf.d/private.conf",
                             "/etc/NetworkManager/system-connections/wifi",
                             "/var/spool/cron/root",
                             "/var/spool/mail/root",
                             "/var/mail/root",
                             "/var/log/auth.log",
                             "/var/backups/shadow.bak",
                             "/var/lib/mysql/data",
                             "/run/user/0/bus",
                             "/run/secrets/key",
                             "/run/docker.sock",
                             "/srv/data",
                             "/mnt/disk"}) {
        QTest::newRow(path) << path << false;
    }
    for (const char *path :
         {"/etc/passwd", "/etc/ssh/ssh_config", "/etc/ssl/certs/ca-certificates.crt", "/etc/apt/sources.list",
          "/etc/security/limits.conf", "/var/lib/dpkg/status", "/run/systemd/resolve/resolv.conf"}) {
        QTest::newRow(path) << path << true;
    }
}

/// As root, in a mount namespace where the folder is an empty one with nothing but the file in question.
void tst_Reading::secretsOfTheSystemAreWithheld()
{
    QFETCH(QString, path);
    QFETCH(bool, isReadable);
    Fixture fixture;
    const QString probe = fixture.probe("filecall");
    const auto inNamespace = [&](const QStringList &command) {
        return QStringList{"/usr/bin/unshare", "-Urm"}
               + shell("mount -t tmpfs none \"$1\" && mkdir -p \"$2\" && echo secret-42 > \"$3\" && shift 3 "
                       "&& exec \"$@\"",
                       QStringList{'/' + path.section('/', 1, 1), path.section('/', 0, -2), path} + command);
    };
    const RunResult control = fixture.control(inNamespace({probe, "read", path}));
    if (control.exitCode != 0) {
        QSKIP(qPrintable("no user namespaces here: " + QString::fromLocal8Bit(describe(control))));
    }
    QVERIFY2(control.output.contains("secret-42"), describe(control));
    for (const char *mode : {"workspace-write", "read-only"}) {
        for (const QString &name : {path, "/proc/self/root" + path}) {
            const RunResult result = fixture.control(
                inNamespace({spettroPath(), "exec", "--sandbox", mode, "--", probe, "read", name}));
            QVERIFY2(result.output == (isReadable ? "secret-42\ndone\n" : "refused EACCES\n"),
                     describe(result));
        }
    }
}

void tst_Reading::systemIsReadable_data()
{
    QTest::addColumn<QString>("path");
    for (const char *path : {"/etc/passwd", "/etc/nsswitch.conf", "/etc/ld.so.cache", "/usr/bin/env",
                             "/bin/sh", "/proc/self/status", "/proc/cpuinfo", "/proc/meminfo",
                             "/proc/sys/kernel/pid_max", "/sys/devices/system/cpu/online"}) {
        QTest::newRow(path) << path;
    }
}

void tst_Reading::systemIsReadable()
{
    QFETCH(QString, path);
    Fixture fixture;
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, {fixture.probe("filecall"), "read", path});
        QVERIFY2(result.exitCode == 0, withFlags(flags, result));
    }
}

void tst_Reading::extraFolderIsOpened()
{
    Fixture fixture;
    const QString probe = fixture.probe("filecall");
    for (const QStringList &flags : confinements()) {
        const QStringList reading = flags + QStringList{"--sandbox-allow-read-dir", fixture.outside()};
        const RunResult read = fixture.exec(reading, {probe, "read", fixture.outside("canary")});
        QVERIFY2(read.output == "canary\ndone\n", withFlags(reading, read));
        const RunResult write = fixture.exec(reading, {probe, "create", fixture.outside("new")});
        QVERIFY2(write.output == "refused EACCES\n" && !exists(fixture.outside("new")),
                 withFlags(reading, write));

        const QStringList writing = flags + QStringList{"--sandbox-allow-dir", fixture.outside()};
        const RunResult create = fixture.exec(writing, {probe, "create", fixture.outside("new")});
        QVERIFY2(create.exitCode == 0, withFlags(writing, create));
        QVERIFY(QFile::remove(fixture.outside("new")));
    }
}

void tst_Reading::harmlessDevicesWork_data()
{
    QTest::addColumn<QString>("device");
    for (const char *device :
         {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx"}) {
        QTest::newRow(device) << device;
    }
}

void tst_Reading::harmlessDevicesWork()
{
    QFETCH(QString, device); // case 43: also with O_CREAT|O_TRUNC, as shells open them
    Fixture fixture;
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, {fixture.probe("filecall"), "open-device", device});
        QVERIFY2(result.exitCode == 0, withFlags(flags, result));
    }
}

void tst_Reading::harmlessDevicesTakeControlCalls()
{
    Fixture fixture; // case 42: the same answer on old and new kernels
    const QStringList ask{fixture.probe("filecall"), "ask-device", "/dev/null"};
    const QByteArray answer = fixture.control(ask).output;
    QCOMPARE(answer, QByteArray("refused ENOTTY\n"));
    for (const QStringList &flags : confinements()) {
        const RunResult result = fixture.exec(flags, ask);
        QVERIFY2(result.output == answer, withFlags(flags, result));
    }
}

void tst_Reading::disksAndMemoryAreClosed()
{
    Fixture fixture;
    int opened = 0;
    for (const QString &device : dangerousDevices()) {
        const QStringList open{fixture.probe("filecall"), "open-read", device};
        for (const QStringList &flags : confinements()) {
            const RunResult result = fixture.exec(flags, open);
            QVERIFY2(result.exitCode == 1 && (!exists(device) || result.output == "refused EACCES\n"),
                     withFlags(flags + open, result));
        }
        opened += fixture.control(open).exitCode == 0 ? 1 : 0;
    }
    if (opened == 0) {
        QSKIP("not even the host lets this user open one of them");
    }
}

void tst_Reading::extraDeviceIsOpened()
{
    Fixture fixture; // case 66
    QString device = fixture.outside("zero");
    if (fixture.control({fixture.probe("filecall"), "mknod-character", device}).exitCode != 0) {
        device = exists("/dev/fuse") ? "/dev/fuse" : "/dev/net/tun";
    }
    const QStringList open{fixture.probe("filecall"), "open-read", device};
    if (fixture.control(open).exitCode != 0) {
        QSKIP("this user can neither make a device node nor open /dev/fuse or /dev/net/tun");
    }
    for (const QStringList &flags : confinements()) {
        const RunResult closed = fixture.exec(flags, open);
        QVERIFY2(closed.output == "refused EACCES\n", withFlags(flags, closed));
        const RunResult result = fixture.exec(flags + QStringList{"--sandbox-allow-dir", device}, open);
        QVERIFY2(result.exitCode == 0, withFlags(flags, result));
    }
}

QTEST_GUILESS_MAIN(tst_Reading)

#include "tst_reading.moc"
