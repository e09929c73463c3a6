#pragma once

namespace spettro {

/// Replaces this process by `spettro-agent`, which lies in the same folder, with the same arguments. Returns, with an
/// exit code, only where that fails.
int becomeAgent(char *const *arguments);

} // namespace spettro
