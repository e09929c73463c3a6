#include "tools/shell/CommandEnvironment.h"

#include <array>

namespace spettro {

namespace {

struct Setting
{
    const char *name;
    const char *value;
};

constexpr std::array UnattendedSettings{
    Setting{"PAGER", "cat"},
    Setting{"GIT_PAGER", "cat"},
    Setting{"MANPAGER", "cat"},
    Setting{"GIT_TERMINAL_PROMPT", "0"},
    // Fails, where `true` would let `git rebase -i` rewrite history as if it had been looked at.
    Setting{"EDITOR", "false"},
    Setting{"VISUAL", "false"},
    Setting{"GIT_EDITOR", "false"},
    Setting{"GIT_SEQUENCE_EDITOR", "false"},
    Setting{"GIT_ASKPASS", "false"},
    Setting{"SSH_ASKPASS", "false"},
    Setting{"SSH_ASKPASS_REQUIRE", "never"},
    Setting{"SUDO_ASKPASS", "false"},
    Setting{"DEBIAN_FRONTEND", "noninteractive"},
    Setting{"TERM", "dumb"},
};

} // namespace

std::vector<std::string> withVariable(std::vector<std::string> environment, std::string_view name,
                                      const std::string &value)
{
    const std::string prefix = std::string(name) + '=';
    std::erase_if(environment, [&prefix](const std::string &entry) { return entry.starts_with(prefix); });
    environment.push_back(prefix + value);
    return environment;
}

std::vector<std::string> unattended(std::vector<std::string> environment)
{
    for (const Setting &setting : UnattendedSettings) {
        environment = withVariable(std::move(environment), setting.name, setting.value);
    }
    return environment;
}

} // namespace spettro
