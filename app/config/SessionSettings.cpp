#include "app/config/SessionSettings.h"

#include "app/config/ManifestFile.h"
#include "sandbox/policy/Text.h"

namespace spettro {

using namespace sandbox;

namespace {

void mergeModel(ModelFlags &model, const ManifestRuntime &runtime, const ManifestAgent *agent)
{
    if (!model.provider.empty()) {
        return;
    }
    model.provider = runtime.provider.value_or("");
    if (model.baseUrl.empty()) {
        model.baseUrl = runtime.baseUrl.value_or("");
    }
    if (model.model.empty()) {
        model.model = agent != nullptr && agent->model ? *agent->model : runtime.model.value_or("");
    }
    if (model.contextTokens == 0) {
        model.contextTokens = runtime.contextTokens.value_or(0);
    }
}

void mergePermission(SessionSettings &settings, const ManifestRuntime &runtime, const ManifestAgent *agent)
{
    if (!settings.permission.empty()) {
        settings.permissionPlace = "--permission";
    } else if (agent != nullptr && agent->permission) {
        settings.permission = *agent->permission;
        settings.permissionPlace = agent->place;
    } else if (runtime.defaultPermission) {
        settings.permission = *runtime.defaultPermission;
        settings.permissionPlace = std::string(ManifestName) + ", default_permission";
    }
}

} // namespace

Result<SessionSettings> mergeSession(const CommandLine &line, const AgentManifest &manifest)
{
    const ManifestAgent *agent = manifest.agent(line.agent);
    if (agent == nullptr && !line.agent.empty()) {
        return Error{ErrorKind::Usage,
                     "--agent: " + std::string(ManifestName) + " has no agent " + text::quoted(line.agent)
                         + ", or it is not enabled",
                     0};
    }
    SessionSettings settings;
    settings.model = line.model;
    settings.permission = line.permission;
    mergeModel(settings.model, manifest.runtime, agent);
    mergePermission(settings, manifest.runtime, agent);
    settings.logToolCalls = manifest.runtime.logToolCalls.value_or(true);
    if (agent != nullptr) {
        settings.agentId = agent->id;
        settings.prompt = agent->prompt;
        settings.promptFile = agent->promptFile;
    }
    return settings;
}

} // namespace spettro
