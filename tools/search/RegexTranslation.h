#pragma once

#include <QString>
#include <QStringView>

#include <optional>
#include <variant>

namespace spettro {

/// What a pattern is applied to: a plainer pattern does for text without anything beyond ASCII.
enum class TextKind { Ascii, Unicode };

/// A pattern for PCRE2 (with its multi-line option) that means to a text what the given one means to ripgrep with
/// `--crlf`: nothing takes a line end or a byte that belongs to no character, `\w`, `\b`, `\s` and classes are
/// those of Rust's regex.
struct RegexTranslation
{
    QString pattern;
    bool isKnownToRust = true;      ///< False: look-around, references and the like; kept as PCRE2 has them.
    bool hasLineEnd = false;        ///< There is a `$`.
    bool hasCaseProperty = false;   ///< There is a `\p` that distinguishes upper and lower case.
    bool needsWholeText = false;    ///< A match may span lines or depends on the text's ends.
    std::optional<QString> literal; ///< The text that it finds, if the pattern is nothing but a text.
};

/// The translation, or why the pattern is none. Most mistakes show only when PCRE2 compiles the result.
std::variant<RegexTranslation, QString> translateRegex(QStringView pattern, TextKind kind);

} // namespace spettro
