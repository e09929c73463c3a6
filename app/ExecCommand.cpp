#include "app/ExecCommand.h"

#include "app/config/PolicyLoader.h"
#include "sandbox/child/superviseCommand.h"

namespace spettro {

using namespace sandbox;

int execCommand(const CommandLine &line)
{
    const Result<FrozenPolicy> policy = loadPolicy(line.policy);
    if (!policy) {
        return reportError(policy.error());
    }
    std::vector<std::string> environment = commandEnvironment(*policy);
    const Result<CompiledPolicy> compiled =
        CompiledPolicy::create(*policy, probeHost(line.policy.landlockAbiLimit));
    if (!compiled) {
        return reportError(compiled.error());
    }
    StageRequest request = makeStageRequest(*compiled, line.command, std::move(environment));
    request.timeout = line.timeout;
    return superviseCommand(request);
}

} // namespace spettro
