#include "tools/text/UnifiedDiff.h"

#include "tools/text/LineDiff.h"
#include "tools/text/LineEndings.h"

#include <QList>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace spettro {

namespace {

constexpr qsizetype Context = 3;
constexpr qsizetype BlockSize = 4096;

/// The part of a file around its changes.
struct Part
{
    QList<QByteArrayView> lines; ///< With their LFs.
    qsizetype linesBefore = 0;
};

/// Neighbouring removed and added lines, as indices into the parts.
struct Change
{
    qsizetype before = 0;
    qsizetype beforeEnd = 0;
    qsizetype after = 0;
    qsizetype afterEnd = 0;
};

qsizetype commonBeginning(QByteArrayView left, QByteArrayView right)
{
    const qsizetype size = std::min(left.size(), right.size());
    qsizetype same = 0;
    while (size - same >= BlockSize && left.sliced(same, BlockSize) == right.sliced(same, BlockSize)) {
        same += BlockSize;
    }
    while (same < size && left[same] == right[same]) {
        ++same;
    }
    return same;
}

qsizetype commonEnd(QByteArrayView left, QByteArrayView right)
{
    const qsizetype size = std::min(left.size(), right.size());
    qsizetype same = 0;
    while (size - same >= BlockSize
           && left.chopped(same).last(BlockSize) == right.chopped(same).last(BlockSize)) {
        same += BlockSize;
    }
    while (same < size && left[left.size() - 1 - same] == right[right.size() - 1 - same]) {
        ++same;
    }
    return same;
}

/// Where the last line before `position` begins (or `position` itself if that is the beginning of the text).
qsizetype lineBefore(QByteArrayView text, qsizetype position)
{
    return position == 0 ? 0 : text.first(position - 1).lastIndexOf('\n') + 1;
}

/// Behind the line at `position`.
qsizetype lineAfter(QByteArrayView text, qsizetype position)
{
    const qsizetype ending = text.indexOf('\n', position);
    return ending < 0 ? text.size() : ending + 1;
}

/// Bytes at both ends that are whole equal lines, and too far from the changes for their context.
struct Untouched
{
    qsizetype beginning = 0;
    qsizetype end = 0;
};

Untouched untouched(QByteArrayView before, QByteArrayView after)
{
    qsizetype start = before.first(commonBeginning(before, after)).lastIndexOf('\n') + 1;
    // Equal lines that could belong to both ends belong to the beginning, as in the comparison of the lines.
    const QByteArrayView end = before.last(commonEnd(before.sliced(start), after.sliced(start)));
    qsizetype context = 0;
    for (qsizetype i = 0; i < Context + 1; ++i) { // the first one may be only the rest of a line
        context = lineAfter(end, context);
    }
    for (qsizetype i = 0; i < Context; ++i) {
        start = lineBefore(before, start);
    }
    return {start, end.size() - context};
}

QList<QByteArrayView> splitLines(QByteArrayView text)
{
    QList<QByteArrayView> lines;
    for (qsizetype start = 0; start < text.size();) {
        const qsizetype end = lineAfter(text, start);
        lines.append(text.sliced(start, end - start));
        start = end;
    }
    return lines;
}

/// Gives equal lines equal numbers.
class LineNumbers
{
public:
    QList<qsizetype> of(const QList<QByteArrayView> &lines)
    {
        QList<qsizetype> numbers;
        numbers.reserve(lines.size());
        m_numbers.reserve(m_numbers.size() + static_cast<std::size_t>(lines.size()));
        for (const QByteArrayView line : lines) {
            const std::string_view key(line.data(), static_cast<std::size_t>(line.size()));
            numbers.append(
                m_numbers.try_emplace(key, static_cast<qsizetype>(m_numbers.size())).first->second);
        }
        return numbers;
    }

private:
    std::unordered_map<std::string_view, qsizetype> m_numbers;
};

QList<Change> changesBetween(const Part &before, const Part &after)
{
    LineNumbers numbers;
    const QList<qsizetype> beforeNumbers = numbers.of(before.lines);
    const LineDiff diff = diffLines(beforeNumbers, numbers.of(after.lines));
    QList<Change> changes;
    qsizetype i = 0;
    qsizetype j = 0;
    while (i < before.lines.size() || j < after.lines.size()) {
        Change change{i, i, j, j};
        while (change.beforeEnd < before.lines.size() && diff.removed.at(change.beforeEnd)) {
            ++change.beforeEnd;
        }
        while (change.afterEnd < after.lines.size() && diff.added.at(change.afterEnd)) {
            ++change.afterEnd;
        }
        const bool isChange = change.beforeEnd > i || change.afterEnd > j;
        if (isChange) {
            changes.append(change);
        }
        i = change.beforeEnd + (isChange ? 0 : 1);
        j = change.afterEnd + (isChange ? 0 : 1);
    }
    return changes;
}

/// Collects lines until the limit is reached, and from then on counts them.
class DiffWriter
{
public:
    explicit DiffWriter(qsizetype limit) : m_limit(limit) {}

