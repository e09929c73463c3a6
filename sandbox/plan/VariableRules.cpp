#include "sandbox/plan/VariableRules.h"

#include <algorithm>
#include <array>

namespace spettro::sandbox {

namespace {

struct Rule
{
    std::string_view pattern; ///< In upper case; `*` stands for any text, also for none.
    VariableVerdict verdict;
};

using enum VariableVerdict;

// Judged from the top, the first match counts. A new rule needs a reason that its neighbours share; a name
// that is merely unusual stays, because a build that lacks a variable is hard to explain.
constexpr std::array Rules{
    // Keys of model providers. Spettro itself uses them, no command does; removed also without a sandbox.
    Rule{"OPENAI_*KEY*", ModelKey},
    Rule{"ANTHROPIC_*KEY*", ModelKey},
    Rule{"ANTHROPIC_AUTH_TOKEN", ModelKey},
    Rule{"CLAUDE_CODE_OAUTH_TOKEN", ModelKey},
    Rule{"GEMINI_API_KEY*", ModelKey},
    Rule{"GOOGLE_API_KEY*", ModelKey},
    Rule{"GOOGLE_GENERATIVE_AI_API_KEY", ModelKey},
    Rule{"AZURE_OPENAI_*KEY*", ModelKey},
    Rule{"AZURE_OPENAI_AD_TOKEN", ModelKey},
    Rule{"AZURE_AI_API_KEY", ModelKey},
    Rule{"AZURE_API_KEY", ModelKey},
    Rule{"AWS_BEARER_TOKEN_BEDROCK", ModelKey},
    Rule{"AI_GATEWAY_API_KEY", ModelKey},
    Rule{"AI21_API_KEY", ModelKey},
    Rule{"ANYSCALE_API_KEY", ModelKey},
    Rule{"CEREBRAS_API_KEY", ModelKey},
    Rule{"COHERE_API_KEY", ModelKey},
    Rule{"CO_API_KEY", ModelKey}, // Cohere's own libraries
    Rule{"DASHSCOPE_API_KEY", ModelKey},
    Rule{"DEEPINFRA_API_KEY", ModelKey},
    Rule{"DEEPINFRA_API_TOKEN", ModelKey},
    Rule{"DEEPSEEK_API_KEY", ModelKey},
    Rule{"FIREWORKS_API_KEY", ModelKey},
    Rule{"FIREWORKS_AI_API_KEY", ModelKey},
    Rule{"GROQ_API_KEY", ModelKey},
    Rule{"HF_TOKEN", ModelKey},
    Rule{"HF_API_TOKEN", ModelKey},
    Rule{"HUGGING_FACE_HUB_TOKEN", ModelKey},
    Rule{"HUGGINGFACE_*KEY", ModelKey},
    Rule{"HUGGINGFACE_*TOKEN", ModelKey},
    Rule{"LITELLM_*KEY", ModelKey},
    Rule{"MINIMAX_API_KEY", ModelKey},
    Rule{"MISTRAL_API_KEY", ModelKey},
    Rule{"CODESTRAL_API_KEY", ModelKey},
    Rule{"MOONSHOT_API_KEY", ModelKey},
    Rule{"NVIDIA_API_KEY", ModelKey},
    Rule{"NVIDIA_NIM_API_KEY", ModelKey},
    Rule{"OLLAMA_API_KEY", ModelKey},
    Rule{"OPENROUTER_API_KEY", ModelKey},
    Rule{"PERPLEXITY_API_KEY", ModelKey},
    Rule{"PERPLEXITYAI_API_KEY", ModelKey},
    Rule{"REPLICATE_API_*", ModelKey},
    Rule{"SAMBANOVA_API_KEY", ModelKey},
    Rule{"TOGETHER_API_KEY", ModelKey},
    Rule{"TOGETHERAI_API_KEY", ModelKey},
    Rule{"TOGETHER_AI_API_KEY", ModelKey},
    Rule{"VOYAGE_API_KEY", ModelKey},
    Rule{"XAI_API_KEY", ModelKey},
    Rule{"ZAI_API_KEY", ModelKey},
    Rule{"ZHIPUAI_API_KEY", ModelKey},
    Rule{"SPETTRO*_KEY", ModelKey},
    Rule{"SPETTRO*_TOKEN", ModelKey},

    // A program that is loaded into, or started by, every command of some kind. It lies where the operator
    // has it, mostly in the closed home tree, so that commands would fail for a reason that nobody sees.
    // LD_LIBRARY_PATH, PYTHONPATH, CLASSPATH and the like stay: toolchains cannot be found without them.
    Rule{"LD_PRELOAD", Injection},
    Rule{"LD_AUDIT", Injection},
    Rule{"LD_DEBUG*", Injection},   // writes into every command's output, or to files beside it
    Rule{"LD_PROFILE*", Injection}, // the same
    Rule{"DYLD_INSERT_LIBRARIES", Injection},
    Rule{"GCONV_PATH", Injection}, // glibc loads character set modules from it
    Rule{"MALLOC_TRACE", Injection},
    Rule{"HOSTALIASES", Injection},
    // Read by shells at start or at each prompt; a shell that Spettro starts shall do what the command says.
    Rule{"BASH_ENV", Injection},
    Rule{"ENV", Injection},
    Rule{"ZDOTDIR", Injection},
    Rule{"BASH_FUNC_*", Injection}, // a function shadows the command of its name
    Rule{"PROMPT_COMMAND", Injection},
    Rule{"PS0", Injection},
    Rule{"PS4", Injection},
    Rule{"SHELLOPTS", Injection},
    Rule{"BASHOPTS", Injection},
    Rule{"CDPATH", Injection}, // sends `cd src` somewhere else
    // Options and start files of language runtimes.
    Rule{"PYTHONSTARTUP", Injection},
    Rule{"PYTHONINSPECT", Injection}, // waits for a person after each script
    Rule{"PYTHONBREAKPOINT", Injection},
    Rule{"PERL5OPT", Injection},
    Rule{"PERL5DB", Injection},
    Rule{"RUBYOPT", Injection},
    Rule{"NODE_OPTIONS", Injection},
    Rule{"NODE_REPL_EXTERNAL_MODULE", Injection},
    Rule{"JAVA_TOOL_OPTIONS", Injection},
    Rule{"JDK_JAVA_OPTIONS", Injection},
    Rule{"_JAVA_OPTIONS", Injection},
    // Programs that git, ssh, sudo and less start; all of them talk to a person or to an editor's server.
    Rule{"GIT_EXTERNAL_DIFF", Injection},
    Rule{"GIT_SSH", Injection},
    Rule{"GIT_SSH_COMMAND", Injection},
    Rule{"GIT_PROXY_COMMAND", Injection},
    Rule{"GIT_ASKPASS", Injection},
    Rule{"GIT_CONFIG_PARAMETERS", Injection}, // git options: commands to start, and headers with passwords
    Rule{"GIT_CONFIG_COUNT", Injection},
    Rule{"GIT_CONFIG_KEY_*", Injection},
    Rule{"GIT_CONFIG_VALUE_*", Injection},
    Rule{"SSH_ASKPASS*", Injection},
    Rule{"SUDO_ASKPASS", Injection},
    Rule{"LESSOPEN", Injection},
    Rule{"LESSCLOSE", Injection},

    // Sockets and files of programs outside. They cannot be reached; without the variable programs say so
    // at once or go without, with it they wait, retry, or fail with a message about permissions.
    Rule{"SSH_AUTH_SOCK", OutsideService},
    Rule{"SSH_AGENT_PID", OutsideService},
    Rule{"GPG_AGENT_INFO", OutsideService},
    Rule{"GNOME_KEYRING_*", OutsideService},
    Rule{"DBUS_*", OutsideService},
    Rule{"XDG_RUNTIME_DIR", OutsideService},
    Rule{"DISPLAY", OutsideService},
    Rule{"XAUTHORITY", OutsideService},
    Rule{"WAYLAND_*", OutsideService},
    Rule{"SESSION_MANAGER", OutsideService},
    Rule{"AT_SPI_BUS_ADDRESS", OutsideService},
    Rule{"IBUS_ADDRESS", OutsideService},
    Rule{"PULSE_*", OutsideService},
    Rule{"PIPEWIRE_*", OutsideService},
    Rule{"KDE_*", OutsideService},
    Rule{"I3SOCK", OutsideService},
    Rule{"SWAYSOCK", OutsideService},
    Rule{"HYPRLAND_*", OutsideService},
    Rule{"NIRI_SOCKET", OutsideService},
    Rule{"WSL_INTEROP", OutsideService}, // starts programs on the Windows side
    // Container engines run what they are told as root.
    Rule{"DOCKER_AUTH_CONFIG", Credential},
    Rule{"DOCKER_*PASSWORD*", Credential},
    Rule{"DOCKER_*TOKEN*", Credential},
    Rule{"DOCKER_*", OutsideService},
    Rule{"CONTAINER_HOST", OutsideService},
    Rule{"CONTAINERD_ADDRESS", OutsideService},
    Rule{"BUILDKIT_HOST", OutsideService},
    Rule{"PODMAN_*", OutsideService},
    // Terminals and editors that take commands.
    Rule{"TMUX", OutsideService},
    Rule{"TMUX_*", OutsideService},
    Rule{"STY", OutsideService},
    Rule{"ZELLIJ*", OutsideService},
    Rule{"KITTY_LISTEN_ON", OutsideService},
    Rule{"WEZTERM_UNIX_SOCKET", OutsideService},
    Rule{"ALACRITTY_SOCKET", OutsideService},
    Rule{"GNOME_TERMINAL_*", OutsideService},
    Rule{"VSCODE_*", OutsideService},
    Rule{"NVIM", OutsideService},
    Rule{"NVIM_*", OutsideService},
    Rule{"EMACS_SERVER*", OutsideService},
    // The service manager's.
    Rule{"LISTEN_FDS", OutsideService},
    Rule{"LISTEN_PID", OutsideService},
    Rule{"LISTEN_FDNAMES", OutsideService},
    Rule{"NOTIFY_SOCKET", OutsideService},
    Rule{"WATCHDOG_PID", OutsideService},
    Rule{"WATCHDOG_USEC", OutsideService},
    Rule{"JOURNAL_STREAM", OutsideService},
    // What is written to these files acts in later steps of a CI job.
    Rule{"GITHUB_ENV", OutsideService},
    Rule{"GITHUB_PATH", OutsideService},
    Rule{"GITHUB_OUTPUT", OutsideService},
    Rule{"GITHUB_STATE", OutsideService},

    // Credentials by the words in their names.
    Rule{"API_KEY", Credential},
    Rule{"APIKEY", Credential},
    Rule{"*_API_KEY", Credential},
    Rule{"*_API_KEY_*", Credential},
    Rule{"*_APIKEY", Credential},
    Rule{"TOKEN", Credential},
    Rule{"*_TOKEN", Credential},
    Rule{"*_ACCESS_TOKEN_*", Credential},
    Rule{"*_AUTH_TOKEN_*", Credential},
    Rule{"*AUTHTOKEN", Credential}, // npm_config_//registry.npmjs.org/:_authToken
    Rule{"*_AUTH", Credential},
    Rule{"*_JWT", Credential},
    Rule{"*_PAT", Credential},
    Rule{"*SECRET*", Credential},
    Rule{"*PASSWORD*", Credential},
    Rule{"*PASSWD*", Credential},
    Rule{"*_PASS", Credential},
    Rule{"*PASSPHRASE*", Credential},
    Rule{"*_CREDENTIAL", Credential},
    Rule{"*CREDENTIALS*", Credential},
    Rule{"*_COOKIE", Credential},
    Rule{"*PRIVATE_KEY*", Credential},
    Rule{"*_ACCESS_KEY*", Credential},
    Rule{"*_ACCOUNT_KEY", Credential},
    Rule{"*_APPLICATION_KEY", Credential},
    Rule{"*_ENCRYPTION_KEY*", Credential},
    Rule{"*_MASTER_KEY", Credential},
    Rule{"*_SERVICE_KEY", Credential},
    Rule{"*_SIGNING_KEY*", Credential},
    Rule{"*_DEPLOY_KEY", Credential},
    Rule{"*_SSH_KEY", Credential},
    // Addresses that carry a password or are one.
    Rule{"*_DSN", Credential},
    Rule{"DATABASE_URL", Credential},
    Rule{"*_DATABASE_URL", Credential},
    Rule{"DB_URL", Credential},
    Rule{"POSTGRES_URL", Credential},
    Rule{"MYSQL_URL", Credential},
    Rule{"MONGO_URL", Credential},
    Rule{"MONGODB_URI", Credential},
    Rule{"REDIS_URL", Credential},
    Rule{"AMQP_URL", Credential},
    Rule{"RABBITMQ_URL", Credential},
    Rule{"*_BROKER_URL", Credential},
    Rule{"*_CONNECTION_STRING", Credential},
    Rule{"*_WEBHOOK", Credential},
    Rule{"*_WEBHOOK_URL", Credential},
    // Single products.
    Rule{"AWS_*", Credential},
    Rule{"AZURE_*", Credential},
    Rule{"CLOUDSDK_AUTH*", Credential},
    Rule{"ACTIONS_ID_TOKEN_*", Credential},
    Rule{"ACTIONS_RUNTIME_*", Credential},
    Rule{"CI_JOB_JWT*", Credential},
    Rule{"TF_TOKEN_*", Credential},
    Rule{"GITLAB_*TOKEN*", Credential},
    Rule{"NPM_CONFIG__*", Credential},  // _auth, _authToken, _password
    Rule{"NPM_CONFIG_//*", Credential}, // the same for one registry
    Rule{"KUBECONFIG", Credential},
    Rule{"VAULT_*", Credential},
    Rule{"BW_SESSION", Credential},
    Rule{"OP_SESSION_*", Credential},
    Rule{"MYSQL_PWD", Credential},
    Rule{"PGPASSFILE", Credential},
    Rule{"PGSERVICEFILE", Credential},
    Rule{"NETRC", Credential},
    Rule{"BOTO_CONFIG", Credential},
};

constexpr char toUpper(char character)
{
    return character >= 'a' && character <= 'z' ? static_cast<char>(character - 'a' + 'A') : character;
}

/// Matches greedily and goes back to the last `*` only, which is enough where `*` is the only wildcard.
bool matches(std::string_view pattern, std::string_view name)
{
    if (pattern[0] != '*' && (name.empty() || pattern[0] != toUpper(name[0]))) {
        return false; // most pairs end here: each variable of each command meets each rule
    }
    std::size_t inPattern = 0;
    std::size_t inName = 0;
    std::size_t afterStar = std::string_view::npos;
    std::size_t starEnd = 0;
    while (inName < name.size()) {
        if (inPattern < pattern.size() && pattern[inPattern] == '*') {
            afterStar = ++inPattern;
            starEnd = inName;
        } else if (inPattern < pattern.size() && pattern[inPattern] == toUpper(name[inName])) {
            ++inPattern;
            ++inName;
        } else if (afterStar != std::string_view::npos) {
            inPattern = afterStar;
            inName = ++starEnd;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', inPattern) == std::string_view::npos;
}

} // namespace

VariableVerdict judgeVariable(std::string_view name)
{
    for (const Rule &rule : Rules) {
        if (matches(rule.pattern, name)) {
            return rule.verdict;
        }
    }
    return Kept;
}

bool equalsInAnyCase(std::string_view left, std::string_view right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return toUpper(a) == toUpper(b); });
}

} // namespace spettro::sandbox
