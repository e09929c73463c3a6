#include "tools/search/LineSearchRun.h"

#include "tools/search/SearchText.h"

#include <algorithm>
#include <cstdint>

namespace spettro {

namespace {

/// How much is handed to the engine at once. Nothing interrupts the engine, so that it begins with little and gets
/// more while it is quick; and as a class that runs to the end of its line costs the square of the line's length,
/// the sum of squares is bounded too.
constexpr qsizetype SmallestSegment = qsizetype{32} * 1024;
constexpr qsizetype LargestSegment = qsizetype{1024} * 1024;
constexpr std::int64_t SegmentCost = 400'000'000;
constexpr std::chrono::milliseconds QuickSegment{10};
/// Longer lines are searched in windows, which overlap.
constexpr qsizetype LongLine = qsizetype{16} * 1024;
constexpr qsizetype WindowOverlap = qsizetype{4} * 1024;
/// What a look-behind sees in front of a window.
constexpr qsizetype WindowLead = 256;
constexpr std::chrono::seconds TimeLimit{5};

/// The part of a position that is no cut through a character.
qsizetype wholeCharacters(QByteArrayView text, qsizetype position)
{
    for (qsizetype back = 1; back <= 3 && back <= position; ++back) {
        if (characterLength(text.sliced(position - back)) > back) {
            return position - back;
        }
    }
    return position;
}

} // namespace

LineSearch::Run::Run(const LineSearch &search, QByteArrayView content, const Callback &callback,
                     const std::function<bool()> &isCancelled)
    : m_search(search), m_content(content), m_callback(callback), m_isCancelled(isCancelled),
      m_deadline(Clock::now() + TimeLimit)
{
    m_report.isBinary = content.contains('\0');
}

SearchReport LineSearch::Run::run()
{
    if (!m_search.m_literal.isEmpty()) {
        findLiteral();
    } else if (m_search.m_needsWholeText) {
        findIn(0, m_content.size());
    } else {
        findSegments();
    }
    return m_report;
}

bool LineSearch::Run::isRunning()
{
    if (m_report.end != SearchReport::End::Complete || m_isDone) {
        return false;
    }
    if (m_isCancelled && m_isCancelled()) {
        m_report.end = SearchReport::End::Cancelled;
    } else if (Clock::now() > m_deadline) {
        m_report.end = SearchReport::End::TooCostly;
    }
    return m_report.end == SearchReport::End::Complete;
}

qsizetype LineSearch::Run::lineEnd(qsizetype position) const
{
    const qsizetype newLine = position < m_content.size() ? m_content.indexOf('\n', position) : -1;
    return newLine < 0 ? m_content.size() : newLine;
}

qsizetype LineSearch::Run::lineStart(qsizetype position) const
{
    return position == 0 ? 0 : m_content.lastIndexOf('\n', position - 1) + 1;
}

qsizetype LineSearch::Run::report(qsizetype matchStart, qsizetype matchEnd)
{
    const qsizetype start = lineStart(matchStart);
    const qsizetype end = lineEnd(matchStart);
    ++m_report.matchingLines;
    if (m_report.isBinary) {
        m_isDone = true;
        return end + 1;
    }
    m_lineNumber += std::count(m_content.begin() + m_countedTo, m_content.begin() + start, '\n');
    m_countedTo = start;
    QByteArrayView line = m_content.sliced(start, end - start);
    if (line.endsWith('\r')) {
        line.chop(1);
    }
    const qsizetype length = std::max<qsizetype>(std::min(matchEnd, start + line.size()) - matchStart, 0);
    if (!m_callback({m_lineNumber, matchStart - start + 1, length, line})) {
        m_report.end = SearchReport::End::Stopped;
    }
    return end + 1;
}

void LineSearch::Run::findLiteral()
{
    constexpr int CheckEvery = 1024;
    qsizetype position = 0;
    for (int count = 0; position < m_content.size() && (count % CheckEvery != 0 || isRunning()); ++count) {
        const qsizetype found = m_search.m_matcher.indexIn(m_content.data(), m_content.size(), position);
        if (found < 0 || m_isDone || m_report.end != SearchReport::End::Complete) {
            return;
        }
        position = report(found, found + m_search.m_literal.size());
    }
}

void LineSearch::Run::findSegments()
{
    qsizetype size = SmallestSegment;
    qsizetype begin = 0;
    while (begin < m_content.size() && isRunning()) {
        const Clock::time_point started = Clock::now();
        const qsizetype end = segmentEnd(begin, size);
        if (end == begin) {
            begin = std::min(lineEnd(begin) + 1, m_content.size());
            findInLongLine(end, begin);
            continue;
        }
        findIn(begin, end);
        begin = end;
        size = Clock::now() - started < QuickSegment ? std::min(size * 2, LargestSegment) : SmallestSegment;
    }
}

qsizetype LineSearch::Run::segmentEnd(qsizetype begin, qsizetype size) const
{
    qsizetype end = begin;
    std::int64_t cost = 0;
    while (end < m_content.size() && end - begin < size && cost < SegmentCost) {
        const qsizetype next = std::min(lineEnd(end) + 1, m_content.size());
        const qsizetype length = next - end;
        if (length > LongLine) {
            break;
        }
        cost += std::int64_t{length} * length;
        end = next;
    }
    return end;
}

const QRegularExpression &LineSearch::Run::prepare(qsizetype begin, qsizetype end, QString &text) const
{
    const QByteArrayView bytes = m_content.sliced(begin, end - begin);
    text = toSearchable(bytes);
    if (m_report.isBinary) {
        text.replace(QChar(u'\0'), QChar(u'\n')); // as ripgrep does
    }
    return isAscii(bytes) ? m_search.m_forAscii : m_search.m_forUnicode;
}

QRegularExpressionMatch LineSearch::Run::match(const QRegularExpression &expression, const QString &text,
                                               qsizetype offset, QRegularExpression::MatchOptions options)
{
    options |= QRegularExpression::DontCheckSubjectStringMatchOption;
    QRegularExpressionMatch found = expression.match(text, offset, QRegularExpression::NormalMatch, options);
    if (!found.isValid()) {
        m_report.end = SearchReport::End::TooCostly;
    }
    return found;
}

void LineSearch::Run::findIn(qsizetype begin, qsizetype end)
{
    constexpr int CheckEvery = 256;
    QString text;
    const QRegularExpression &expression = prepare(begin, end, text);
    qsizetype offset = 0;
    qsizetype counted = 0;       // up to here in the text …
    qsizetype countedTo = begin; // … and in the content
    for (int count = 1; offset <= text.size() && !m_isDone; ++count) {
        if (count % CheckEvery == 0 && !isRunning()) {
            return;
        }
        const QRegularExpressionMatch found = match(expression, text, offset);
        if (!found.hasMatch()) {
            return;
        }
        const qsizetype start = found.capturedStart();
        if (start == text.size() && (text.isEmpty() || text.back() == u'\n')) {
            return; // behind the last line end there is no line
        }
        const QStringView view(text);
        const qsizetype matchStart = countedTo + byteCount(view.sliced(counted, start - counted));
        const qsizetype length = std::max<qsizetype>(found.capturedEnd() - start, 0);
        report(matchStart, matchStart + byteCount(view.sliced(start, length)));
        counted = start;
        countedTo = matchStart;
        const qsizetype newLine = text.indexOf(u'\n', start);
        if (newLine < 0 || m_report.end != SearchReport::End::Complete) {
            return;
        }
        offset = newLine + 1;
    }
}

void LineSearch::Run::findInLongLine(qsizetype begin, qsizetype end)
{
    QString text;
    const QRegularExpressionMatch whole = prepare(begin, end, text)
                                              .match(text, 0, QRegularExpression::NormalMatch,
                                                     QRegularExpression::DontCheckSubjectStringMatchOption
                                                         | QRegularExpression::AnchorAtOffsetMatchOption);
    if (whole.hasMatch()) { // giving up is no failure here
        report(begin, begin + byteCount(QStringView(text).first(whole.capturedEnd())));
        return;
    }
    text.clear();
    qsizetype windowBegin = begin;
    while (windowBegin < end && isRunning()) {
        const qsizetype windowEnd = borderBefore(windowBegin + LongLine, end);
        if (findInWindow(begin, windowBegin, windowEnd, end)) {
            return;
        }
        windowBegin = windowEnd == end ? end : wholeCharacters(m_content, windowEnd - WindowOverlap);
    }
}

qsizetype LineSearch::Run::borderBefore(qsizetype wanted, qsizetype end) const
{
    return wanted >= end ? end : wholeCharacters(m_content, wanted);
}

bool LineSearch::Run::findInWindow(qsizetype lineBegin, qsizetype windowBegin, qsizetype windowEnd,
                                   qsizetype end)
{
    constexpr qsizetype Growth = 4;
    const qsizetype leadBegin = wholeCharacters(m_content, std::max(lineBegin, windowBegin - WindowLead));
    const qsizetype lead = toSearchable(m_content.sliced(leadBegin, windowBegin - leadBegin)).size();
    QString text;
    QRegularExpressionMatch found = match(prepare(leadBegin, windowEnd, text), text, lead);
    // A match up to the border may be longer in truth, or owe itself to it: the same place with more behind it.
    while (found.hasMatch() && found.capturedEnd() == text.size() && windowEnd < end) {
        windowEnd = borderBefore(windowBegin + Growth * (windowEnd - windowBegin), end);
        const qsizetype start = found.capturedStart();
        found = match(prepare(leadBegin, windowEnd, text), text, start,
                      QRegularExpression::AnchorAtOffsetMatchOption);
    }
    const bool isBehindLine =
        found.hasMatch() && found.capturedStart() == text.size() && text.endsWith(u'\n');
    if (!found.hasMatch() || isBehindLine) {
        return false;
    }
    const QStringView view(text);
    const qsizetype start = leadBegin + byteCount(view.first(found.capturedStart()));
    const qsizetype length = std::max<qsizetype>(found.capturedLength(), 0);
    report(start, start + byteCount(view.sliced(found.capturedStart(), length)));
    return true;
}

} // namespace spettro
