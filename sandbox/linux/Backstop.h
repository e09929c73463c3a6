#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// Keeps the calling thread, and those that it starts later, from writing outside what the policy makes writable for
/// commands and outside `ownFolders`; for good. Reads, the network and signals stay as they are. What threads that exist
/// already do is not affected: those start the commands, which have a confinement of their own.
///
/// The threads share memory, so that this guards against mistakes in the handling of paths, not against code that an
/// attacker makes Spettro execute. It is the second line: an error is for a warning. Folders that do not exist are passed
/// over.
Result<bool> enterBackstop(const FrozenPolicy &policy, const std::vector<std::string> &ownFolders, int abi);

} // namespace spettro::sandbox
