#pragma once

#include "tools/text/GlobProgram.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <variant>

namespace spettro {

/// A pattern for relative paths as developers write them: `*` and `?` (never `/`), `**` as a whole component for
/// any number of folders, `[a-z]`, `[!a]` or `[^a]`, `{a,b}` nested, and `\` before a character that is to mean itself.
/// A character is a UTF-8 sequence, or a single byte that belongs to none.
///
/// A pattern without `/` is compared with the last component at any depth. `/x` and `./x` are `x` at the top, `x/`
/// is everything below `x`. Names that begin with a dot are like others.
class GlobPattern
{
public:
    /// The longest pattern in bytes; longer ones are an error.
    static constexpr qsizetype MaximumLength = 4096;

    /// The pattern, or why it is none, in words for whoever wrote it.
    static std::variant<GlobPattern, QString> parse(QByteArrayView text);

    /// Whether the path fits: relative, components separated by one `/`, no `/` at the ends.
    bool matches(QByteArrayView path) const;

private:
    GlobPattern() = default;

    GlobProgram m_program;
    bool m_isForName = false;
};

} // namespace spettro
