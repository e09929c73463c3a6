#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace spettro {

/// Keeps the beginning and the end of a long text, in memory that does not grow with it.
class OutputDigest
{
public:
    /// Limits in bytes; a negative one is 0. At most as much memory is used.
    OutputDigest(qsizetype headLimit, qsizetype tailLimit);

    /// `safeUtf8` is valid UTF-8 when put together; chunks may end inside a character.
    void append(QByteArrayView safeUtf8);

    /// Everything, as long as both limits together hold it; otherwise beginning and end with a line between
    /// them that says how much was left out. Cut at borders of characters, and of lines where one is near (a
    /// quarter of a limit).
    QByteArray text() const;

    bool isTruncated() const;
    qint64 totalBytes() const { return m_totalBytes; }
    /// An unfinished last line counts as one.
    qint64 totalLines() const;

private:
    QByteArray tail() const;

    qsizetype m_headLimit;
    qsizetype m_tailLimit;
    QByteArray m_head;
    QByteArray
        m_ring; ///< The last bytes behind the head; the oldest one at m_ringStart once the ring is full.
    qsizetype m_ringStart = 0;
    qint64 m_totalBytes = 0;
    qint64 m_newLines = 0;
    char m_lastByte = '\n';
};

} // namespace spettro
