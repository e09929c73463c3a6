#include "tools/text/LineMatch.h"

#include "tools/text/ByteSearch.h"
#include "tools/text/LineReader.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype MostLines = 10;

QList<QByteArrayView> trimmedLines(QByteArrayView text)
{
    QList<QByteArrayView> lines;
    for (LineReader reader(text, '\n'); !reader.atEnd();) {
        const Span line = reader.next().content;
        lines.append(trimmedLine(text.sliced(line.start, line.end - line.start)));
    }
    return lines;
}

} // namespace

LineMatches findLines(QByteArrayView text, QByteArrayView wanted, char lineEnd)
{
    LineMatches matches;
    const QList<QByteArrayView> pattern = trimmedLines(wanted);
    if (std::all_of(pattern.begin(), pattern.end(), [](QByteArrayView line) { return line.isEmpty(); })) {
        return matches;
    }
    const QList<qsizetype> borders = borderTable(
        pattern.size(), [&pattern](qsizetype i, qsizetype j) { return pattern.at(i) == pattern.at(j); });
    QList<qsizetype> starts(pattern.size()); // of the last lines, as a ring
    qsizetype length = 0;
    qsizetype number = 0;
    for (LineReader reader(text, lineEnd); !reader.atEnd(); ++number) {
        const LineReader::Line line = reader.next();
        starts[number % starts.size()] = line.content.start;
        const QByteArrayView content =
            trimmedLine(text.sliced(line.content.start, line.content.end - line.content.start));
        while (length > 0 && (length == pattern.size() || content != pattern.at(length))) {
            length = borders.at(length - 1);
        }
        length += content == pattern.at(length) ? 1 : 0;
        if (length < pattern.size()) {
            continue;
        }
        if (matches.count == 0) {
            matches.first = {starts.at((number + 1) % starts.size()),
                             wanted.endsWith('\n') ? line.end : line.content.end};
        }
        if (matches.lines.size() < MostLines) {
            matches.lines.append(number + 2 - pattern.size());
        }
        ++matches.count;
    }
    return matches;
}

} // namespace spettro
