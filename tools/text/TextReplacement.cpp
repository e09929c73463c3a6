#include "tools/text/TextReplacement.h"

#include "tools/text/ByteSearch.h"
#include "tools/text/FoldedText.h"
#include "tools/text/LineEndings.h"
#include "tools/text/LineMatch.h"
#include "tools/text/LineReader.h"
#include "tools/text/Replacer.h"

#include <QStringList>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype MostReplacements = 1'000'000; // bounds the memory
constexpr qsizetype MostNamedLines = 10;
constexpr qsizetype MostHintLines = 3;
constexpr qsizetype ShortestHint = 3;

struct Matches
{
    QList<Span> spans; ///< Ascending, those that overlap others too.
    MatchKind kind = MatchKind::Exact;
};

QList<Span> spansOf(const QList<qsizetype> &starts, qsizetype size)
{
    QList<Span> spans;
    spans.reserve(starts.size());
    for (const qsizetype start : starts) {
        spans.append({start, start + size});
    }
    return spans;
}

QList<Span> findExactly(QByteArrayView body, QByteArrayView wanted)
{
    QList<Span> spans = spansOf(findAll(body, wanted), wanted.size());
    if (wanted.startsWith('\n')) {
        // The second half of a CRLF: the search for line endings finds the whole.
        spans.removeIf([body](const Span &span) { return span.start > 0 && body[span.start - 1] == '\r'; });
    }
    return spans;
}

/// The old text with LF, whatever ends its lines.
QByteArray foldedWish(const QByteArray &wanted, char lineEnd)
{
    QByteArray folded = QByteArray(wanted).replace("\r\n", "\n");
    return lineEnd == '\r' ? folded.replace('\r', '\n') : folded;
}

QList<Span> findButForEndings(QByteArrayView body, const QByteArray &wanted, char lineEnd)
{
    QByteArray folded = foldedWish(wanted, lineEnd);
    const bool isSameWish = folded == wanted && !body.contains('\r');
    if (isSameWish || !folded.contains('\n')) {
        return {};
    }
    if (lineEnd == '\r') {
        folded.replace('\n', '\r');
        return spansOf(findAll(body, folded), folded.size());
    }
    const FoldedText text(body);
    QList<Span> spans = spansOf(findAll(text.text(), folded), folded.size());
    for (Span &span : spans) {
        span = text.originalOf(span);
    }
    return spans;
}

QList<Span> withoutOverlaps(const QList<Span> &spans)
{
    QList<Span> kept;
    for (const Span &span : spans) {
        if (kept.isEmpty() || kept.last().end <= span.start) {
            kept.append(span);
        }
    }
    return kept;
}

QString named(const QList<qsizetype> &lines, qsizetype count)
{
    QStringList numbers;
    for (const qsizetype line : lines) {
        numbers << QString::number(line);
    }
    const QString more = count > lines.size() ? QStringLiteral(" and more") : QString();
    return (count == 1 ? QStringLiteral("line ") : QStringLiteral("lines "))
           + numbers.join(QStringLiteral(", ")) + more;
}

QString namedLines(QByteArrayView body, const QList<Span> &spans, char lineEnd)
{
    QList<qsizetype> positions;
    for (const Span &span : spans.first(std::min(spans.size(), MostNamedLines))) {
        positions.append(span.start);
    }
    return named(lineNumbers(body, positions, lineEnd), spans.size());
}

/// Where the first line of the old text is, for a model that has the lines after it wrong.
QString hint(QByteArrayView body, QByteArrayView wanted, char lineEnd)
{
    for (LineReader reader(wanted, '\n'); !reader.atEnd();) {
        const Span span = reader.next().content;
        const QByteArrayView line = trimmedLine(wanted.sliced(span.start, span.end - span.start));
        if (line.isEmpty()) {
            continue;
        }
        const QList<qsizetype> found = findAll(body, line);
        if (line.size() < ShortestHint || found.isEmpty()) {
            return {};
        }
        const QList<qsizetype> first = found.first(std::min(found.size(), MostHintLines));
        return QStringLiteral("; its first line occurs in ")
               + named(lineNumbers(body, first, lineEnd), found.size());
    }
    return {};
}

