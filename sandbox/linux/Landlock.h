#pragma once

#include "sandbox/linux/Descriptor.h"
#include "sandbox/plan/LandlockPlan.h"
#include "sandbox/policy/FrozenPolicy.h"

namespace spettro::sandbox {

/// What the running kernel answers to the question for its Landlock ABI.
struct LandlockSupport
{
    int abi = 0;   ///< 0 where there is no Landlock.
    int error = 0; ///< The error number that says why; 0 where there is one.
};

/// Asks the kernel by the system call itself (landlock_create_ruleset(2), LANDLOCK_CREATE_RULESET_VERSION).
LandlockSupport queryLandlock();

/// Makes a ruleset from a plan, with the roots that it was planned for. Any rule that the kernel does not
/// take is an error of kind Unenforceable: there is no ruleset with a part of its rules.
Result<Descriptor> compileRuleset(const LandlockPlan &plan, const std::vector<Root> &roots);

/// Puts the calling thread under a ruleset for good; needs no_new_privs.
/// Returns 0 or the error number (E2BIG: 16 layers are in force already).
int restrictSelf(int ruleset);

} // namespace spettro::sandbox
