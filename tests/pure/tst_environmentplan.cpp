// Which variables a command gets, which it does not, and what is set for it.

#include "sandbox/plan/EnvironmentPlan.h"
#include "sandbox/plan/VariableRules.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <set>

using namespace spettro::sandbox;
using namespace std::string_view_literals;

namespace {

constexpr unsigned Seed = 20261130;

using Strings = std::vector<std::string>;

EnvironmentOptions confined()
{
    EnvironmentOptions options;
    options.confined = true;
    return options;
}

QByteArray joined(const Strings &strings)
{
    QByteArray text;
    for (const std::string &string : strings)
        text += QByteArray::fromStdString(string) + " | ";
    return text;
}

bool holds(const Strings &environment, std::string_view entry)
{
    return std::find(environment.begin(), environment.end(), entry) != environment.end();
}

bool names(const Strings &environment, std::string_view name)
{
    return std::any_of(environment.begin(), environment.end(), [name](const std::string &entry) {
        return entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=';
    });
}

} // namespace

class tst_EnvironmentPlan : public QObject
{
    Q_OBJECT

private slots:
    void judges_data();
    void judges();
    void unconfinedLosesModelKeysOnly();
    void operatorsNamePassesExactly();
    void configuredKeysAreRemoved();
    void keyUnderAnotherNameIsRemoved();
    void dropsWhatIsNoAssignment();
    void keepsTheFirstOfRepeats();
    void bytesPassThrough();
    void setsTemporaryDirectory();
    void setsPath();
    void setsWorkingDirectory();
    void setsOffline_data();
    void setsOffline();
    void setsOptionalLocks();
    void fuzz();
};

