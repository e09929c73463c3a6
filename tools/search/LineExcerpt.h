#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace spettro {

/// A piece of a line around a match.
struct LineExcerpt
{
    QByteArray text;
    qsizetype leftOutBefore = 0; ///< Bytes of the line before the piece.
    qsizetype leftOutAfter = 0;  ///< Bytes behind it.

    bool operator==(const LineExcerpt &) const = default;
};

/// At most `limit` bytes of the line: all of it, or a piece that begins a quarter of the limit before the match, or
/// further ahead where the line ends soon. Whole UTF-8 characters only; bytes that belong to none are kept one
/// by one. `matchStart` counts bytes from 0.
LineExcerpt excerpt(QByteArrayView line, qsizetype matchStart, qsizetype limit);

} // namespace spettro
