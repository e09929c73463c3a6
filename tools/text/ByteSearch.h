#pragma once

#include <QByteArrayView>
#include <QList>

namespace spettro {

/// Every position of `wanted` in `text`, ascending, overlapping ones too ("aa" is twice in "aaa"). An empty
/// `wanted` is nowhere. Linear in the sizes of both, whatever they hold.
QList<qsizetype> findAll(QByteArrayView text, QByteArrayView wanted);

/// The table of Knuth, Morris and Pratt for a sequence of `size` parts: entry i is the length of the longest
/// proper beginning of the first i + 1 parts that is also their end. `isEqual(i, j)` compares two parts of
/// the sequence.
template<typename IsEqual>
QList<qsizetype> borderTable(qsizetype size, IsEqual isEqual)
{
    QList<qsizetype> borders(size, 0);
    qsizetype length = 0;
    for (qsizetype i = 1; i < size; ++i) {
        while (length > 0 && !isEqual(i, length)) {
            length = borders.at(length - 1);
        }
        length += isEqual(i, length) ? 1 : 0;
        borders[i] = length;
    }
    return borders;
}

} // namespace spettro
