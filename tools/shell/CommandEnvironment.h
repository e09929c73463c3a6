#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spettro {

/// An environment (`NAME=value` each) with one variable set.
std::vector<std::string> withVariable(std::vector<std::string> environment, std::string_view name,
                                      const std::string &value);

/// The environment of the tools' commands: that of every command, with what keeps programs from waiting for a person
/// (pagers, editors, questions for passwords) where nobody would answer.
std::vector<std::string> unattended(std::vector<std::string> environment);

} // namespace spettro