void tst_EnvironmentPlan::judges_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<int>("verdict");
    const auto rows = [](VariableVerdict verdict, std::initializer_list<const char *> names) {
        for (const char *name : names)
            QTest::addRow("%s", name) << QByteArray(name) << int(verdict);
    };
    rows(VariableVerdict::Kept, {"PATH",
                                 "HOME",
                                 "USER",
                                 "LOGNAME",
                                 "SHELL",
                                 "PWD",
                                 "OLDPWD",
                                 "SHLVL",
                                 "_",
                                 "LANG",
                                 "LANGUAGE",
                                 "LC_ALL",
                                 "LC_MESSAGES",
                                 "TERM",
                                 "COLORTERM",
                                 "NO_COLOR",
                                 "COLUMNS",
                                 "TZ",
                                 "TMPDIR",
                                 "EDITOR",
                                 "PAGER",
                                 "KEYBOARD",
                                 "GIT_AUTHOR_NAME",
                                 "GIT_AUTHOR_EMAIL",
                                 "GIT_COMMITTER_NAME",
                                 "GIT_DIR",
                                 "GIT_CONFIG_GLOBAL",
                                 "GIT_CONFIG_NOSYSTEM",
                                 "CC",
                                 "CXX",
                                 "CFLAGS",
                                 "CXXFLAGS",
                                 "LDFLAGS",
                                 "MAKEFLAGS",
                                 "CMAKE_PREFIX_PATH",
                                 "PKG_CONFIG_PATH",
                                 "LD_LIBRARY_PATH",
                                 "LD_RUN_PATH",
                                 "XDG_CONFIG_HOME",
                                 "XDG_CACHE_HOME",
                                 "XDG_DATA_DIRS",
                                 "XDG_SESSION_TYPE",
                                 "SSL_CERT_FILE",
                                 "SSL_CERT_DIR",
                                 "TOKENIZERS_PARALLELISM",
                                 "MAX_TOKENS",
                                 "PYTHONPATH",
                                 "PYTHONUNBUFFERED",
                                 "VIRTUAL_ENV",
                                 "NODE_ENV",
                                 "NODE_PATH",
                                 "JAVA_HOME",
                                 "CLASSPATH",
                                 "GOPATH",
                                 "GOFLAGS",
                                 "CARGO_HOME",
                                 "RUSTFLAGS",
                                 "RUST_LOG",
                                 "CI",
                                 "DEBUG",
                                 "http_proxy",
                                 "NO_PROXY",
                                 "npm_config_cache",
                                 "PIP_INDEX_URL",
                                 "OPENAI_BASE_URL",
                                 "ENVIRONMENT",
                                 "MY_ENV",
                                 "COMPASS",
                                 "BYPASS",
                                 "DISPLAY_NAME",
                                 "TOKENS",
                                 "MONKEY",
                                 "KEY",
                                 "GPG_KEY",
                                 "SSH_TTY",
                                 "GITHUB_ACTIONS",
                                 "GITHUB_SHA",
                                 "NVIMRC"});
    rows(VariableVerdict::ModelKey, {"OPENAI_API_KEY",
                                     "openai_api_key",
                                     "OPENAI_API_KEY_2",
                                     "ANTHROPIC_API_KEY",
                                     "ANTHROPIC_AUTH_TOKEN",
                                     "GEMINI_API_KEY",
                                     "GOOGLE_API_KEY",
                                     "OPENROUTER_API_KEY",
                                     "MISTRAL_API_KEY",
                                     "GROQ_API_KEY",
                                     "DEEPSEEK_API_KEY",
                                     "XAI_API_KEY",
                                     "COHERE_API_KEY",
                                     "TOGETHER_API_KEY",
                                     "FIREWORKS_API_KEY",
                                     "AZURE_OPENAI_API_KEY",
                                     "HF_TOKEN",
                                     "HUGGING_FACE_HUB_TOKEN",
                                     "SPETTRO_API_KEY",
                                     "SPETTRO_X_KEY",
                                     "SPETTRO_KEY",
                                     "AWS_BEARER_TOKEN_BEDROCK"});
    rows(VariableVerdict::Credential, {"API_KEY",
                                       "STRIPE_API_KEY",
                                       "stripe_api_key",
                                       "SOME_APIKEY",
                                       "TOKEN",
                                       "token",
                                       "X_TOKEN",
                                       "GH_TOKEN",
                                       "GITHUB_TOKEN",
                                       "GITLAB_TOKEN",
                                       "GITLAB_PRIVATE_TOKEN",
                                       "GITLAB_TOKEN_2",
                                       "NPM_TOKEN",
                                       "CARGO_REGISTRY_TOKEN",
                                       "CLIENT_SECRET",
                                       "SECRET_KEY_BASE",
                                       "MY_SECRETS",
                                       "DB_PASSWORD",
                                       "PASSWORD",
                                       "PGPASSWORD",
                                       "MYSQL_PWD",
                                       "X_PASSWD",
                                       "SMTP_PASS",
                                       "GPG_PASSPHRASE",
                                       "X_CREDENTIAL",
                                       "X_CREDENTIALS",
                                       "GOOGLE_APPLICATION_CREDENTIALS",
                                       "DEPLOY_PRIVATE_KEY",
                                       "PRIVATE_KEY_PEM",
                                       "X_ACCESS_KEY",
                                       "X_ACCESS_KEY_ID",
                                       "AWS_PROFILE",
                                       "AWS_CA_BUNDLE",
                                       "AWS_SECRET_ACCESS_KEY",
                                       "AZURE_CLIENT_ID",
                                       "CLOUDSDK_AUTH_ACCESS_TOKEN",
                                       "NPM_CONFIG__AUTH",
                                       "npm_config__authToken",
                                       "npm_config_//registry.npmjs.org/:_authToken",
                                       "DOCKER_AUTH_CONFIG",
                                       "KUBECONFIG",
                                       "VAULT_ADDR",
                                       "DATABASE_URL",
                                       "APP_DATABASE_URL",
                                       "SENTRY_DSN",
                                       "NETRC",
                                       "RAILS_MASTER_KEY",
                                       "SLACK_WEBHOOK_URL"});
    rows(VariableVerdict::Injection, {"LD_PRELOAD",
                                      "LD_AUDIT",
                                      "LD_DEBUG_OUTPUT",
                                      "LD_PROFILE_OUTPUT",
                                      "DYLD_INSERT_LIBRARIES",
                                      "GCONV_PATH",
                                      "BASH_ENV",
                                      "ENV",
                                      "BASH_FUNC_ls%%",
                                      "PROMPT_COMMAND",
                                      "ZDOTDIR",
                                      "PYTHONSTARTUP",
                                      "PERL5OPT",
                                      "PERL5DB",
                                      "RUBYOPT",
                                      "NODE_OPTIONS",
                                      "JAVA_TOOL_OPTIONS",
                                      "_JAVA_OPTIONS",
                                      "GIT_EXTERNAL_DIFF",
                                      "GIT_SSH_COMMAND",
                                      "GIT_ASKPASS",
                                      "GIT_CONFIG_COUNT",
                                      "GIT_CONFIG_KEY_0",
                                      "GIT_CONFIG_PARAMETERS",
                                      "SSH_ASKPASS",
                                      "SSH_ASKPASS_REQUIRE",
                                      "SUDO_ASKPASS"});
    rows(VariableVerdict::OutsideService, {"SSH_AUTH_SOCK",
                                           "SSH_AGENT_PID",
                                           "GPG_AGENT_INFO",
                                           "DBUS_SESSION_BUS_ADDRESS",
                                           "DOCKER_HOST",
                                           "DOCKER_CONTEXT",
                                           "CONTAINER_HOST",
                                           "TMUX",
                                           "TMUX_PANE",
                                           "STY",
                                           "XDG_RUNTIME_DIR",
                                           "WAYLAND_DISPLAY",
                                           "DISPLAY",
                                           "XAUTHORITY",
                                           "VSCODE_IPC_HOOK_CLI",
                                           "NVIM",
                                           "NVIM_LISTEN_ADDRESS",
                                           "EMACS_SERVER_FILE",
                                           "PULSE_SERVER",
                                           "GNOME_KEYRING_CONTROL",
                                           "KDE_FULL_SESSION",
                                           "SESSION_MANAGER",
                                           "AT_SPI_BUS_ADDRESS",
                                           "LISTEN_FDS",
                                           "LISTEN_PID",
                                           "NOTIFY_SOCKET",
                                           "WSL_INTEROP",
                                           "GITHUB_ENV"});
}

