// spettro-keyring read|write|remove NAME: one question to the desktop's key store. The key comes by standard input and goes by
// standard output, never by an argument.

#include "app/keys/KeyringAnswer.h"

#include <qt6keychain/keychain.h>

#include <QCoreApplication>

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>

namespace {

const QString Service = "spettro";

/// Starts a job and waits for its end.
QKeychain::Error carryOut(QKeychain::Job &job, const QString &name)
{
    job.setAutoDelete(false);
    job.setInsecureFallback(false);
    job.setKey(name);
    QObject::connect(&job, &QKeychain::Job::finished, &job, [] { QCoreApplication::exit(); });
    job.start();
    QCoreApplication::exec();
    return job.error();
}

int answerFor(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::NoError:
        return spettro::KeyringDone;
    case QKeychain::EntryNotFound:
        return spettro::KeyringHasNone;
    default:
        std::fputs(job.errorString().toUtf8().constData(), stderr);
        return spettro::KeyringFailed;
    }
}

int read(const QString &name)
{
    QKeychain::ReadPasswordJob job(Service);
    if (carryOut(job, name) == QKeychain::NoError) {
        const QByteArray key = job.textData().toUtf8();
        std::fwrite(key.constData(), 1, static_cast<std::size_t>(key.size()), stdout);
    }
    return answerFor(job);
}

int write(const QString &name)
{
    const std::string key{std::istreambuf_iterator<char>(std::cin), {}};
    QKeychain::WritePasswordJob job(Service);
    job.setTextData(QString::fromStdString(key));
    carryOut(job, name);
    return answerFor(job);
}

int remove(const QString &name)
{
    QKeychain::ReadPasswordJob found(Service); // removing nothing succeeds as well
    if (carryOut(found, name) != QKeychain::NoError) {
        return answerFor(found);
    }
    QKeychain::DeletePasswordJob job(Service);
    carryOut(job, name);
    return answerFor(job);
}

int usage()
{
    std::fputs("spettro-keyring: started by hand; use 'spettro connect'\n", stderr);
    return spettro::KeyringFailed;
}

} // namespace

int main(int argc, char **argv)
{
    ::prctl(PR_SET_DUMPABLE, 0); // holds a key
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    qunsetenv("QT_NO_GLIB"); // libsecret answers in GLib's loop
    qInstallMessageHandler([](QtMsgType, const QMessageLogContext &, const QString &) {}); // QtKeychain talks
    int exitCode = 0;
    {
        const QCoreApplication application(argc, argv);
        const QStringList arguments = QCoreApplication::arguments();
        const QString act = arguments.value(1);
        const QString name = arguments.value(2);
        exitCode = name.isEmpty()    ? usage()
                   : act == "read"   ? read(name)
                   : act == "write"  ? write(name)
                   : act == "remove" ? remove(name)
                                     : usage();
    }
    std::fflush(nullptr);
    std::_Exit(exitCode); // nothing is left to tidy that the kernel does not give back faster
}
