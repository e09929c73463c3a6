#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace spettro {

/// One wish to replace text, as a model wrote it (UTF-8).
struct TextEdit
{
    QByteArray oldText;
    QByteArray newText; ///< Inserted literally; only its line endings follow those of the file.
    bool replaceAll = false;
    /// Exactly so many places must match, and all are replaced; another number is an error.
    std::optional<int> expectedReplacements;
};

/// How an old text was found, from the strictest to the weakest.
enum class MatchKind {
    Exact,       ///< Byte for byte.
    LineEndings, ///< But for LF in place of CRLF or CR, or CRLF in place of LF or CR.
    Whitespace,  ///< Whole lines, but for blanks and tabs at their beginnings and ends.
};

struct EditOutcome
{
    QByteArray content;
    int replacements = 0;
    MatchKind weakestMatch = MatchKind::Exact;
    QList<qsizetype> lines; ///< Where the inserted texts begin in `content`: line numbers from 1, ascending.
};

/// Either an outcome, or why there is none, in words for the model (without any text of the file).
struct [[nodiscard]] EditResult
{
    std::optional<EditOutcome> outcome;
    QString error;
};

/// Applies the edits in order, each to the result of the one before: all of them or none. Bytes outside the
/// replaced places, byte order mark and encoding stay as they are. An old text must be found exactly once,
/// unless the edit says otherwise; README.md states what is found, and what is an error.
EditResult applyEdits(const QByteArray &content, const QList<TextEdit> &edits);

} // namespace spettro
