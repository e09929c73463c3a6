#pragma once

#include "sandbox/linux/Descriptor.h"
#include "sandbox/linux/Landlock.h"
#include "sandbox/plan/Promises.h"
#include "sandbox/plan/SyscallFilter.h"
#include "sandbox/policy/FrozenPolicy.h"

#include <memory>
#include <vector>

namespace spettro::sandbox {

/// What the running kernel offers. `abiLimit` (a test switch) can lower the Landlock ABI that is used, never
/// raise it.
HostFacts probeHost(int abiLimit);

/// A policy made ready for the kernel once, for all commands of a session: the ruleset by descriptor, the
/// syscall filter as a program. Copies share both.
class CompiledPolicy
{
public:
    /// Compiles a policy for a host. A required promise that no layer keeps here, and a ruleset that the kernel
    /// does not take whole, are errors of kind Unenforceable.
    static Result<CompiledPolicy> create(const FrozenPolicy &policy, const HostFacts &host);

    const FrozenPolicy &policy() const { return m_policy; }

    /// The ruleset, or -1 where Landlock has no part in the policy.
    int ruleset() const { return m_ruleset ? m_ruleset->number() : -1; }

    /// The syscall filter; empty where nothing is confined.
    const std::vector<BpfInstruction> &filter() const { return m_filter; }

private:
    CompiledPolicy(const FrozenPolicy &policy, std::shared_ptr<const Descriptor> ruleset,
                   std::vector<BpfInstruction> filter);

    FrozenPolicy m_policy;
    std::shared_ptr<const Descriptor> m_ruleset;
    std::vector<BpfInstruction> m_filter;
};

} // namespace spettro::sandbox
