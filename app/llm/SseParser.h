#pragma once

#include <QByteArray>

#include <functional>

namespace spettro {

/// One server-sent event.
struct SseEvent
{
    QByteArray type; ///< Empty if the server named none.
    QByteArray data; ///< Never empty; lines joined by LF.

    bool operator==(const SseEvent &) const = default;
};

/// Takes a stream of server-sent events apart (WHATWG HTML, section 9.2), however the network cut it. Works on bytes:
/// no character is ever cut.
class SseParser
{
public:
    using Sink = std::function<void(const SseEvent &)>;

    /// `maximum`: bytes that one line, and all data of one event, may have.
    explicit SseParser(qsizetype maximum = DefaultMaximum);

    /// Reads on; calls `sink` for every event that ended. False, from then on for ever, if a line or an event was too
    /// long; nothing of it is kept.
    bool feed(QByteArrayView bytes, const Sink &sink);

    /// The stream is at its end: an event that only lacks its blank line is one, too. (The standard drops it; servers
    /// that forget the last line feed are many.)
    void finish(const Sink &sink);

    static constexpr qsizetype DefaultMaximum = qsizetype(16) * 1024 * 1024;

private:
    void endLine(QByteArrayView line, const Sink &sink);
    void dispatch(const Sink &sink);
    void overflow();

    qsizetype m_maximum;
    QByteArray m_line; ///< The part of the line before the current bytes.
    SseEvent m_event;
    bool m_hasData = false;
    bool m_isFirstLine = true;
    bool m_isAfterCr = false; ///< A LF that comes next belongs to that CR.
    bool m_isTooLong = false;
};

} // namespace spettro
