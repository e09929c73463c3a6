#pragma once

#include <QList>

namespace spettro {

/// Which elements of two sequences are not common to both.
struct LineDiff
{
    QList<bool> removed; ///< One for each element of the first sequence.
    QList<bool> added;   ///< One for each element of the second.
};

/// Compares by Myers' algorithm: what is not marked is the same in both, in order. The marks are as few as
/// possible, unless a part differs so much that looking for the fewest would take long. Equal numbers are
/// equal lines; they count from 0 without gaps.
LineDiff diffLines(const QList<qsizetype> &before, const QList<qsizetype> &after);

} // namespace spettro
