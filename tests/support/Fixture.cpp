#include "tests/support/Fixture.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace spettro::test {

namespace {

const QByteArray CanaryContent = "canary\n";

QString variableOf(const char *name)
{
    const QString value = qEnvironmentVariable(name);
    if (value.isEmpty()) {
        qFatal("%s is not set: run the tests by ctest or ./dev test", name);
    }
    return value;
}

void startProcess(QProcess &process, const QStringList &command, const RunOptions &options)
{
    process.setWorkingDirectory(options.folder);
    process.setProcessEnvironment(options.environment);
    process.start(command.first(), command.mid(1));
}

/// Copies a program; an earlier copy is good enough.
QString copyOf(const QString &program, const QString &copy)
{
    if (!QFileInfo::exists(copy) && !QFile::copy(program, copy)) {
        qFatal("cannot copy %s to %s", qPrintable(program), qPrintable(copy));
    }
    return copy;
}

QByteArray contentHash(const QString &path, const struct stat &status)
{
    if (S_ISLNK(status.st_mode)) {
        return QFile::encodeName(QFile::symLinkTarget(path));
    }
    if (!S_ISREG(status.st_mode)) {
        return {};
    }
    return QCryptographicHash::hash(contentOf(path), QCryptographicHash::Sha256).toHex();
}

} // namespace

QByteArray describe(const RunResult &result)
{
    return "exit code " + QByteArray::number(result.exitCode) + ", signal "
           + QByteArray::number(result.signal) + (result.timedOut ? ", time limit" : "")
           + ", output: " + result.output + ", errors: " + result.errors;
}

RunResult run(const QStringList &command, const RunOptions &options)
{
    QProcess process;
    startProcess(process, command, options);
    RunResult result;
    if (!process.waitForStarted()) {
        result.errors = process.errorString().toLocal8Bit();
        return result;
    }
    process.write(options.input);
    process.closeWriteChannel();
    if (!process.waitForFinished(options.timeLimit)) {
        result.timedOut = true;
        process.kill();
        process.waitForFinished();
    } else if (process.exitStatus() == QProcess::CrashExit) {
        result.signal = process.exitCode();
    } else {
        result.exitCode = process.exitCode();
    }
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

QStringList shell(const QString &script, const QStringList &arguments)
{
    return QStringList{"/bin/sh", "-c", script, "sh"} + arguments;
}

QString spettroPath()
{
    return variableOf("SPETTRO");
}

bool isRoot()
{
    return ::geteuid() == 0;
}

int kernelLandlockAbi()
{
    constexpr long CreateRuleset = 444;
    constexpr unsigned Version = 1;
    const long abi = ::syscall(CreateRuleset, nullptr, 0, Version);
    return abi > 0 ? static_cast<int>(abi) : 0;
}

QList<int> landlockAbis()
{
    QList<int> abis;
    for (int abi = 1; abi <= kernelLandlockAbi(); ++abi) {
        abis << abi;
    }
    return abis;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QByteArray content = file.readAll();
    return content.isNull() ? QByteArray("") : content;
}

void writeFile(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(content) != content.size()) {
        qFatal("cannot write %s", qPrintable(path));
    }
}

bool exists(const QString &path)
{
    struct stat status;
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0;
}

Fixture::Fixture(const QString &parent)
    : m_folder((parent.isEmpty() ? QDir::homePath() : parent) + "/spettro-fixture-XXXXXX")
{
    if (!m_folder.isValid() || !QDir(folder()).mkdir("workspace") || !QDir(folder()).mkdir("outside")) {
        qFatal("cannot make a fixture: %s", qPrintable(m_folder.errorString()));
    }
    writeFile(outside("canary"), CanaryContent);
}

Fixture::~Fixture()
{
    // QTemporaryDir would leave what a test closed to its own user, and names that are no UTF-8.
    run(shell("chmod -R u+rwX \"$1\"; rm -rf \"$1\"", {folder()}));
}

QString Fixture::inside(const QString &folder, const QString &name) const
{
    return m_folder.filePath(name.isEmpty() ? folder : folder + '/' + name);
}

bool Fixture::isCanaryIntact() const
{
    return contentOf(outside("canary")) == CanaryContent;
}

QByteArray Fixture::snapshot(const QString &folder)
{
    QByteArrayList lines;
    QDirIterator entries(folder, QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    while (entries.hasNext()) {
        const QString path = entries.next();
        struct stat status
        {};
        ::lstat(QFile::encodeName(path).constData(), &status);
        lines << QFile::encodeName(path) + ' ' + QByteArray::number(status.st_mode & S_IFMT, 8) + ' '
                     + QByteArray::number(qulonglong(status.st_ino)) + ' '
                     + QByteArray::number(qulonglong(status.st_nlink)) + ' ' + contentHash(path, status);
    }
    std::sort(lines.begin(), lines.end());
    return lines.join('\n');
}

QString Fixture::probe(const QString &name) const
{
    return copyOf(variableOf("SPETTRO_PROBES") + '/' + name, workspace(".probe-" + name));
}

QString Fixture::nestedSpettro() const
{
    return copyOf(spettroPath(), workspace(".spettro"));
}

RunResult Fixture::exec(const QStringList &flags, const QStringList &command, RunOptions options) const
{
    return control(QStringList{spettroPath(), "exec"} + flags + QStringList{"--"} + command,
                   std::move(options));
}

RunResult Fixture::control(const QStringList &command, RunOptions options) const
{
    if (options.folder.isEmpty()) {
        options.folder = workspace();
    }
    return run(command, options);
}

std::unique_ptr<QProcess> Fixture::start(const QStringList &flags, const QStringList &command,
                                         RunOptions options) const
{
    if (options.folder.isEmpty()) {
        options.folder = workspace();
    }
    auto process = std::make_unique<QProcess>();
    startProcess(*process, QStringList{spettroPath(), "exec"} + flags + QStringList{"--"} + command, options);
    if (!process->waitForStarted()) {
        qFatal("cannot start %s", qPrintable(spettroPath()));
    }
    return process;
}

OutsideProcess::OutsideProcess(const QProcessEnvironment &environment)
{
    QProcessEnvironment all = QProcessEnvironment::systemEnvironment();
    all.insert(environment);
    m_process.setProcessEnvironment(all);
    m_process.start("/bin/sleep", {"300"});
    if (!m_process.waitForStarted()) {
        qFatal("cannot start /bin/sleep");
    }
}

OutsideProcess::~OutsideProcess()
{
    m_process.kill();
    m_process.waitForFinished();
}

bool OutsideProcess::isAlive()
{
    constexpr int Moment = 50; // milliseconds
    return !m_process.waitForFinished(Moment) && m_process.state() == QProcess::Running;
}

} // namespace spettro::test
