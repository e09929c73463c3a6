#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// Whether the home folder itself may be the workspace.
enum class HomeWorkspace { Refused, Allowed };

/// What freezing takes from the operator's surroundings.
struct FreezeOptions
{
    std::string home;               ///< May be empty: then nothing below it is looked at.
    std::string temporaryDirectory; ///< The operator's TMPDIR; used where it is a suitable folder.
    HomeWorkspace homeWorkspace = HomeWorkspace::Refused;
};

/// Opens every root of a policy once; from here on paths play no part. A root that does not exist or must not
/// be one is a usage error; one that exists and cannot be opened makes the policy unenforceable.
Result<FrozenPolicy> freezePolicy(Policy policy, const FreezeOptions &options);

/// Those of the folders in `path` (a PATH) that lie beneath what the policy lets a command execute.
std::vector<std::string> reachablePath(const FrozenPolicy &policy, const std::string &path);

} // namespace spettro::sandbox
