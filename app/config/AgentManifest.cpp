#include "app/config/AgentManifest.h"

#include "sandbox/policy/Text.h"

#include <algorithm>

namespace spettro {

using namespace sandbox;

namespace {

bool isWide(const std::optional<std::string> &permission)
{
    return permission && *permission != "ask-first";
}

} // namespace

const ManifestAgent *AgentManifest::agent(std::string_view id) const
{
    const std::string_view wanted = id.empty() ? defaultAgent : id;
    const auto found = std::find_if(agents.begin(), agents.end(), [wanted](const ManifestAgent &agent) {
        return agent.id == wanted && agent.enabled;
    });
    return found != agents.end() ? &*found : nullptr;
}

const ManifestTool *AgentManifest::tool(std::string_view id) const
{
    const auto found =
        std::find_if(tools.begin(), tools.end(), [id](const ManifestTool &tool) { return tool.id == id; });
    return found != tools.end() ? &*found : nullptr;
}

bool AgentManifest::offers(const ManifestAgent *agent, std::string_view tool) const
{
    const ManifestTool *said = this->tool(tool);
    if (said != nullptr && !said->enabled) {
        return false;
    }
    if (agent == nullptr || !agent->allowedTools) {
        return true;
    }
    return std::find(agent->allowedTools->begin(), agent->allowedTools->end(), tool)
           != agent->allowedTools->end();
}

std::vector<std::string> wideningLines(const AgentManifest &manifest)
{
    std::vector<std::string> lines;
    const ManifestRuntime &runtime = manifest.runtime;
    if (isWide(runtime.defaultPermission)) {
        lines.push_back("default_permission = " + *runtime.defaultPermission);
    }
    if (runtime.provider) {
        lines.push_back("provider = " + text::escaped(*runtime.provider));
    }
    if (runtime.baseUrl) {
        lines.push_back("base_url = " + text::escaped(*runtime.baseUrl));
    }
    for (const ManifestAgent &agent : manifest.agents) {
        if (agent.enabled && isWide(agent.permission)) {
            lines.push_back("agents." + text::escaped(agent.id) + ".permission = " + *agent.permission);
        }
    }
    return lines;
}

} // namespace spettro
