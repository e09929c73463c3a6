#pragma once

#include "app/config/AgentManifest.h"
#include "app/config/CommandLine.h"
#include "app/config/ManifestRules.h"
#include "sandbox/linux/CompiledPolicy.h"
#include "sandbox/linux/freezePolicy.h"
#include "sandbox/policy/FrozenPolicy.h"

#include <string>
#include <vector>

namespace spettro {

/// How much of a manifest is read. The agents are not for everybody: `spettro exec` starts in a millisecond, and a
/// mistake in what it does not use is none of its business.
enum class ManifestPart { Policy, Everything };

/// The manifest of a workspace, or what its absence means.
struct LoadedManifest
{
    std::string workspace; ///< Absolute, as the operator named it.
    sandbox::PolicySettings settings;
    std::vector<ManifestRule> permissionRules;
    AgentManifest agents;               ///< Empty where only the policy was asked for.
    std::vector<std::string> widenings; ///< Of what was read, sorted; see the three `wideningLines`.
};

/// What a session is started with.
struct SessionPolicy
{
    sandbox::FrozenPolicy policy;
    std::vector<ManifestRule> permissionRules;
    AgentManifest agents; ///< Everything in it that widens has been accepted.
};

/// Finds the workspace and reads its manifest.
sandbox::Result<LoadedManifest> loadManifest(const PolicyFlags &flags, ManifestPart part);

/// Merges flags and manifest and freezes the policy. What the manifest widens without the operator's acceptance
/// is a usage error that names the keys.
sandbox::Result<sandbox::FrozenPolicy> loadPolicy(const PolicyFlags &flags);

/// The same with the manifest's permission rules and agents.
sandbox::Result<SessionPolicy> loadSessionPolicy(const PolicyFlags &flags);

/// The same policy with another folder in the place of the workspace, for trying it out there. The manifest and what
/// was accepted of it are those of the real workspace, which has to exist but may be one that no command may have.
sandbox::Result<sandbox::FrozenPolicy> loadPolicyFor(const std::string &workspace, const PolicyFlags &flags);

/// What freezing a policy takes from flags and environment.
sandbox::FreezeOptions freezeOptions(const PolicyFlags &flags);

/// The environment of the operator's process.
std::vector<std::string> operatorEnvironment();

/// The environment of a command under a policy, made from the operator's.
std::vector<std::string> commandEnvironment(
    const sandbox::FrozenPolicy &policy, const std::vector<std::string> &environment = operatorEnvironment());

/// Whether commands can write in a folder (absolute, without links) under a policy that confines files.
bool isWritable(const sandbox::FrozenPolicy &policy, const std::string &folder);

/// Prints an error for the operator. Returns the exit code that goes with it.
int reportError(const sandbox::Error &error);

} // namespace spettro
