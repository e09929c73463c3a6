#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <string>

namespace spettro {

/// Stands for a byte that belongs to no character when bytes are read as UTF-8 for searching. A noncharacter that
/// no text should hold; where one does, its three bytes are taken for three such bytes.
inline constexpr char16_t ForeignByte = u'\uFFFF';

/// The code points of UTF-8 text; a byte that belongs to no character becomes 0xDC00 plus its value.
std::u32string toUnits(QByteArrayView bytes);

/// Whether there is no byte above 127.
bool isAscii(QByteArrayView bytes);

/// UTF-8 as UTF-16, every byte that belongs to no character as one `ForeignByte`.
QString toSearchable(QByteArrayView bytes);

/// How many bytes a part of what `toSearchable` gave had. The part must not cut a surrogate pair.
qsizetype byteCount(QStringView searchable);

/// The length of the UTF-8 character at the beginning, 0 if there is none (an empty text as well).
qsizetype characterLength(QByteArrayView bytes);

} // namespace spettro
