#pragma once

#include "tools/text/TextFormat.h"

namespace spettro {

/// What decides about a text's lines and about its being a text.
struct ByteCounts
{
    qsizetype lf = 0;   ///< LF, those after a CR included.
    qsizetype cr = 0;   ///< CR, those before an LF included.
    qsizetype crLf = 0; ///< CR directly before LF.
    qsizetype nul = 0;
    qsizetype control =
        0; ///< NUL, DEL and the other control bytes that texts do without (not BEL to CR, not ESC).
};

ByteCounts countBytes(QByteArrayView content);

/// How often `byte` is in `text`.
qsizetype countByte(QByteArrayView text, char byte);

TextFormat::LineEnding lineEndingOf(const ByteCounts &counts);

/// The bytes of the commonest ending, LF where two are equally common; empty when there are no lines.
QByteArrayView dominantEnding(const ByteCounts &counts);

} // namespace spettro
