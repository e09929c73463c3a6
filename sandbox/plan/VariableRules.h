#pragma once

#include <string_view>

namespace spettro::sandbox {

/// Why a variable is taken away.
enum class VariableVerdict { Kept, ModelKey, Credential, Injection, OutsideService };

/// Judges one variable by its name alone, for a confined command. Case does not matter.
VariableVerdict judgeVariable(std::string_view name);

/// Whether two names differ in nothing but the case of ASCII letters.
bool equalsInAnyCase(std::string_view left, std::string_view right);

} // namespace spettro::sandbox
