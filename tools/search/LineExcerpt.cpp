#include "tools/search/LineExcerpt.h"

#include "tools/search/SearchText.h"

#include <algorithm>

namespace spettro {

namespace {

/// The position, or where the character that it cuts begins.
qsizetype characterStart(QByteArrayView text, qsizetype position)
{
    for (qsizetype back = 1; back <= 3 && back <= position; ++back) {
        if (characterLength(text.sliced(position - back)) > back) {
            return position - back;
        }
    }
    return position;
}

} // namespace

LineExcerpt excerpt(QByteArrayView line, qsizetype matchStart, qsizetype limit)
{
    if (line.size() <= limit) {
        return {line.toByteArray(), 0, 0};
    }
    const qsizetype wanted = std::min(matchStart - limit / 4, line.size() - limit);
    qsizetype start = std::clamp<qsizetype>(wanted, 0, line.size());
    if (const qsizetype whole = characterStart(line, start); whole < start) {
        start = whole + characterLength(line.sliced(whole));
    }
    const qsizetype end = characterStart(line, std::min(start + limit, line.size()));
    if (end <= start) {
        return {{}, start, line.size() - start};
    }
    return {line.sliced(start, end - start).toByteArray(), start, line.size() - end};
}

} // namespace spettro
