#pragma once

#include "tools/search/LineSearch.h"

#include <QByteArrayView>
#include <QRegularExpression>
#include <QString>

#include <chrono>
#include <functional>

namespace spettro {

/// One search in one content.
class LineSearch::Run
{
public:
    Run(const LineSearch &search, QByteArrayView content, const Callback &callback,
        const std::function<bool()> &isCancelled);

    SearchReport run();

private:
    using Clock = std::chrono::steady_clock;

    bool isRunning();
    qsizetype lineEnd(qsizetype position) const;
    qsizetype lineStart(qsizetype position) const;
    /// Reports the line of a match; gives where the next line begins, behind the content if there is none.
    qsizetype report(qsizetype matchStart, qsizetype matchEnd);
    void findLiteral();
    void findSegments();
    /// Where a segment of whole lines ends: at its beginning if the first line is a long one.
    qsizetype segmentEnd(qsizetype begin, qsizetype size) const;
    /// The text of a part for the engine, and the expression for such text.
    const QRegularExpression &prepare(qsizetype begin, qsizetype end, QString &text) const;
    QRegularExpressionMatch match(const QRegularExpression &expression, const QString &text, qsizetype offset,
                                  QRegularExpression::MatchOptions options = {});
    void findIn(qsizetype begin, qsizetype end);
    /// Searches a line for its first match: whether one begins the line, however long it is, and then in windows.
    void findInLongLine(qsizetype begin, qsizetype end);
    qsizetype borderBefore(qsizetype wanted, qsizetype end) const;
    bool findInWindow(qsizetype lineBegin, qsizetype windowBegin, qsizetype windowEnd, qsizetype end);

    const LineSearch &m_search;
    QByteArrayView m_content;
    const Callback &m_callback;
    const std::function<bool()> &m_isCancelled;
    SearchReport m_report;
    Clock::time_point m_deadline;
    qsizetype m_lineNumber = 1;
    qsizetype m_countedTo = 0;
    bool m_isDone = false;
};

} // namespace spettro