/// `count` non-overlapping places of `all`; why they are not those that the edit asks for.
QString judgeCount(const QList<Span> &all, qsizetype count, const TextEdit &edit, const QString &where)
{
    if (edit.expectedReplacements && *edit.expectedReplacements != count) {
        return QStringLiteral("the old text was found %1 times (%2), not %3 times as expected")
            .arg(count)
            .arg(where)
            .arg(*edit.expectedReplacements);
    }
    if (edit.replaceAll || (all.size() == count && (count == 1 || edit.expectedReplacements))) {
        return {};
    }
    if (edit.expectedReplacements || count == 1) {
        return QStringLiteral(
                   "the old text was found %1 times in places that overlap (%2); add text around it")
            .arg(all.size())
            .arg(where);
    }
    return QStringLiteral(
               "the old text was found %1 times (%2); add lines around it until it is unique, or ask for all "
               "to be replaced")
        .arg(all.size())
        .arg(where);
}

ReplacementPlan planByWhitespace(QByteArrayView body, const TextEdit &edit, const TextLines &lines)
{
    const QByteArray wanted = foldedWish(edit.oldText, lines.lineEnd());
    const LineMatches matches = findLines(body, wanted, lines.lineEnd());
    if (matches.count == 0) {
        return {{},
                MatchKind::Whitespace,
                QStringLiteral("the old text was found 0 times") + hint(body, wanted, lines.lineEnd())};
    }
    if (matches.count > 1 || edit.expectedReplacements.value_or(1) != 1) {
        return {
            {},
            MatchKind::Whitespace,
            QStringLiteral(
                "the old text was found 0 times; with other whitespace its lines were found %1 times (%2)")
                .arg(matches.count)
                .arg(named(matches.lines, matches.count))};
    }
    const Span span = matches.first;
    const QByteArrayView replaced = body.sliced(span.start, span.end - span.start);
    QByteArray inserted = withEndingsOf(reindented(edit.newText, wanted, replaced, lines.lineEnd()), replaced,
                                        lines.dominantEnding(), lines.lineEnd());
    if (wanted.endsWith('\n') && !replaced.endsWith(lines.lineEnd())) {
        // The last line of the file has no ending, so it gets none.
        for (const char ending : {'\n', '\r'}) {
            if (inserted.endsWith(ending)) {
                inserted.chop(1);
            }
        }
    }
    return {{{span, inserted}}, MatchKind::Whitespace, {}};
}

} // namespace

TextLines::TextLines(QByteArrayView text)
{
    const ByteCounts counts = countBytes(text);
    m_lineEnd = lineEndingOf(counts) == TextFormat::LineEnding::Cr ? '\r' : '\n';
    m_dominantEnding = spettro::dominantEnding(counts);
}

ReplacementPlan planReplacement(QByteArrayView body, const TextEdit &edit, const TextLines &lines)
{
    if (edit.oldText.isEmpty()) {
        return {{{{0, 0}, edit.newText}}, MatchKind::Exact, {}};
    }
    Matches matches{findExactly(body, edit.oldText), MatchKind::Exact};
    if (matches.spans.isEmpty()) {
        matches = {findButForEndings(body, edit.oldText, lines.lineEnd()), MatchKind::LineEndings};
    }
    if (matches.spans.isEmpty()) {
        return planByWhitespace(body, edit, lines);
    }
    if (matches.spans.size() > MostReplacements) {
        return {
            {},
            matches.kind,
            QStringLiteral("the old text was found %1 times, which is too often").arg(matches.spans.size())};
    }
    const QList<Span> spans = withoutOverlaps(matches.spans);
    QString why =
        judgeCount(matches.spans, spans.size(), edit, namedLines(body, matches.spans, lines.lineEnd()));
    if (!why.isEmpty()) {
        return {{}, matches.kind, std::move(why)};
    }
    ReplacementPlan plan{{}, matches.kind, {}};
    plan.splices.reserve(spans.size());
    for (const Span &span : spans) {
        const QByteArrayView replaced = body.sliced(span.start, span.end - span.start);
        plan.splices.append(
            {span, withEndingsOf(edit.newText, replaced, lines.dominantEnding(), lines.lineEnd())});
    }
    return plan;
}

QList<qsizetype> lineNumbers(QByteArrayView body, const QList<qsizetype> &positions, char lineEnd)
{
    QList<qsizetype> lines;
    lines.reserve(positions.size());
    qsizetype line = 1;
    qsizetype counted = 0;
    for (const qsizetype position : positions) {
        line += countByte(body.sliced(counted, position - counted), lineEnd);
        counted = position;
        lines.append(line);
    }
    return lines;
}

} // namespace spettro
