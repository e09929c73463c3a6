#pragma once

#include "sandbox/policy/Manifest.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spettro {

/// The keys of `[runtime]` that are not the policy's. What is not said is not set.
struct ManifestRuntime
{
    std::optional<std::string> defaultPermission; ///< `ask-first`, `restricted` or `yolo`.
    std::optional<int> defaultTimeoutSec;         ///< At least 1.
    std::optional<bool> logToolCalls;
    std::optional<std::string> provider; ///< Whether there is one of this name, only its user knows.
    std::optional<std::string> model;
    std::optional<std::string> baseUrl;     ///< Begins with `https://` or `http://`; not looked at further.
    std::optional<long long> contextTokens; ///< At least 1.

    bool operator==(const ManifestRuntime &) const = default;
};

/// One of `[[agents]]`.
struct ManifestAgent
{
    std::string id;
    std::string name;   ///< For people; the id where nothing was said.
    std::string prompt; ///< Empty where nothing was said, or where it is in a file.
    std::string
        promptFile; ///< Relative to the manifest's folder and without `..`; a link may still lead out of it.
    std::optional<std::vector<std::string>> allowedTools; ///< Of `OwnTools`, each once; not set: all of them.
    std::optional<std::string> permission;                ///< As `defaultPermission`.
    std::optional<std::string> model;
    bool enabled = true;
    std::string place; ///< `spettro.agents.toml:LINE:COLUMN`.

    bool operator==(const ManifestAgent &) const = default;
};

/// One of `[[tools]]`. Its `permission_rules` are in `ManifestRules`.
struct ManifestTool
{
    std::string id; ///< One of `OwnTools`.
    bool enabled = true;
    std::optional<int> timeoutSec; ///< At least 1.
    bool requiresApproval = false; ///< True asks where nothing else would; false means nothing.
    std::string place;             ///< `spettro.agents.toml:LINE:COLUMN`.

    bool operator==(const ManifestTool &) const = default;
};

/// What a manifest says of agents, of tools and of how a session is started.
struct AgentManifest
{
    std::string defaultAgent; ///< Empty where there are no agents.
    ManifestRuntime runtime;
    std::vector<ManifestAgent> agents;
    std::vector<ManifestTool> tools;
    std::vector<std::string> warnings; ///< What has no effect, a line each that begins with its place.

    /// The agent of this id, of an empty one the default agent; null where there is none or it is not enabled.
    const ManifestAgent *agent(std::string_view id) const;

    /// What is said of a tool; null where nothing is.
    const ManifestTool *tool(std::string_view id) const;

    /// Whether one of `OwnTools` is enabled and, where there is an agent, on its list.
    bool offers(const ManifestAgent *agent, std::string_view tool) const;

    bool operator==(const AgentManifest &) const = default;
};

/// The newest schema that is understood; a manifest that says a higher `version` is refused.
inline constexpr int NewestManifestVersion = 10;

/// Reads everything of a manifest but the policy (`parseManifest`) and the permission rules (`parseManifestRules`).
/// A value of a wrong type or content, ids that are doubled or do not exist, and unknown keys that touch safety are
/// usage errors with file, line and column. Other unknown keys, and what only the original Spettro does, become
/// warnings.
sandbox::Result<AgentManifest> parseAgentManifest(std::string_view text, const sandbox::ManifestPlace &place);

/// What a manifest widens, a line each: permissions that ask less than `ask-first`, and where the project's text would
/// be sent.
std::vector<std::string> wideningLines(const AgentManifest &manifest);

} // namespace spettro