void tst_EnvironmentPlan::judges()
{
    QFETCH(QByteArray, name);
    QFETCH(int, verdict);
    QCOMPARE(int(judgeVariable(name.toStdString())), verdict);
    // The plan does what the verdict says.
    const Strings planned = planEnvironment({name.toStdString() + "=x"}, confined());
    QCOMPARE(planned.empty(), verdict != int(VariableVerdict::Kept));
}

void tst_EnvironmentPlan::unconfinedLosesModelKeysOnly()
{
    EnvironmentOptions options;
    options.network = NetworkMode::All;
    options.temporaryDirectory = "/other";
    options.reachablePath = {"/usr/bin"};
    options.readOnlyWorkspace = true;
    const Strings given{"PATH=/bin", "OPENAI_API_KEY=k", "GH_TOKEN=t",      "LD_PRELOAD=x.so",
                        "TMPDIR=/t", "SSH_AUTH_SOCK=/s", "SPETTRO_X_KEY=k", "OLDPWD=/o"};
    const Strings expected{"PATH=/bin", "GH_TOKEN=t",       "LD_PRELOAD=x.so",
                           "TMPDIR=/t", "SSH_AUTH_SOCK=/s", "OLDPWD=/o"};
    QCOMPARE(joined(planEnvironment(given, options)), joined(expected));
}

void tst_EnvironmentPlan::operatorsNamePassesExactly()
{
    EnvironmentOptions options = confined();
    options.allowedVariables = {"GH_TOKEN", "OPENAI_API_KEY", "AWS_*", "NPM_TOKEN"};
    const Strings given{"GH_TOKEN=a",    "gh_token=b",   "OPENAI_API_KEY=c", "ANTHROPIC_API_KEY=d",
                        "AWS_PROFILE=e", "NPM_TOKENS=f", "XNPM_TOKEN=g"};
    const Strings expected{"GH_TOKEN=a", "OPENAI_API_KEY=c", "NPM_TOKENS=f"};
    QCOMPARE(joined(planEnvironment(given, options)), joined(expected));
    options.confined = false;
    options.allowedVariables = {"openai_api_key"};
    QVERIFY(!names(planEnvironment(given, options), "OPENAI_API_KEY"));
}

