#include "tools/text/LineEndings.h"

#include <algorithm>

namespace spettro {

namespace {

/// Short enough for sums in one byte, which compilers turn into vector code.
constexpr qsizetype BlockSize = 128;

bool isControl(quint8 byte)
{
    return byte < 7 || (byte > 13 && byte < 32 && byte != 27) || byte == 127;
}

} // namespace

ByteCounts countBytes(QByteArrayView content)
{
    ByteCounts counts;
    for (qsizetype begin = 0; begin < content.size(); begin += BlockSize) {
        const qsizetype size = std::min(BlockSize, content.size() - begin);
        const auto *bytes = reinterpret_cast<const quint8 *>(content.data()) + begin;
        quint8 lf = 0;
        quint8 cr = 0;
        quint8 nul = 0;
        quint8 control = 0;
        for (qsizetype i = 0; i < size; ++i) {
            lf = quint8(lf + quint8(bytes[i] == '\n'));
            cr = quint8(cr + quint8(bytes[i] == '\r'));
            nul = quint8(nul + quint8(bytes[i] == 0));
            control = quint8(control + quint8(isControl(bytes[i])));
        }
        counts.lf += lf;
        counts.cr += cr;
        counts.nul += nul;
        counts.control += control;
        if (cr > 0) {
            const qsizetype last = std::min(size, content.size() - begin - 1);
            quint8 crLf = 0;
            for (qsizetype i = 0; i < last; ++i) {
                crLf = quint8(crLf + (quint8(bytes[i] == '\r') & quint8(bytes[i + 1] == '\n')));
            }
            counts.crLf += crLf;
        }
    }
    return counts;
}

qsizetype countByte(QByteArrayView text, char byte)
{
    qsizetype count = 0;
    while (!text.isEmpty()) {
        const QByteArrayView block = text.first(std::min(BlockSize, text.size()));
        quint8 inBlock = 0;
        for (const char other : block) {
            inBlock = quint8(inBlock + quint8(other == byte));
        }
        count += inBlock;
        text = text.sliced(block.size());
    }
    return count;
}

TextFormat::LineEnding lineEndingOf(const ByteCounts &counts)
{
    using enum TextFormat::LineEnding;
    if (counts.lf == 0) {
        return counts.cr == 0 ? None : Cr;
    }
    if (counts.cr == 0) {
        return Lf;
    }
    return counts.cr == counts.crLf && counts.lf == counts.crLf ? CrLf : Mixed;
}

QByteArrayView dominantEnding(const ByteCounts &counts)
{
    if (counts.lf == 0) {
        return counts.cr == 0 ? QByteArrayView() : QByteArrayView("\r");
    }
    return counts.crLf > counts.lf - counts.crLf ? QByteArrayView("\r\n") : QByteArrayView("\n");
}

} // namespace spettro
