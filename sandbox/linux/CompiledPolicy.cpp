#include "sandbox/linux/CompiledPolicy.h"

#include "sandbox/linux/NativeArchitecture.h"
#include "sandbox/linux/SyscallFilterInstaller.h"
#include "sandbox/plan/LandlockPlan.h"

#include <algorithm>
#include <string>

namespace spettro::sandbox {

namespace {

FilterOptions filterOptions(const FrozenPolicy &policy, int abi)
{
    const bool confinesFiles = policy.mode() != FileSystemMode::Off;
    FilterOptions options;
    options.architecture = NativeArchitecture;
    options.network = policy.network().mode;
    options.unixSockets = confinesFiles && abi >= 9 ? UnixSockets::Mediated : UnixSockets::Refused;
    options.truncation = confinesFiles && abi < 3 ? TruncationGuard::ByFilter : TruncationGuard::ByLandlock;
    options.broadcastSignals =
        abi < 6 ? BroadcastSignals::RefusedByFilter : BroadcastSignals::ScopedByLandlock;
    return options;
}

Error brokenPromise(const PromiseState &state)
{
    return {ErrorKind::Unenforceable, std::string(nameOf(state.promise)) + ": " + state.layer, 0};
}

} // namespace

HostFacts probeHost(int abiLimit)
{
    const LandlockSupport landlock = queryLandlock();
    return {std::min(landlock.abi, abiLimit), landlock.error, canInstallSyscallFilter()};
}

CompiledPolicy::CompiledPolicy(const FrozenPolicy &policy, std::shared_ptr<const Descriptor> ruleset,
                               std::vector<BpfInstruction> filter)
    : m_policy(policy), m_ruleset(std::move(ruleset)), m_filter(std::move(filter))
{}

Result<CompiledPolicy> CompiledPolicy::create(const FrozenPolicy &policy, const HostFacts &host)
{
    for (const PromiseState &state : assessPromises(policy.mode(), policy.network(), host)) {
        if (state.asked && state.required && !state.kept) {
            return brokenPromise(state);
        }
    }
    if (!policy.isConfined()) {
        return CompiledPolicy(policy, nullptr, {});
    }
    std::shared_ptr<const Descriptor> ruleset;
    if (const LandlockPlan plan = planLandlock(policy, host.landlockAbi); !plan.isEmpty()) {
        Result<Descriptor> compiled = compileRuleset(plan, policy.roots());
        if (!compiled) {
            return compiled.error();
        }
        ruleset = std::make_shared<const Descriptor>(std::move(compiled).value());
    }
    return CompiledPolicy(policy, std::move(ruleset),
                          planSyscallFilter(filterOptions(policy, host.landlockAbi)));
}

} // namespace spettro::sandbox
