#include "tools/text/Utf16.h"

#include "tools/text/Utf8.h"

#include <QtEndian>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype FewestUnits = 4;
constexpr qsizetype SampleBytes = 512;

QString unitsOf(QByteArrayView bytes, ByteOrder order)
{
    QString units(bytes.size() / 2, Qt::Uninitialized);
    auto *out = reinterpret_cast<char16_t *>(units.data());
    if (order == ByteOrder::Little) {
        qFromLittleEndian<char16_t>(bytes.data(), units.size(), out);
    } else {
        qFromBigEndian<char16_t>(bytes.data(), units.size(), out);
    }
    return units;
}

bool isTextUnit(QChar unit)
{
    const char16_t value = unit.unicode();
    return value >= 0x20 ? !isNonCharacter(value) : value >= 0x09 && value <= 0x0D;
}

bool isMostlyAscii(QStringView units)
{
    const auto ascii =
        std::count_if(units.begin(), units.end(), [](QChar unit) { return unit < QChar(0x7F); });
    return std::all_of(units.begin(), units.end(), isTextUnit) && ascii * 2 >= units.size();
}

} // namespace

std::optional<QString> decodeUtf16(QByteArrayView bytes, ByteOrder order)
{
    if (bytes.size() % 2 != 0) {
        return std::nullopt;
    }
    QString units = unitsOf(bytes, order);
    return units.isValidUtf16() ? std::optional(std::move(units)) : std::nullopt;
}

QByteArray encodeUtf16(QStringView units, ByteOrder order)
{
    QByteArray bytes(units.size() * 2, Qt::Uninitialized);
    if (order == ByteOrder::Little) {
        qToLittleEndian<char16_t>(units.utf16(), units.size(), bytes.data());
    } else {
        qToBigEndian<char16_t>(units.utf16(), units.size(), bytes.data());
    }
    return bytes;
}

std::optional<QString> decodeUtf8Strictly(QByteArrayView bytes)
{
    QString units(bytes.size(), Qt::Uninitialized);
    QChar *out = units.data();
    for (qsizetype i = 0; i < bytes.size();) {
        const Utf8Character character = firstUtf8Character(bytes.sliced(i));
        if (character.kind != Utf8Character::Kind::Valid) {
            return std::nullopt;
        }
        if (QChar::requiresSurrogates(character.value)) {
            *out++ = QChar(QChar::highSurrogate(character.value));
            *out++ = QChar(QChar::lowSurrogate(character.value));
        } else {
            *out++ = QChar(static_cast<char16_t>(character.value));
        }
        i += character.length;
    }
    units.truncate(out - units.constData());
    return units;
}

bool looksLikeUtf16(QByteArrayView bytes, ByteOrder order)
{
    if (bytes.size() % 2 != 0 || bytes.size() < 2 * FewestUnits) {
        return false;
    }
    // The sample spares ordinary files the conversion of the whole.
    if (!isMostlyAscii(unitsOf(bytes.first(std::min(bytes.size(), SampleBytes)), order))) {
        return false;
    }
    const std::optional<QString> units = decodeUtf16(bytes, order);
    return units && isMostlyAscii(*units);
}

} // namespace spettro
