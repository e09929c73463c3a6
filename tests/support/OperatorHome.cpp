#include "tests/support/OperatorHome.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>

namespace spettro::test {

namespace {

const QString SystemPath = "/usr/local/bin:/usr/bin:/bin";

/// Programs whose package has another name.
const QHash<QString, QString> &packages()
{
    static const QHash<QString, QString> names{
        {"cc", "gcc"},
        {"node", "nodejs"},
        {"script", "bsdutils"},
        {"ssh-keygen", "openssh-client"},
        {"vim.tiny", "vim-tiny"},
        {"javac", "default-jdk-headless"},
        {"xz", "xz-utils"},
        {"find", "findutils"},
        {"setsid", "util-linux"},
    };
    return names;
}

} // namespace

OperatorHome::OperatorHome()
{
    QDir home(folder());
    for (const char *name : {"tmp", ".cargo", ".config/pip", ".ssh", ".npm/_cacache"}) {
        home.mkpath(name);
    }
    writeFile(home.filePath(".gitconfig"),
              "[user]\n\tname = The Operator\n\temail = operator@example.invalid\n"
              "[init]\n\tdefaultBranch = main\n[core]\n\texcludesFile = ~/.gitignore\n");
    writeFile(home.filePath(".gitignore"), "*.ignored\n");
    writeFile(home.filePath(".cargo/config.toml"), "[term]\nverbose = false\n");
    writeFile(home.filePath(".config/pip/pip.conf"), "[global]\ntimeout = 3\n");
    writeFile(home.filePath(".npmrc"), "//registry.npmjs.org/:_authToken=npm_secret\n");
    writeFile(home.filePath(".ssh/config"), "Host *\n\tUser operator\n");
    writeFile(home.filePath(".bashrc"), "echo noise of .bashrc\nexit 9\n");
    writeFile(home.filePath(".profile"), "echo noise of .profile\nexit 9\n");
}

QString OperatorHome::temporary(const QString &name) const
{
    return QDir(folder()).filePath(name.isEmpty() ? QString("tmp") : "tmp/" + name);
}

QProcessEnvironment OperatorHome::environment() const
{
    QProcessEnvironment environment;
    environment.insert("HOME", folder());
    environment.insert("PATH", SystemPath);
    environment.insert("TMPDIR", temporary());
    environment.insert("LANG", "C.UTF-8");
    environment.insert("SHELL", "/bin/bash");
    environment.insert("TERM", "xterm");
    environment.insert("BASH_ENV", folder() + "/.bashrc");
    environment.insert("ENV", folder() + "/.profile");
    for (const char *name : {"USER", "LOGNAME", "UBSAN_OPTIONS", "ASAN_OPTIONS"}) {
        if (qEnvironmentVariableIsSet(name)) {
            environment.insert(name, qEnvironmentVariable(name));
        }
    }
    return environment;
}

RunResult OperatorHome::exec(const QStringList &flags, const QStringList &command, RunOptions options) const
{
    if (options.environment == QProcessEnvironment::systemEnvironment()) {
        options.environment = environment();
    }
    return m_fixture.exec(flags, command, std::move(options));
}

QStringList missingPackages(const QStringList &programs)
{
    QStringList missing;
    for (const QString &program : programs) {
        const QStringList folders = SystemPath.split(':');
        const bool isInstalled = std::any_of(folders.begin(), folders.end(), [&](const QString &folder) {
            return QFileInfo(folder + '/' + program).isExecutable();
        });
        if (!isInstalled) {
            missing << packages().value(program, program);
        }
    }
    return missing;
}

} // namespace spettro::test
