#pragma once

#include "tools/text/Span.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QList>

namespace spettro {

/// A text in which every CRLF is an LF, with the way back to the places of the original.
class FoldedText
{
public:
    explicit FoldedText(QByteArrayView original);

    QByteArrayView text() const { return m_text; }

    /// Where a part of `text()` is in the original; a CRLF belongs to it with both bytes.
    Span originalOf(Span folded) const;

private:
    QByteArray m_text;
    QList<qsizetype> m_folds; ///< Positions in m_text of the LFs that lost their CR.
};

} // namespace spettro
