#include "tools/text/LineDiff.h"

#include <algorithm>
#include <limits>

namespace spettro {

namespace {

// Differences in one part after which its best splitting is not searched for any longer.
constexpr qsizetype MostCost = 256;

constexpr qsizetype Unreached = std::numeric_limits<qsizetype>::min() / 2;
constexpr qsizetype UnreachedBackwards = std::numeric_limits<qsizetype>::max() / 2;

/// Elements with their places in the sequence that they were taken from.
struct Sequence
{
    QList<qsizetype> values;
    QList<qsizetype> places;
};

/// Parts of both sequences that are still to be compared.
struct Box
{
    qsizetype left = 0;
    qsizetype right = 0; ///< Of the first sequence: from left to before right.
    qsizetype top = 0;
    qsizetype bottom = 0; ///< Of the second one.
};

struct Point
{
    qsizetype x = 0;
    qsizetype y = 0;
};

/// The furthest x on each diagonal (x - y), for diagonals around a middle one.
class Frontier
{
public:
    Frontier(qsizetype middle, qsizetype reach, qsizetype unreached)
        : m_offset(reach - middle), m_values(2 * reach + 1, unreached)
    {}

    qsizetype &operator[](qsizetype diagonal) { return m_values[diagonal + m_offset]; }
    qsizetype at(qsizetype diagonal) const { return m_values.at(diagonal + m_offset); }

private:
    qsizetype m_offset;
    QList<qsizetype> m_values;
};

/// Searches from both corners of a box for a point on a shortest way between them.
class MiddleSearch
{
public:
    MiddleSearch(const qsizetype *before, qsizetype width, const qsizetype *after, qsizetype height)
        : m_before(before), m_after(after), m_width(width), m_height(height), m_delta(width - height),
          m_mostCost(std::min(MostCost, (width + height + 1) / 2)), m_forward(0, m_mostCost + 2, Unreached),
          m_backward(m_delta, m_mostCost + 2, UnreachedBackwards)
    {}

    Point run()
    {
        m_forward[1] = 0;
        m_backward[m_delta - 1] = m_width;
        for (qsizetype cost = 0; cost <= m_mostCost; ++cost) {
            if (goForward(cost) || goBackward(cost)) {
                return m_found;
            }
        }
        return furthest();
    }

private:
    bool goForward(qsizetype cost)
    {
        for (qsizetype k = -cost; k <= cost; k += 2) {
            const qsizetype down = m_forward.at(k + 1);
            const qsizetype right = m_forward.at(k - 1) + 1;
            qsizetype x =
                std::max(down - k <= m_height ? down : Unreached, right <= m_width ? right : Unreached);
            if (x < 0) {
                m_forward[k] = Unreached;
                continue;
            }
            while (x < m_width && x - k < m_height && m_before[x] == m_after[x - k]) {
                ++x;
            }
            m_forward[k] = x;
            const bool isMet = std::abs(k - m_delta) < cost && m_delta % 2 != 0 && x >= m_backward.at(k);
            if (isMet) {
                m_found = {x, x - k};
                return true;
            }
        }
        return false;
    }

    bool goBackward(qsizetype cost)
    {
        for (qsizetype k = m_delta - cost; k <= m_delta + cost; k += 2) {
            const qsizetype up = m_backward.at(k - 1);
            const qsizetype left = m_backward.at(k + 1) - 1;
            qsizetype x =
                std::min(up - k >= 0 ? up : UnreachedBackwards, left >= 0 ? left : UnreachedBackwards);
            if (x > m_width) {
                m_backward[k] = UnreachedBackwards;
                continue;
            }
            while (x > 0 && x - k > 0 && m_before[x - 1] == m_after[x - k - 1]) {
                --x;
            }
            m_backward[k] = x;
            const bool isMet = std::abs(k) <= cost && m_delta % 2 == 0 && m_forward.at(k) >= x;
            if (isMet) {
                m_found = {x, x - k};
                return true;
            }
        }
        return false;
    }

