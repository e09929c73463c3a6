#pragma once

#include "tools/text/Span.h"

#include <QByteArrayView>
#include <QList>

namespace spettro {

/// The places where whole lines of `text` are those of `wanted` but for blanks and tabs at their beginnings
/// and ends.
struct LineMatches
{
    qsizetype count = 0; ///< Overlapping places too.
    Span first; ///< Whole lines; the last line's ending belongs to it only if `wanted` ends with one.
    QList<qsizetype> lines; ///< Line numbers of at most the first ten, from 1.
};

/// Lines of `wanted` end with LF, those of `text` as in LineReader. A `wanted` of nothing but blank lines is
/// nowhere.
LineMatches findLines(QByteArrayView text, QByteArrayView wanted, char lineEnd);

} // namespace spettro
