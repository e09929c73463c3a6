#include "tools/search/SearchText.h"

#include <QStringDecoder>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace spettro {

namespace {

constexpr char32_t ForeignBase = 0xDC00;

unsigned byteAt(QByteArrayView bytes, qsizetype index)
{
    return static_cast<unsigned char>(bytes[index]);
}

/// The code point of a character whose length is known to be right.
char32_t decoded(QByteArrayView bytes, qsizetype length)
{
    constexpr std::array<unsigned, 5> LeadMask{0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t value = byteAt(bytes, 0) & LeadMask.at(static_cast<std::size_t>(length));
    for (qsizetype i = 1; i < length; ++i) {
        value = (value << 6) | (byteAt(bytes, i) & 0x3F);
    }
    return value;
}

} // namespace

qsizetype characterLength(QByteArrayView bytes)
{
    if (bytes.isEmpty()) {
        return 0;
    }
    const unsigned lead = byteAt(bytes, 0);
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    const qsizetype length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (bytes.size() < length) {
        return 0;
    }
    for (qsizetype i = 1; i < length; ++i) {
        if ((byteAt(bytes, i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const unsigned second = byteAt(bytes, 1);
    // Overlong forms, surrogates and what lies beyond the last code point.
    const bool isWrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)
                         || (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return isWrong ? 0 : length;
}

std::u32string toUnits(QByteArrayView bytes)
{
    std::u32string units;
    units.reserve(static_cast<std::size_t>(bytes.size()));
    while (!bytes.isEmpty()) {
        const qsizetype length = characterLength(bytes);
        units.push_back(length > 0 ? decoded(bytes, length) : ForeignBase + byteAt(bytes, 0));
        bytes = bytes.sliced(std::max<qsizetype>(length, 1));
    }
    return units;
}

bool isAscii(QByteArrayView bytes)
{
    constexpr std::uint64_t HighBits = 0x8080808080808080U;
    const char *position = bytes.begin();
    for (; bytes.end() - position >= 8; position += 8) {
        std::uint64_t block = 0;
        std::memcpy(&block, position, sizeof block);
        if ((block & HighBits) != 0) {
            return false;
        }
    }
    for (; position != bytes.end(); ++position) {
        if (static_cast<unsigned char>(*position) > 0x7F) {
            return false;
        }
    }
    return true;
}

QString toSearchable(QByteArrayView bytes)
{
    if (isAscii(bytes)) {
        return QString::fromLatin1(bytes.data(), bytes.size());
    }
    constexpr QByteArrayView Noncharacter("\xEF\xBF\xBF");
    if (bytes.isValidUtf8() && !bytes.contains(Noncharacter)) {
        // Unlike QString::fromUtf8 this keeps a byte order mark.
        QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::ConvertInitialBom);
        return decoder.decode(bytes);
    }
    QString text;
    text.reserve(bytes.size());
    while (!bytes.isEmpty()) {
        const qsizetype length = characterLength(bytes);
        if (length == 0 || bytes.startsWith(Noncharacter)) {
            text += QChar(ForeignByte);
            bytes = bytes.sliced(1);
            continue;
        }
        const char32_t value = decoded(bytes, length);
        if (QChar::requiresSurrogates(value)) {
            text += QChar(QChar::highSurrogate(value));
            text += QChar(QChar::lowSurrogate(value));
        } else {
            text += QChar(static_cast<char16_t>(value));
        }
        bytes = bytes.sliced(length);
    }
    return text;
}

qsizetype byteCount(QStringView searchable)
{
    qsizetype count = 0;
    for (const QChar character : searchable) {
        const char16_t unit = character.unicode();
        if (unit < 0x80 || unit == ForeignByte) {
            count += 1;
        } else if (unit < 0x800 || character.isSurrogate()) {
            count += 2; // a surrogate is one half of four bytes
        } else {
            count += 3;
        }
    }
    return count;
}

} // namespace spettro
