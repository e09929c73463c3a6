#pragma once

#include "tools/search/RegexClasses.h"
#include "tools/search/RegexReader.h"

#include <QString>

#include <optional>

namespace spettro {

/// Reads one class, `[…]` with whatever is nested in it.
class RegexClassReader
{
public:
    explicit RegexClassReader(RegexReader &reader) : m_reader(reader) {}

    /// The expression for the class that begins at the reader's position: as Rust reads it or, if it is none for
    /// Rust, as PCRE2 does, where `[` inside is nothing special.
    QString read();

private:
    std::optional<QString> readNested(int nesting);
    bool readMember(RegexClass &set, int nesting);
    bool readLineEnd(RegexClass &set);
    bool readNamed(RegexClass &set);
    std::optional<char32_t> readCharacter(RegexClass &set);

    RegexReader &m_reader;
    bool m_hasPlainBrackets = false;
};

} // namespace spettro
