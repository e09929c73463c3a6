#include "app/llm/SseParser.h"

#include <algorithm>
#include <utility>

namespace spettro {

SseParser::SseParser(qsizetype maximum) : m_maximum(maximum) {}

bool SseParser::feed(QByteArrayView bytes, const Sink &sink)
{
    while (!bytes.isEmpty() && !m_isTooLong) {
        if (m_isAfterCr) {
            m_isAfterCr = false;
            if (bytes.front() == '\n') {
                bytes = bytes.sliced(1);
                continue;
            }
        }
        const auto end =
            std::find_if(bytes.begin(), bytes.end(), [](char byte) { return byte == '\n' || byte == '\r'; });
        const QByteArrayView part = bytes.first(end - bytes.begin());
        if (m_line.size() + part.size() > m_maximum) {
            overflow();
            break;
        }
        if (end == bytes.end()) {
            m_line += part;
            break;
        }
        m_isAfterCr = *end == '\r';
        bytes = bytes.sliced(part.size() + 1);
        if (m_line.isEmpty()) {
            endLine(part, sink);
        } else {
            m_line += part;
            const QByteArray line = std::exchange(m_line, {});
            endLine(line, sink);
        }
    }
    return !m_isTooLong;
}

void SseParser::finish(const Sink &sink)
{
    if (m_isTooLong) {
        return;
    }
    if (!m_line.isEmpty()) {
        const QByteArray line = std::exchange(m_line, {});
        endLine(line, sink);
    }
    dispatch(sink);
}

void SseParser::endLine(QByteArrayView line, const Sink &sink)
{
    if (std::exchange(m_isFirstLine, false) && line.startsWith("\xEF\xBB\xBF")) {
        line = line.sliced(3);
    }
    if (line.isEmpty()) {
        dispatch(sink);
        return;
    }
    const qsizetype colon = line.indexOf(':');
    const QByteArrayView field = colon < 0 ? line : line.first(colon);
    QByteArrayView value = colon < 0 ? QByteArrayView() : line.sliced(colon + 1);
    if (value.startsWith(' ')) {
        value = value.sliced(1);
    }
    if (field == "event") {
        m_event.type = value.toByteArray();
    } else if (field == "data") {
        if (m_event.data.size() + value.size() >= m_maximum) {
            overflow();
            return;
        }
        if (m_hasData) {
            m_event.data += '\n';
        }
        m_event.data += value;
        m_hasData = true;
    }
}

void SseParser::dispatch(const Sink &sink)
{
    const SseEvent event = std::exchange(m_event, {});
    m_hasData = false;
    if (!event.data.isEmpty()) {
        sink(event);
    }
}

void SseParser::overflow()
{
    m_isTooLong = true;
    m_line = {};
    m_event = {};
}

} // namespace spettro
