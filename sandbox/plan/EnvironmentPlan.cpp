#include "sandbox/plan/EnvironmentPlan.h"

#include "sandbox/plan/VariableRules.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace spettro::sandbox {

namespace {

using enum VariableVerdict;

bool contains(const std::vector<std::string> &names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether one name is another as programs read it; npm takes its own in any case, the rest is exact.
bool isSameVariable(std::string_view left, std::string_view right)
{
    constexpr std::string_view NpmPrefix = "npm_config_";
    return left.starts_with(NpmPrefix) ? equalsInAnyCase(left, right) : left == right;
}

std::string joinPath(const std::vector<std::string> &entries)
{
    std::string path;
    for (const std::string &entry : entries) {
        if (&entry != &entries.front()) {
            path += ':';
        }
        path += entry;
    }
    return path;
}

struct Assignment
{
    std::string_view name;
    std::string_view value;
    VariableVerdict verdict;
};

class Planner
{
public:
    Planner(const std::vector<std::string> &environment, const EnvironmentOptions &options)
        : m_options(options)
    {
        takeAssignments(environment);
        collectKeyValues();
        chooseSettings();
    }

    std::vector<std::string> plan() const
    {
        std::vector<std::string> planned;
        planned.reserve(m_assignments.size() + m_settings.size());
        for (const Assignment &assignment : m_assignments) {
            if (isPassedOn(assignment)) {
                planned.push_back(std::string(assignment.name) + '=' + std::string(assignment.value));
            }
        }
        for (const auto &[name, value] : m_settings) {
            planned.push_back(name + '=' + value);
        }
        return planned;
    }

private:
    /// Keeps the first of repeated names: programs do not agree on which one counts, so only one may remain.
    void takeAssignments(const std::vector<std::string> &environment)
    {
        std::unordered_set<std::string_view> seen;
        for (const std::string_view entry : environment) {
            const std::size_t equals = entry.find('=');
            if (equals == 0 || equals == std::string_view::npos) {
                continue;
            }
            const std::string_view name = entry.substr(0, equals);
            if (seen.insert(name).second) {
                m_assignments.push_back({name, entry.substr(equals + 1), verdictOn(name)});
            }
        }
    }

    VariableVerdict verdictOn(std::string_view name) const
    {
        if (contains(m_options.allowedVariables, name)) {
            return Kept;
        }
        if (contains(m_options.modelKeyVariables, name)) {
            return ModelKey;
        }
        const VariableVerdict verdict = judgeVariable(name);
        return m_options.confined || verdict == ModelKey ? verdict : Kept;
    }

    /// Short values are left out: `none` or `ollama` stands for a key where none is needed, and elsewhere
    /// means something else.
    void collectKeyValues()
    {
        constexpr std::size_t ShortestKey = 16;
        for (const Assignment &assignment : m_assignments) {
            if (assignment.value.size() >= ShortestKey && assignment.verdict == ModelKey) {
                m_keyValues.push_back(assignment.value);
            }
        }
    }

    bool holdsModelKey(std::string_view value) const
    {
        return std::any_of(m_keyValues.begin(), m_keyValues.end(), [value](std::string_view key) {
            return value.find(key) != std::string_view::npos;
        });
    }

    bool isInherited(std::string_view name) const
    {
        return std::any_of(m_assignments.begin(), m_assignments.end(),
                           [name](const Assignment &assignment) { return assignment.name == name; });
    }

    bool isReplaced(std::string_view name) const
    {
        return std::any_of(m_settings.begin(), m_settings.end(),
                           [name](const auto &setting) { return isSameVariable(setting.first, name); });
    }

    bool isPassedOn(const Assignment &assignment) const
    {
        if (assignment.verdict != Kept || isReplaced(assignment.name)) {
            return false;
        }
        if (assignment.name == "OLDPWD" && !m_options.workingDirectory.empty()) {
            return false; // belongs to the shell that Spettro was started from
        }
        return contains(m_options.allowedVariables, assignment.name) || !holdsModelKey(assignment.value);
    }

    void set(std::string name, std::string value)
    {
        m_settings.emplace_back(std::move(name), std::move(value));
    }

    void chooseSettings()
    {
        if (!m_options.workingDirectory.empty()) {
            set("PWD", m_options.workingDirectory);
        }
        if (!m_options.confined) {
            return;
        }
        if (!m_options.reachablePath.empty()) {
            set("PATH", joinPath(m_options.reachablePath));
        }
        if (!m_options.temporaryDirectory.empty()) {
            setTemporaryDirectory();
        }
        if (m_options.network == NetworkMode::None || m_options.network == NetworkMode::Localhost) {
            setOffline();
        }
        if (m_options.readOnlyWorkspace) {
            set("GIT_OPTIONAL_LOCKS", "0"); // `git status` writes the index otherwise, and fails
        }
    }

    void setTemporaryDirectory()
    {
        for (const char *name : {"TMPDIR", "TMP", "TEMP"}) {
            set(name, m_options.temporaryDirectory);
        }
        if (isInherited("TMPPREFIX")) {
            set("TMPPREFIX", m_options.temporaryDirectory + "/zsh");
        }
    }

    /// Package managers retry for minutes what cannot succeed; told so, they use their caches or fail at
    /// once.
    void setOffline()
    {
        set("npm_config_offline", "true");
        set("npm_config_fetch_retries", "0");
        set("PIP_RETRIES", "0");
        set("PIP_DEFAULT_TIMEOUT", "1");
        set("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        set("CARGO_NET_OFFLINE", "true");
        set("GOPROXY", "off");
    }

    const EnvironmentOptions &m_options;
    std::vector<Assignment> m_assignments;
    std::vector<std::string_view> m_keyValues;
    std::vector<std::pair<std::string, std::string>> m_settings;
};

} // namespace

std::vector<std::string> planEnvironment(const std::vector<std::string> &environment,
                                         const EnvironmentOptions &options)
{
    return Planner(environment, options).plan();
}

} // namespace spettro::sandbox
