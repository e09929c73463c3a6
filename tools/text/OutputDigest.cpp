#include "tools/text/OutputDigest.h"

#include "tools/text/LineEndings.h"
#include "tools/text/Utf8.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype LineSearchShare = 4;
constexpr qsizetype LongestCharacter = 4;

qint64 newLinesIn(QByteArrayView text)
{
    return countByte(text, '\n');
}

bool isContinuation(char byte)
{
    return (static_cast<quint8>(byte) & 0xC0U) == 0x80;
}

/// `head` without a cut character and, if the last line border is near, without a cut line.
QByteArrayView trimmedHead(QByteArrayView head)
{
    const qsizetype border = head.lastIndexOf('\n') + 1;
    if (border > 0 && head.size() - border <= head.size() / LineSearchShare) {
        return head.first(border);
    }
    for (qsizetype length = 1; length < LongestCharacter && length <= head.size(); ++length) {
        const QByteArrayView last = head.last(length);
        if (!isContinuation(last[0])) {
            const bool isCut = firstUtf8Character(last).kind == Utf8Character::Kind::Incomplete;
            return isCut ? head.chopped(length) : head;
        }
    }
    return head;
}

QByteArrayView trimmedTail(QByteArrayView tail)
{
    const qsizetype border = tail.indexOf('\n') + 1;
    if (border > 0 && border < tail.size() && border <= tail.size() / LineSearchShare) {
        return tail.sliced(border);
    }
    qsizetype start = 0;
    while (start < tail.size() && start < LongestCharacter - 1 && isContinuation(tail[start])) {
        ++start;
    }
    return tail.sliced(start);
}

} // namespace

OutputDigest::OutputDigest(qsizetype headLimit, qsizetype tailLimit)
    : m_headLimit(std::max<qsizetype>(headLimit, 0)), m_tailLimit(std::max<qsizetype>(tailLimit, 0))
{}

void OutputDigest::append(QByteArrayView safeUtf8)
{
    if (safeUtf8.isEmpty()) {
        return;
    }
    m_totalBytes += safeUtf8.size();
    m_newLines += newLinesIn(safeUtf8);
    m_lastByte = safeUtf8.back();

    const qsizetype forHead = std::min(m_headLimit - m_head.size(), safeUtf8.size());
    m_head.append(safeUtf8.first(forHead));
    safeUtf8 = safeUtf8.sliced(forHead);

    safeUtf8 = safeUtf8.last(std::min(safeUtf8.size(), m_tailLimit));
    const qsizetype forGrowth = std::min(m_tailLimit - m_ring.size(), safeUtf8.size());
    m_ring.append(safeUtf8.first(forGrowth));
    safeUtf8 = safeUtf8.sliced(forGrowth);
    while (!safeUtf8.isEmpty()) {
        const qsizetype size = std::min(m_tailLimit - m_ringStart, safeUtf8.size());
        std::copy_n(safeUtf8.begin(), size, m_ring.begin() + m_ringStart);
        m_ringStart = (m_ringStart + size) % m_tailLimit;
        safeUtf8 = safeUtf8.sliced(size);
    }
}

QByteArray OutputDigest::tail() const
{
    return m_ring.sliced(m_ringStart) + m_ring.first(m_ringStart);
}

QByteArray OutputDigest::text() const
{
    const QByteArray wholeTail = tail();
    if (!isTruncated()) {
        return m_head + wholeTail;
    }
    const QByteArrayView headPart = trimmedHead(m_head);
    const QByteArrayView tailPart = trimmedTail(wholeTail);
    const qint64 bytes = m_totalBytes - headPart.size() - tailPart.size();
    const qint64 lines = m_newLines - newLinesIn(headPart) - newLinesIn(tailPart);
    QByteArray out = headPart.toByteArray();
    if (!out.isEmpty() && !out.endsWith('\n')) {
        out.append('\n');
    }
    out.append("[... " + QByteArray::number(bytes) + " bytes (" + QByteArray::number(lines)
               + " lines) left out ...]\n");
    return out.append(tailPart);
}

bool OutputDigest::isTruncated() const
{
    return m_totalBytes > m_head.size() + m_ring.size();
}

qint64 OutputDigest::totalLines() const
{
    return m_newLines + (m_lastByte == '\n' ? 0 : 1);
}

} // namespace spettro
