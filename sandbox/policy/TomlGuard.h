#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace spettro::sandbox {

/// How deep arrays and inline tables may lie in one another, and how many parts a dotted key may have.
inline constexpr std::size_t MaximumTomlNesting = 32;

/// A place in a TOML text that the parser must not see.
struct TomlHazard
{
    std::size_t byte = 0; ///< Offset in the text.
    std::string_view what;
};

/// Finds the first thing in a TOML text that toml++ 3.3 does not survive. A manifest may come from a hostile
/// repository, so this runs before the parser. It knows only what it needs: strings, comments, brackets and dots.
///
/// - Depth: toml++ limits that of values, but not the parts of a dotted key. A line of `a.a.a.a...` builds a tree as
///   deep as it is long, and destroying that overflows the stack.
/// - A table header without a name, such as `[=`: fails an assertion in toml++, and is undefined behaviour where
///   assertions are off (fixed upstream in pull request 301).
std::optional<TomlHazard> findTomlHazard(std::string_view toml);

} // namespace spettro::sandbox
