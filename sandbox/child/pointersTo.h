#pragma once

#include <string>
#include <vector>

namespace spettro::sandbox {

/// The texts in the form that execve(2) takes: ended by a null pointer, valid as long as `texts` is.
std::vector<char *> pointersTo(const std::vector<std::string> &texts);

} // namespace spettro::sandbox
