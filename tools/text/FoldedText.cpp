#include "tools/text/FoldedText.h"

#include <algorithm>

namespace spettro {

FoldedText::FoldedText(QByteArrayView original)
{
    m_text.reserve(original.size());
    qsizetype copied = 0;
    for (qsizetype cr = original.indexOf('\r'); cr >= 0; cr = original.indexOf('\r', cr + 1)) {
        if (cr + 1 < original.size() && original[cr + 1] == '\n') {
            m_text.append(original.sliced(copied, cr - copied));
            m_folds.append(m_text.size());
            copied = cr + 1;
        }
    }
    m_text.append(original.sliced(copied));
}

Span FoldedText::originalOf(Span folded) const
{
    const auto foldsBefore = [this](qsizetype position) {
        return std::lower_bound(m_folds.begin(), m_folds.end(), position) - m_folds.begin();
    };
    return {folded.start + foldsBefore(folded.start), folded.end + foldsBefore(folded.end)};
}

} // namespace spettro
