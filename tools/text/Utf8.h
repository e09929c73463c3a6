#pragma once

#include <QByteArrayView>

namespace spettro {

/// What stands at the beginning of some bytes, read as UTF-8 by Unicode's table of well-formed sequences (no
/// overlong forms, no surrogates, nothing above U+10FFFF).
struct Utf8Character
{
    enum class Kind {
        Valid,
        Broken,     ///< Cannot become a character, whatever follows.
        Incomplete, ///< The bytes end inside a character that so far is well-formed.
    };
    Kind kind = Kind::Broken;
    char32_t value = 0;
    qsizetype length =
        0; ///< In bytes, at least 1. Broken: the longest part that one replacement mark stands for.
};

/// Reads the first character of `text`, which must not be empty.
Utf8Character firstUtf8Character(QByteArrayView text);

/// U+FFFE, U+FFFF and their like in every plane, U+FDD0 to U+FDEF: never part of a text for others.
bool isNonCharacter(char32_t character);

} // namespace spettro
