#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text that others wrote (a manifest, a file name, a host name), made fit for a person's terminal: it cannot
/// move the cursor, hide or reorder what it says, or break out of its line.
namespace spettro::sandbox::text {

/// One character at the beginning of a text.
struct Character
{
    char32_t value = 0;
    std::size_t length = 0; ///< In bytes; 0 when the text does not begin with well-formed UTF-8.
};

/// Reads the first character by Unicode's table of well-formed byte sequences (no overlong forms, no
/// surrogates).
Character firstCharacter(std::string_view text);

/// Control characters, invisible and direction-changing characters and bytes that are no UTF-8 become escapes
/// (`\n`, `\x1B`, `\u{202E}`). Backslashes stay, so that messages read well.
std::string printable(std::string_view text);

/// As `printable`, but a backslash is doubled: two different texts never look the same.
std::string escaped(std::string_view text);

/// `printable` in single quotes, for messages; a long text is cut.
std::string quoted(std::string_view text);

/// The text as one word for a POSIX shell; with escapes in `$'...'` where it holds control characters.
std::string shellQuoted(std::string_view text);

} // namespace spettro::sandbox::text
