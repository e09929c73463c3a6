#pragma once

#include "tools/text/Span.h"

#include <QByteArrayView>

namespace spettro {

/// Reads a text line by line. A line ends with LF, CRLF, or CR where `lineEnd` is '\r'.
class LineReader
{
public:
    struct Line
    {
        Span content;      ///< Without its ending.
        qsizetype end = 0; ///< Behind its ending; equal to `content.end` in an unfinished last line.
    };

    LineReader(QByteArrayView text, char lineEnd) : m_text(text), m_lineEnd(lineEnd) {}

    bool atEnd() const { return m_position >= m_text.size(); }
    /// The next line; only when not at the end.
    Line next();

private:
    QByteArrayView m_text;
    char m_lineEnd;
    qsizetype m_position = 0;
};

/// Without the blanks and tabs at both ends.
QByteArrayView trimmedLine(QByteArrayView line);

} // namespace spettro
