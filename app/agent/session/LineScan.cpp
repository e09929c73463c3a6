#include "app/agent/session/LineScan.h"

#include "app/agent/session/RecordText.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr qint64 Piece = qint64{256} * 1024; // bytes

/// Takes a file piece by piece and gives out its lines.
class LineAssembler
{
public:
    LineAssembler(const RecordVisitor &visit, LogFindings *findings) : m_visit(visit), m_findings(findings) {}

    void feed(QByteArrayView piece)
    {
        while (!piece.isEmpty()) {
            const qsizetype newline = piece.indexOf('\n');
            const QByteArrayView part = newline < 0 ? piece : piece.first(newline);
            // One byte too many is enough to know.
            m_line.append(part.first(std::min<qsizetype>(part.size(), LargestRecord + 1 - m_line.size())));
            if (newline < 0) {
                return;
            }
            finishLine();
            piece = piece.sliced(newline + 1);
        }
    }

    /// What is left is no whole line.
    void finish()
    {
        if (!m_line.isEmpty()) {
            finishLine();
        }
    }

private:
    void finishLine()
    {
        if (std::optional<Json> record = recordOf(m_line)) {
            ++m_findings->records;
            m_visit(std::move(*record));
        } else {
            ++m_findings->brokenLines;
        }
        m_line.resize(0); // keeps the memory for the next
    }

    const RecordVisitor &m_visit;
    LogFindings *m_findings;
    QByteArray m_line;
};

} // namespace

sandbox::Result<qint64, int> endOfLastLine(int file, qint64 size)
{
    QByteArray piece;
    for (qint64 end = size; end > 0;) {
        const qint64 start = std::max<qint64>(0, end - Piece);
        if (const int error = readAt(file, start, end - start, &piece)) {
            return error;
        }
        if (const qsizetype newline = piece.lastIndexOf('\n'); newline >= 0) {
            return start + newline + 1;
        }
        end = start;
    }
    return qint64{0};
}

int scanLines(int file, qint64 end, const RecordVisitor &visit, LogFindings *findings)
{
    LineAssembler lines(visit, findings);
    QByteArray piece;
    for (qint64 place = 0; place < end; place += piece.size()) {
        if (const int error = readAt(file, place, std::min(Piece, end - place), &piece)) {
            return error;
        }
        if (piece.isEmpty()) {
            break; // somebody has cut the file meanwhile
        }
        lines.feed(piece);
    }
    lines.finish();
    return 0;
}

} // namespace spettro
