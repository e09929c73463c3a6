#include "tools/text/LineReader.h"

namespace spettro {

LineReader::Line LineReader::next()
{
    const qsizetype start = m_position;
    const qsizetype ending = m_text.indexOf(m_lineEnd, start);
    if (ending < 0) {
        m_position = m_text.size();
        return {{start, m_position}, m_position};
    }
    m_position = ending + 1;
    const bool isCrLf = m_lineEnd == '\n' && ending > start && m_text[ending - 1] == '\r';
    return {{start, isCrLf ? ending - 1 : ending}, m_position};
}

QByteArrayView trimmedLine(QByteArrayView line)
{
    const auto isBlank = [](char byte) { return byte == ' ' || byte == '\t'; };
    while (!line.isEmpty() && isBlank(line.front())) {
        line = line.sliced(1);
    }
    while (!line.isEmpty() && isBlank(line.back())) {
        line.chop(1);
    }
    return line;
}

} // namespace spettro
