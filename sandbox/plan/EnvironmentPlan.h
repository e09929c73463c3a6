#pragma once

#include "sandbox/policy/Policy.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// What a command's environment depends on besides the variables themselves.
struct EnvironmentOptions
{
    bool confined = false; ///< False for mode Off with network All: only model keys are removed then.
    NetworkMode network = NetworkMode::All;
    bool readOnlyWorkspace = false; ///< Nothing may be written there: git takes no optional locks then.
    std::vector<std::string> allowedVariables; ///< Names that the operator lets through; exact, case matters.
    /// Names that the operator configured for the model's keys, besides those that are known; exact, case
    /// matters.
    std::vector<std::string> modelKeyVariables;
    std::string temporaryDirectory; ///< Value of TMPDIR; empty leaves TMPDIR, TMP and TEMP alone.
    std::string workingDirectory;   ///< Value of PWD; empty leaves it alone.
    /// The entries of PATH that are reachable under the policy, in order; PATH is replaced by them so that a
    /// name found in a closed folder does not hide the same name in an open one.
    std::vector<std::string> reachablePath;
};

/// Plans the environment (`NAME=value` each) of a command, in the order of the given one with what is set
/// for the command at the end. Dropped are entries that are no assignment, repeats of a name after its
/// first assignment, and variables that hold a removed model key's value under another name. Values are
/// bytes, not text.
std::vector<std::string> planEnvironment(const std::vector<std::string> &environment,
                                         const EnvironmentOptions &options);

} // namespace spettro::sandbox
