#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

/// A TOML text that toml++ may be given, unless there is a hazard.
struct GuardedToml
{
    std::string text; ///< Means the same as the original and has the same lines.
    std::optional<TomlHazard> hazard;
};

/// Finds the first thing in a TOML text that toml++ 3.3 does not survive. A manifest may come from a hostile
/// repository, so this runs before the parser. It knows only what it needs: strings, comments, brackets,
/// numbers and dots; what it refuses is no TOML, or beyond `MaximumTomlNesting`. The text has to be UTF-8.
///
/// - Depth: toml++ limits that of values, but not the parts of a dotted key. A line of `a.a.a.a...` builds a
///   tree as deep as it is long, and destroying that overflows the stack.
/// - A table header without a name, such as `[=`: fails an assertion in toml++, and is undefined where
///   the compiler takes assertions for promises (fixed upstream in pull request 301).
/// - A bracket that closes another kind of bracket, such as `[1,}`: the same in parse_value().
/// - A date whose `T` is not followed by a digit, such as `1979-05-27Tx:`: the same in parse_time().
/// - Characters beyond ASCII where a blank may stand: toml++ asks whether U+00C4, U+FEC2 and many others are
///   blanks, and its table for that runs into an "unreachable" place. Outside of strings and comments they
///   are no TOML; behind a backslash at the end of a line in a string they are, and are replaced by escapes.
/// - A number that ends in something else: the parser looks ahead in it, beyond what it would refuse.
GuardedToml guardToml(std::string_view toml);

} // namespace spettro::sandbox
