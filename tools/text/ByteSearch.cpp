#include "tools/text/ByteSearch.h"

#include <algorithm>
#include <array>

namespace spettro {

namespace {

constexpr qsizetype SampleSize = 16384;

/// Linear in every case, but looks at every byte.
void findWithBorders(QByteArrayView text, QByteArrayView wanted, qsizetype from, QList<qsizetype> &found)
{
    const QList<qsizetype> borders =
        borderTable(wanted.size(), [wanted](qsizetype i, qsizetype j) { return wanted[i] == wanted[j]; });
    qsizetype length = 0;
    for (qsizetype i = from; i < text.size(); ++i) {
        while (length > 0 && (length == wanted.size() || text[i] != wanted[length])) {
            length = borders.at(length - 1);
        }
        length += text[i] == wanted[length] ? 1 : 0;
        if (length == wanted.size()) {
            found.append(i + 1 - length);
        }
    }
}

/// The place in `wanted` of the byte that is rarest at the beginning of `text`.
qsizetype rarestByte(QByteArrayView text, QByteArrayView wanted)
{
    std::array<qsizetype, 256> counts{};
    for (const char byte : text.first(std::min(text.size(), SampleSize))) {
        ++counts[static_cast<quint8>(byte)];
    }
    const auto isRarer = [&counts](char left, char right) {
        return counts[static_cast<quint8>(left)] < counts[static_cast<quint8>(right)];
    };
    return std::min_element(wanted.begin(), wanted.end(), isRarer) - wanted.begin();
}

/// Looks for one byte and compares around it: fast in ordinary text. Text that makes it compare more bytes
/// than there are (long runs of equal lines) ends it. Returns the position up to which everything was found.
qsizetype findByRareByte(QByteArrayView text, QByteArrayView wanted, QList<qsizetype> &found)
{
    const qsizetype anchor = rarestByte(text, wanted);
    const qsizetype lastStart = text.size() - wanted.size();
    qsizetype budget = text.size();
    for (qsizetype start = 0; start <= lastStart; ++start) {
        start = text.indexOf(wanted[anchor], start + anchor) - anchor;
        if (start < 0 || start > lastStart) {
            break;
        }
        const QByteArrayView here = text.sliced(start, wanted.size());
        const qsizetype same = std::mismatch(here.begin(), here.end(), wanted.begin()).first - here.begin();
        if (same == wanted.size()) {
            found.append(start);
        }
        budget -= same;
        if (budget < 0) {
            return start + 1;
        }
    }
    return text.size();
}

} // namespace

QList<qsizetype> findAll(QByteArrayView text, QByteArrayView wanted)
{
    QList<qsizetype> found;
    if (wanted.isEmpty() || wanted.size() > text.size()) {
        return found;
    }
    const qsizetype rest = findByRareByte(text, wanted, found);
    if (rest < text.size()) {
        findWithBorders(text, wanted, rest, found);
    }
    return found;
}

} // namespace spettro
