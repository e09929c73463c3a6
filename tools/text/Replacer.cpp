#include "tools/text/Replacer.h"

#include "tools/text/LineReader.h"

#include <QList>

#include <algorithm>
#include <optional>

namespace spettro {

namespace {

QByteArrayView bytesOf(QByteArrayView text, Span span)
{
    return text.sliced(span.start, span.end - span.start);
}

QByteArrayView endingOf(QByteArrayView text, const LineReader::Line &line)
{
    return bytesOf(text, {line.content.end, line.end});
}

/// `text` with its LF and CRLF as LF, and CR too where it is an ending.
QByteArray withLf(QByteArray text, char lineEnd)
{
    text.replace("\r\n", "\n");
    if (lineEnd == '\r') {
        text.replace('\r', '\n');
    }
    return text;
}

QByteArrayView indentationOf(QByteArrayView line)
{
    const auto end = std::find_if_not(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; });
    return line.first(end - line.begin());
}

bool isBlank(QByteArrayView line)
{
    return trimmedLine(line).isEmpty();
}

/// How the lines of a file stand compared with those that were asked for.
struct Shift
{
    enum class Direction { Right, Left };
    Direction direction = Direction::Right;
    QByteArrayView indentation;

    bool operator==(const Shift &other) const
    {
        return direction == other.direction && indentation == other.indentation;
    }
};

std::optional<Shift> shiftBetween(QByteArrayView wanted, QByteArrayView found)
{
    if (found.endsWith(wanted)) {
        return Shift{Shift::Direction::Right, found.chopped(wanted.size())};
    }
    if (wanted.endsWith(found)) {
        return Shift{Shift::Direction::Left, wanted.chopped(found.size())};
    }
    return std::nullopt;
}

/// The shift that all lines have in common.
std::optional<Shift> commonShift(QByteArrayView wanted, QByteArrayView found, char lineEnd)
{
    std::optional<Shift> common;
    LineReader wantedLines(wanted, '\n');
    LineReader foundLines(found, lineEnd);
    while (!wantedLines.atEnd() && !foundLines.atEnd()) {
        const QByteArrayView wantedLine = bytesOf(wanted, wantedLines.next().content);
        const QByteArrayView foundLine = bytesOf(found, foundLines.next().content);
        if (isBlank(wantedLine)) {
            continue;
        }
        const std::optional<Shift> shift = shiftBetween(indentationOf(wantedLine), indentationOf(foundLine));
        if (!shift || (common && *common != *shift)) {
            return std::nullopt;
        }
        common = shift;
    }
    return common;
}

} // namespace

QByteArray withEndingsOf(const QByteArray &inserted, QByteArrayView replaced, QByteArrayView otherwise,
                         char lineEnd)
{
    if (!inserted.contains('\n') && !inserted.contains(lineEnd)) {
        return inserted;
    }
    const QByteArray lines = withLf(inserted, lineEnd);
    QByteArrayView ending = otherwise;
    QByteArray out;
    LineReader replacedLines(replaced, lineEnd);
    for (LineReader reader(lines, '\n'); !reader.atEnd();) {
        const LineReader::Line line = reader.next();
        if (!replacedLines.atEnd()) {
            const QByteArrayView own = endingOf(replaced, replacedLines.next());
            ending = own.isEmpty() ? ending : own;
        }
        out.append(bytesOf(lines, line.content));
        if (line.end > line.content.end) {
            out.append(ending);
        }
    }
    return ending.isEmpty() ? inserted : out;
}

QByteArray reindented(const QByteArray &inserted, QByteArrayView wanted, QByteArrayView replaced,
                      char lineEnd)
{
    const std::optional<Shift> shift = commonShift(wanted, replaced, lineEnd);
    if (!shift || shift->indentation.isEmpty()) {
        return inserted;
    }
    QByteArray out;
    for (LineReader reader(inserted, '\n'); !reader.atEnd();) {
        const LineReader::Line line = reader.next();
        QByteArrayView bytes = bytesOf(inserted, {line.content.start, line.end});
        if (!isBlank(bytesOf(inserted, line.content))) {
            if (shift->direction == Shift::Direction::Right) {
                out.append(shift->indentation);
            } else if (bytes.startsWith(shift->indentation)) {
                bytes = bytes.sliced(shift->indentation.size());
            } else {
                return inserted;
            }
        }
        out.append(bytes);
    }
    return out;
}

} // namespace spettro