    void addLine(QByteArrayView prefix, QByteArrayView line)
    {
        constexpr QByteArrayView Unfinished = "\n\\ No newline at end of file\n";
        const bool isFinished = line.endsWith('\n');
        const qsizetype size = prefix.size() + line.size() + (isFinished ? 0 : Unfinished.size());
        if (m_leftOut > 0 || size > m_limit - m_out.size()) {
            m_leftOut += isFinished ? 1 : 2;
            return;
        }
        m_out.append(prefix).append(line);
        if (!isFinished) {
            m_out.append(Unfinished);
        }
    }

    QByteArray finished()
    {
        if (m_leftOut > 0) {
            m_out.append("... " + QByteArray::number(m_leftOut) + " more lines\n");
        }
        return m_out;
    }

private:
    qsizetype m_limit;
    qsizetype m_leftOut = 0;
    QByteArray m_out;
};

/// Lines `start` to before `end` of a part as a hunk's header names them; no lines are named by the one
/// before them.
QByteArray range(const Part &part, qsizetype start, qsizetype end)
{
    const qsizetype count = end - start;
    const QByteArray first = QByteArray::number(part.linesBefore + start + (count > 0 ? 1 : 0));
    return count == 1 ? first : first + ',' + QByteArray::number(count);
}

void writeHunk(DiffWriter &writer, const Part &before, const Part &after, const QList<Change> &changes)
{
    const Change &first = changes.first();
    const Change &last = changes.last();
    const qsizetype lead = std::min(Context, first.before);
    const qsizetype end = std::min(last.beforeEnd + Context, before.lines.size());
    const qsizetype afterEnd = last.afterEnd + (end - last.beforeEnd);
    writer.addLine("@@ -", range(before, first.before - lead, end) + " +"
                               + range(after, first.after - lead, afterEnd) + " @@\n");
    qsizetype context = first.before - lead;
    for (const Change &change : changes) {
        for (; context < change.before; ++context) {
            writer.addLine(" ", before.lines.at(context));
        }
        for (qsizetype i = change.before; i < change.beforeEnd; ++i) {
            writer.addLine("-", before.lines.at(i));
        }
        for (qsizetype i = change.after; i < change.afterEnd; ++i) {
            writer.addLine("+", after.lines.at(i));
        }
        context = change.beforeEnd;
    }
    for (; context < end; ++context) {
        writer.addLine(" ", before.lines.at(context));
    }
}

QByteArray fileName(QByteArrayView prefix, QByteArrayView path)
{
    const auto isSpecial = [](char byte) {
        return (byte >= 0 && byte < 0x20) || byte == 0x7F || byte == '"' || byte == '\\';
    };
    const QByteArray name = prefix.toByteArray().append(path);
    if (std::none_of(name.begin(), name.end(), isSpecial)) {
        return name + '\n';
    }
    QByteArray quoted = "\"";
    for (const char byte : name) {
        if (byte == '"' || byte == '\\') {
            quoted.append('\\').append(byte);
        } else if (isSpecial(byte)) {
            quoted.append('\\').append(QByteArray::number(byte, 8).rightJustified(3, '0'));
        } else {
            quoted.append(byte);
        }
    }
    return quoted + "\"\n";
}

} // namespace

QByteArray unifiedDiff(QByteArrayView before, QByteArrayView after, QByteArrayView path, qsizetype limit)
{
    if (before == after) {
        return {};
    }
    const auto [start, end] = untouched(before, after);
    const qsizetype linesBefore = countByte(before.first(start), '\n');
    const Part beforePart{splitLines(before.chopped(end).sliced(start)), linesBefore};
    const Part afterPart{splitLines(after.chopped(end).sliced(start)), linesBefore};

    DiffWriter writer(limit);
    writer.addLine("--- ", fileName("a/", path));
    writer.addLine("+++ ", fileName("b/", path));
    QList<Change> hunk;
    for (const Change &change : changesBetween(beforePart, afterPart)) {
        if (!hunk.isEmpty() && change.before - hunk.last().beforeEnd > 2 * Context) {
            writeHunk(writer, beforePart, afterPart, hunk);
            hunk.clear();
        }
        hunk.append(change);
    }
    writeHunk(writer, beforePart, afterPart, hunk);
    return writer.finished();
}

} // namespace spettro
