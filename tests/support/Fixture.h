#pragma once

#include <QByteArray>
#include <QList>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

/// What tests of the running kernel share: a place for files that no policy opens by itself, and ways to run a
/// command with the sandbox and, as the control, without it.
namespace spettro::test {

/// What became of a program.
struct RunResult
{
    int exitCode = -1; ///< -1 where a signal or the time limit ended it, or where it did not start.
    int signal = 0;    ///< The signal that ended it.
    bool timedOut = false;
    QByteArray output;
    QByteArray errors;
};

/// All of a result in one line, for the message of a failed check.
QByteArray describe(const RunResult &result);

/// How a program is started.
struct RunOptions
{
    QString folder; ///< Empty: the current one; for `Fixture` the workspace.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    QByteArray input;
    int timeLimit = 30'000; ///< Milliseconds; then it is killed.
};

/// Runs a program to its end, as it is: no sandbox.
RunResult run(const QStringList &command, const RunOptions &options = {});

/// The command that runs a script by `/bin/sh` with arguments `$1`, `$2`...: paths need no quoting that way.
QStringList shell(const QString &script, const QStringList &arguments = {});

/// The executable under test.
QString spettroPath();

/// Whether the tests, and with them Spettro, are built with sanitizers, whose runtime has needs of its own.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool IsSanitized = true;
#else
inline constexpr bool IsSanitized = false;
#endif

/// Whether the tests run as root.
bool isRoot();

/// The Landlock ABI of the running kernel; 0 where there is none.
int kernelLandlockAbi();

/// Every ABI from 1 to the kernel's, for `--test-landlock-abi`: what a policy promises holds with each.
QList<int> landlockAbis();

/// The content of a host's file; null where it cannot be read.
QByteArray contentOf(const QString &path);

void writeFile(const QString &path, const QByteArray &content);

/// Whether there is anything by this name, a dangling link too.
bool exists(const QString &path);

/// A fresh folder below $HOME (never below /tmp and the like, which every policy opens), removed afterwards:
/// `workspace/`, and `outside/` with a file `canary`.
class Fixture
{
public:
    /// `parent` is for tests that want a fixture in a special place; it has to exist.
    explicit Fixture(const QString &parent = {});
    ~Fixture();
    Fixture(const Fixture &) = delete;
    Fixture &operator=(const Fixture &) = delete;

    QString folder() const { return m_folder.path(); }
    QString workspace(const QString &name = {}) const { return inside("workspace", name); }
    QString outside(const QString &name = {}) const { return inside("outside", name); }

    /// The canary is as it was made.
    bool isCanaryIntact() const;

    /// Every file beneath `folder` with its kind, inode, number of names and content, one a line: equal texts mean
    /// that nothing was created, removed, replaced, linked or written. Modes and times are not in it.
    static QByteArray snapshot(const QString &folder);

    /// A copy of a test program in the workspace, where a confined command may execute it.
    QString probe(const QString &name) const;

    /// A copy of Spettro in the workspace, for nested sandboxes.
    QString nestedSpettro() const;

    /// `spettro exec FLAGS -- COMMAND`, started in the workspace.
    RunResult exec(const QStringList &flags, const QStringList &command, RunOptions options = {}) const;

    /// The same command without Spettro: the control.
    RunResult control(const QStringList &command, RunOptions options = {}) const;

    /// As `exec`, but returns once it is started. It is killed when the result is destroyed.
    std::unique_ptr<QProcess> start(const QStringList &flags, const QStringList &command,
                                    RunOptions options = {}) const;

private:
    QString inside(const QString &folder, const QString &name) const;

    QTemporaryDir m_folder;
};

/// A process of the same user that is none of a command's business; killed at the end.
class OutsideProcess
{
public:
    /// `environment` is added to what it inherits.
    explicit OutsideProcess(const QProcessEnvironment &environment = {});
    ~OutsideProcess();

    qint64 id() const { return m_process.processId(); }

    /// Whether it still runs after a moment in which a signal would have ended it.
    bool isAlive();

private:
    QProcess m_process;
};

} // namespace spettro::test
