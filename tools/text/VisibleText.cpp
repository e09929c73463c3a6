#include "tools/text/SafeText.h"
#include "tools/text/Utf8.h"
#include "tools/text/VisibleCode.h"

#include <QChar>

#include <algorithm>
#include <array>

namespace spettro {

namespace {

struct CharacterRange
{
    char32_t first;
    char32_t last;
};

// Without width although their category says nothing of it: joiners, fillers, variation selectors, and the
// rest of the plane of tags.
constexpr std::array InvisibleRanges{
    CharacterRange{0x034F, 0x034F},   CharacterRange{0x115F, 0x1160}, CharacterRange{0x17B4, 0x17B5},
    CharacterRange{0x180B, 0x180F},   CharacterRange{0x2060, 0x206F}, CharacterRange{0x3164, 0x3164},
    CharacterRange{0xFE00, 0xFE0F},   CharacterRange{0xFFA0, 0xFFA0}, CharacterRange{0xFFF0, 0xFFFB},
    CharacterRange{0xE0000, 0xE0FFF},
};

bool isInvisible(char32_t character)
{
    switch (QChar::category(character)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    case QChar::Separator_Space:
        return character != U' ';
    default:
        return isNonCharacter(character)
               || std::any_of(InvisibleRanges.begin(), InvisibleRanges.end(),
                              [character](const CharacterRange &range) {
                                  return character >= range.first && character <= range.last;
                              });
    }
}

void appendHex(QByteArray &out, char32_t value, qsizetype digits)
{
    out.append(QByteArray::number(static_cast<uint>(value), 16).rightJustified(digits, '0'));
}

} // namespace

void appendVisibleCode(QByteArray &out, char32_t character)
{
    const bool isAscii = character < 0x80;
    const bool isShort = character <= 0xFFFF;
    out.append(isAscii ? "\\x" : isShort ? "\\u" : "\\U");
    appendHex(out, character, isAscii ? 2 : isShort ? 4 : 8);
}

void appendVisibleByte(QByteArray &out, char byte)
{
    out.append("\\x");
    appendHex(out, static_cast<quint8>(byte), 2);
}

QByteArray visibleText(QByteArrayView bytes)
{
    QByteArray out;
    out.reserve(bytes.size());
    while (!bytes.isEmpty()) {
        const Utf8Character character = firstUtf8Character(bytes);
        const QByteArrayView own = bytes.first(character.length);
        if (character.kind != Utf8Character::Kind::Valid) {
            for (const char byte : own) {
                appendVisibleByte(out, byte);
            }
        } else if (isInvisible(character.value)) {
            appendVisibleCode(out, character.value);
        } else {
            out.append(own);
        }
        bytes = bytes.sliced(own.size());
    }
    return out;
}

} // namespace spettro