void tst_EnvironmentPlan::configuredKeysAreRemoved()
{
    EnvironmentOptions options;
    options.modelKeyVariables = {"MY_CREDS"};
    const Strings given{"MY_CREDS=sk-2", "MY_CREDS_2=x", "HOME=/h"};
    QCOMPARE(joined(planEnvironment(given, options)), joined({"MY_CREDS_2=x", "HOME=/h"}));
    options.allowedVariables = {"MY_CREDS"};
    QVERIFY(holds(planEnvironment(given, options), "MY_CREDS=sk-2"));
}

void tst_EnvironmentPlan::keyUnderAnotherNameIsRemoved()
{
    const Strings given{"COPY=sk-0123456789abcdef",
                        "HEADER=Bearer sk-0123456789abcdef!",
                        "OPENAI_API_KEY=sk-0123456789abcdef",
                        "OTHER=sk-0123456789abcde",
                        "GROQ_API_KEY=none",
                        "MODE=none"};
    EnvironmentOptions options;
    QCOMPARE(joined(planEnvironment(given, options)), joined({"OTHER=sk-0123456789abcde", "MODE=none"}));
    options.allowedVariables = {"COPY"};
    QVERIFY(names(planEnvironment(given, options), "COPY"));
    // A key that the operator lets through is no secret to a command any more.
    options.allowedVariables = {"OPENAI_API_KEY"};
    QVERIFY(names(planEnvironment(given, options), "HEADER"));
}

void tst_EnvironmentPlan::dropsWhatIsNoAssignment()
{
    const Strings given{"", "=", "=x", "NOEQUALS", "A=", "B==", "C=a=b"};
    QCOMPARE(joined(planEnvironment(given, {})), joined({"A=", "B==", "C=a=b"}));
}

void tst_EnvironmentPlan::keepsTheFirstOfRepeats()
{
    const Strings given{"A=1", "B=2", "A=3", "a=4", "PATH=/x", "PATH=/y"};
    QCOMPARE(joined(planEnvironment(given, confined())), joined({"A=1", "B=2", "a=4", "PATH=/x"}));
}

void tst_EnvironmentPlan::bytesPassThrough()
{
    const Strings given{"A=\xFF\xFE\n\x01", "B\xC3=x"};
    QVERIFY(planEnvironment(given, confined()) == given);
}

void tst_EnvironmentPlan::setsTemporaryDirectory()
{
    EnvironmentOptions options = confined();
    const Strings given{"TMP=/a", "tmp=/b", "TMPDIR=/c"};
    QCOMPARE(joined(planEnvironment(given, options)), joined(given));
    options.temporaryDirectory = "/t";
    QCOMPARE(joined(planEnvironment(given, options)), joined({"tmp=/b", "TMPDIR=/t", "TMP=/t", "TEMP=/t"}));
    QCOMPARE(joined(planEnvironment({"TMPPREFIX=/z"}, options)),
             joined({"TMPDIR=/t", "TMP=/t", "TEMP=/t", "TMPPREFIX=/t/zsh"}));
}

void tst_EnvironmentPlan::setsPath()
{
    EnvironmentOptions options = confined();
    options.reachablePath = {"/usr/bin", "/bin"};
    QCOMPARE(joined(planEnvironment({"PATH=/home/u/bin:/usr/bin:/bin", "A=1"}, options)),
             joined({"A=1", "PATH=/usr/bin:/bin"}));
    options.reachablePath = {};
    QCOMPARE(joined(planEnvironment({"PATH=/x"}, options)), joined({"PATH=/x"}));
}

