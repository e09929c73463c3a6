#pragma once

#include "sandbox/doctor/Diagnosis.h"
#include "sandbox/doctor/HeldSignals.h"
#include "sandbox/doctor/ScratchPlace.h"
#include "sandbox/linux/freezePolicy.h"
#include "sandbox/policy/FrozenPolicy.h"

#include <functional>
#include <string>
#include <vector>

namespace spettro::sandbox {

/// What doctor needs to know.
struct DoctorRequest
{
    FrozenPolicy policy; ///< The asked policy, with the scratch workspace in the place of the workspace.
    FreezeOptions freezeOptions; ///< What it was frozen with.
    HostFacts host;
    int kernelAbi = 0; ///< The Landlock ABI of the kernel, whatever `host` says for a test.
    std::vector<std::string> environment; ///< The operator's.

    /// What a command gets of an environment.
    std::function<std::vector<std::string>(const FrozenPolicy &, const std::vector<std::string> &)>
        planEnvironment;
};

/// Attacks the sandbox of a policy from within and tells what came of it, as the host saw it. Each attack is
/// also made without the sandbox: only where it succeeds there does its failure inside say anything. Takes
/// about a second, and a few where something hangs. `signals`: it stops early when the process is to end.
Diagnosis diagnose(const DoctorRequest &request, const ScratchPlace &place, const HeldSignals &signals);

} // namespace spettro::sandbox
