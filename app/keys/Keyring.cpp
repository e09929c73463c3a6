#include "app/keys/Keyring.h"

#include "app/keys/KeyText.h"
#include "app/keys/KeyringAnswer.h"
#include "tools/text/SafeText.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QProcess>

#include <initializer_list>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qsizetype MostWords = 300;

Error usageError(const QByteArray &words)
{
    return {ErrorKind::Usage, "the desktop's key store: " + words.toStdString(), 0};
}

/// What the bus and the desktop's stores need, and nothing else: the rest holds keys.
QProcessEnvironment sessionEnvironment()
{
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    QProcessEnvironment environment;
    for (const char *name :
         {"HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "LC_MESSAGES", "LD_LIBRARY_PATH",
          "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE",
          "DESKTOP_SESSION", "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "DISPLAY",
          "WAYLAND_DISPLAY", "XAUTHORITY"}) {
        if (own.contains(name)) {
            environment.insert(name, own.value(name));
        }
    }
    return environment;
}

} // namespace

bool Keyring::hasSession()
{
    // Without an address D-Bus would start a bus of its own, in which no store is.
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")
           || (!runtime.isEmpty() && QFileInfo::exists(runtime + "/bus"));
}

Result<Keyring::Answer> Keyring::ask(const QString &act, const QByteArray &name,
                                     const QByteArray &input) const
{
    if (!hasSession()) {
        return usageError("there is no desktop session here");
    }
    const QDeadlineTimer deadline(m_patience);
    QProcess process;
    process.setProcessEnvironment(sessionEnvironment());
    process.start(QCoreApplication::applicationDirPath() + "/spettro-keyring",
                  {act, QString::fromUtf8(name)});
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(static_cast<int>(deadline.remainingTime()))) {
        const bool isStarted = process.error() != QProcess::FailedToStart;
        process.kill();
        process.waitForFinished();
        return usageError(isStarted ? "no answer within "
                                          + QByteArray::number(static_cast<double>(m_patience.count()) / 1000)
                                          + " s; perhaps it is locked"
                                    : process.errorString().toUtf8());
    }
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == KeyringDone) {
        return Answer{true, process.readAllStandardOutput()};
    }
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == KeyringHasNone) {
        return Answer{};
    }
    const QByteArray words = visibleText(process.readAllStandardError().trimmed().left(MostWords));
    return usageError(words.isEmpty() ? QByteArray("it failed without a word") : words);
}

Result<std::optional<QByteArray>> Keyring::read(const QByteArray &name) const
{
    const Result<Answer> answer = ask("read", name);
    if (!answer) {
        return answer.error();
    }
    if (!answer->isFound) {
        return std::optional<QByteArray>();
    }
    Result<QByteArray> key = keyFrom(answer->text);
    if (!key) {
        return usageError("spettro/" + name + ": " + QByteArray::fromStdString(key.error().message));
    }
    return std::optional<QByteArray>(std::move(key).value());
}

Result<bool> Keyring::write(const QByteArray &name, const QByteArray &key) const
{
    const Result<Answer> answer = ask("write", name, key);
    return answer ? Result<bool>(true) : answer.error();
}

Result<bool> Keyring::remove(const QByteArray &name) const
{
    const Result<Answer> answer = ask("remove", name);
    return answer ? Result<bool>(answer->isFound) : answer.error();
}

} // namespace spettro