void tst_EnvironmentPlan::setsWorkingDirectory()
{
    for (const bool isConfined : {false, true}) {
        EnvironmentOptions options;
        options.confined = isConfined;
        QCOMPARE(joined(planEnvironment({"PWD=/a", "OLDPWD=/b"}, options)), joined({"PWD=/a", "OLDPWD=/b"}));
        options.workingDirectory = "/w";
        QCOMPARE(joined(planEnvironment({"PWD=/a", "OLDPWD=/b"}, options)), joined({"PWD=/w"}));
    }
}

void tst_EnvironmentPlan::setsOffline_data()
{
    QTest::addColumn<bool>("isConfined");
    QTest::addColumn<int>("network");
    QTest::addColumn<bool>("isOffline");
    QTest::newRow("none") << true << int(NetworkMode::None) << true;
    QTest::newRow("localhost") << true << int(NetworkMode::Localhost) << true;
    QTest::newRow("ports") << true << int(NetworkMode::Ports) << false;
    QTest::newRow("all") << true << int(NetworkMode::All) << false;
    QTest::newRow("unconfined") << false << int(NetworkMode::None) << false;
}

void tst_EnvironmentPlan::setsOffline()
{
    QFETCH(bool, isConfined);
    QFETCH(int, network);
    QFETCH(bool, isOffline);
    EnvironmentOptions options;
    options.confined = isConfined;
    options.network = NetworkMode(network);
    const Strings given{
        "PIP_RETRIES=9", "GOPROXY=https://x", "NPM_CONFIG_OFFLINE=false", "npm_config_offline=false",
        "GOFLAGS=-v",    "pip_retries=9"};
    const Strings online = given;
    const Strings offline{"GOFLAGS=-v",
                          "pip_retries=9",
                          "npm_config_offline=true",
                          "npm_config_fetch_retries=0",
                          "PIP_RETRIES=0",
                          "PIP_DEFAULT_TIMEOUT=1",
                          "PIP_DISABLE_PIP_VERSION_CHECK=1",
                          "CARGO_NET_OFFLINE=true",
                          "GOPROXY=off"};
    QCOMPARE(joined(planEnvironment(given, options)), joined(isOffline ? offline : online));
}

void tst_EnvironmentPlan::setsOptionalLocks()
{
    EnvironmentOptions options = confined();
    QVERIFY(!names(planEnvironment({}, options), "GIT_OPTIONAL_LOCKS"));
    options.readOnlyWorkspace = true;
    QCOMPARE(joined(planEnvironment({"GIT_OPTIONAL_LOCKS=1"}, options)), joined({"GIT_OPTIONAL_LOCKS=0"}));
}

void tst_EnvironmentPlan::fuzz()
{
    std::mt19937 random(Seed);
    constexpr std::string_view Alphabet = "_TOKENAPIKEYSCR*=%/:\xFF\0"sv;
    EnvironmentOptions options = confined();
    options.network = NetworkMode::None;
    options.temporaryDirectory = "/t";
    options.workingDirectory = "/w";
    options.reachablePath = {"/usr/bin"};
    for (int i = 0; i < 10000; ++i) {
        Strings given;
        for (std::size_t count = random() % 8; count > 0; --count) {
            std::string entry(random() % 20, '\0');
            for (char &byte : entry)
                byte = Alphabet[random() % Alphabet.size()];
            given.push_back(entry + "=secret");
        }
        const Strings planned = planEnvironment(given, options);
        const QByteArray shown =
            "seed " + QByteArray::number(Seed) + ": " + joined(given).toPercentEncoding();
        std::set<std::string> seen;
        for (const std::string &entry : planned) {
            const std::string name = entry.substr(0, entry.find('='));
            QVERIFY2(!name.empty() && entry.size() > name.size(), shown);
            QVERIFY2(seen.insert(name).second, shown);
            QVERIFY2(judgeVariable(name) == VariableVerdict::Kept, shown);
        }
        // A plan has nothing left to plan.
        Strings again = planEnvironment(planned, options);
        QVERIFY2(again == planned, shown);
    }
}

QTEST_APPLESS_MAIN(tst_EnvironmentPlan)
#include "tst_environmentplan.moc"