    /// The point that is furthest from the corner where its search began.
    Point furthest() const
    {
        Point best;
        qsizetype bestWay = 0;
        for (qsizetype k = -m_mostCost; k <= m_mostCost; k += 2) {
            const qsizetype x = m_forward.at(k);
            if (x >= 0 && x + x - k > bestWay) {
                best = {x, x - k};
                bestWay = x + x - k;
            }
        }
        for (qsizetype k = m_delta - m_mostCost; k <= m_delta + m_mostCost; k += 2) {
            const qsizetype x = m_backward.at(k);
            if (x <= m_width && m_width - x + m_height - (x - k) > bestWay) {
                best = {x, x - k};
                bestWay = m_width - x + m_height - (x - k);
            }
        }
        return best;
    }

    const qsizetype *m_before;
    const qsizetype *m_after;
    qsizetype m_width;
    qsizetype m_height;
    qsizetype m_delta;
    qsizetype m_mostCost;
    Frontier m_forward;
    Frontier m_backward;
    Point m_found;
};

/// Elements `first` to before `last` that the other sequence has there too; the others are marked.
Sequence commonElements(const QList<qsizetype> &values, qsizetype first, qsizetype last,
                        const QList<bool> &isInOther, QList<bool> &marks)
{
    Sequence common;
    for (qsizetype i = first; i < last; ++i) {
        const qsizetype value = values.at(i);
        if (value < isInOther.size() && isInOther.at(value)) {
            common.values.append(value);
            common.places.append(i);
        } else {
            marks[i] = true;
        }
    }
    return common;
}

QList<bool> presence(const QList<qsizetype> &values, qsizetype first, qsizetype last)
{
    QList<bool> isPresent;
    for (qsizetype i = first; i < last; ++i) {
        if (values.at(i) >= isPresent.size()) {
            isPresent.resize(values.at(i) + 1);
        }
        isPresent[values.at(i)] = true;
    }
    return isPresent;
}

void trim(Box &box, const QList<qsizetype> &before, const QList<qsizetype> &after)
{
    while (box.left < box.right && box.top < box.bottom && before.at(box.left) == after.at(box.top)) {
        ++box.left;
        ++box.top;
    }
    while (box.left < box.right && box.top < box.bottom
           && before.at(box.right - 1) == after.at(box.bottom - 1)) {
        --box.right;
        --box.bottom;
    }
}

} // namespace

LineDiff diffLines(const QList<qsizetype> &before, const QList<qsizetype> &after)
{
    LineDiff diff{QList<bool>(before.size(), false), QList<bool>(after.size(), false)};
    // First, so that what is equal at both ends stays unmarked, whatever lies between.
    Box all{0, before.size(), 0, after.size()};
    trim(all, before, after);
    // Lines that one side does not know at all are no part of any way, so the search may go without them.
    const Sequence first =
        commonElements(before, all.left, all.right, presence(after, all.top, all.bottom), diff.removed);
    const Sequence second =
        commonElements(after, all.top, all.bottom, presence(before, all.left, all.right), diff.added);

    QList<Box> boxes{{0, first.values.size(), 0, second.values.size()}};
    while (!boxes.isEmpty()) {
        Box box = boxes.takeLast();
        trim(box, first.values, second.values);
        if (box.left == box.right || box.top == box.bottom) {
            for (qsizetype i = box.left; i < box.right; ++i) {
                diff.removed[first.places.at(i)] = true;
            }
            for (qsizetype i = box.top; i < box.bottom; ++i) {
                diff.added[second.places.at(i)] = true;
            }
            continue;
        }
        MiddleSearch search(first.values.constData() + box.left, box.right - box.left,
                            second.values.constData() + box.top, box.bottom - box.top);
        const Point middle = search.run();
        boxes.append({box.left, box.left + middle.x, box.top, box.top + middle.y});
        boxes.append({box.left + middle.x, box.right, box.top + middle.y, box.bottom});
    }
    return diff;
}

} // namespace spettro
