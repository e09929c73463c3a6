#pragma once

#include <vector>

namespace spettro::sandbox {

/// Closes every descriptor above the standard streams but those in `kept` (-1 stands for none).
/// Returns 0 or the error number.
int closeAllBut(std::vector<int> kept);

} // namespace spettro::sandbox
