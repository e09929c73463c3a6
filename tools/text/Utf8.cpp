#include "tools/text/Utf8.h"

namespace spettro {

namespace {

/// What a lead byte asks for: the length of the character and the range of its second byte.
struct Lead
{
    qsizetype length;
    quint8 secondFirst;
    quint8 secondLast;
};

Lead leadOf(quint8 byte)
{
    if (byte >= 0xC2 && byte <= 0xDF) {
        return {2, 0x80, 0xBF};
    }
    if ((byte & 0xF0U) == 0xE0) {
        return {3, quint8(byte == 0xE0 ? 0xA0 : 0x80), quint8(byte == 0xED ? 0x9F : 0xBF)};
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        return {4, quint8(byte == 0xF0 ? 0x90 : 0x80), quint8(byte == 0xF4 ? 0x8F : 0xBF)};
    }
    return {0, 0, 0};
}

} // namespace

Utf8Character firstUtf8Character(QByteArrayView text)
{
    using Kind = Utf8Character::Kind;
    const auto first = static_cast<quint8>(text[0]);
    if (first < 0x80) {
        return {Kind::Valid, first, 1};
    }
    const Lead lead = leadOf(first);
    if (lead.length == 0) {
        return {Kind::Broken, 0, 1};
    }
    char32_t value = first & (0xFFU >> (lead.length + 1));
    for (qsizetype i = 1; i < lead.length; ++i) {
        if (i >= text.size()) {
            return {Kind::Incomplete, 0, i};
        }
        const auto byte = static_cast<quint8>(text[i]);
        const bool fits =
            i == 1 ? byte >= lead.secondFirst && byte <= lead.secondLast : (byte & 0xC0U) == 0x80;
        if (!fits) {
            return {Kind::Broken, 0, i};
        }
        value = (value << 6U) | (byte & 0x3FU);
    }
    return {Kind::Valid, value, lead.length};
}

bool isNonCharacter(char32_t character)
{
    return (character & 0xFFFEU) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
}

} // namespace spettro
