#pragma once

#include "tools/text/EditPlan.h"
#include "tools/text/Span.h"

#include <QByteArrayView>

namespace spettro {

/// How the lines of a text end, as far as an edit has to know.
class TextLines
{
public:
    explicit TextLines(QByteArrayView text);

    char lineEnd() const { return m_lineEnd; } ///< The last byte of an ending: '\r' in a file without LF.
    QByteArrayView dominantEnding() const { return m_dominantEnding; }

private:
    char m_lineEnd;
    QByteArrayView m_dominantEnding;
};

/// A part of a text and what takes its place.
struct Splice
{
    Span replaced;
    QByteArray inserted;
};

/// What one edit does to a text, or why it does nothing.
struct ReplacementPlan
{
    QList<Splice> splices; ///< Ascending, without overlaps.
    MatchKind match = MatchKind::Exact;
    QString error; ///< A sentence without its capital and its stop.
};

/// Finds the old text: exactly, else but for line endings, else but for whitespace. `body` is UTF-8 or
/// unknown 8-bit text without a byte order mark.
ReplacementPlan planReplacement(QByteArrayView body, const TextEdit &edit, const TextLines &lines);

/// The line numbers, from 1, of ascending positions.
QList<qsizetype> lineNumbers(QByteArrayView body, const QList<qsizetype> &positions, char lineEnd);

} // namespace spettro
