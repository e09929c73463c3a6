#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <optional>

namespace spettro {

/// UTF-16 as bytes, without a byte order mark.
enum class ByteOrder { Little, Big };

/// The code units of `bytes`, when they are whole and no surrogate stands alone: only then no conversion
/// loses anything.
std::optional<QString> decodeUtf16(QByteArrayView bytes, ByteOrder order);

QByteArray encodeUtf16(QStringView units, ByteOrder order);

/// Nothing for bytes that are no valid UTF-8. A leading U+FEFF is kept, unlike with `QString::fromUtf8`.
std::optional<QString> decodeUtf8Strictly(QByteArrayView bytes);

/// Whether bytes without a mark are UTF-16 beyond doubt: whole and well-formed, at least four characters,
/// half of them or more ASCII, no control characters.
bool looksLikeUtf16(QByteArrayView bytes, ByteOrder order);

} // namespace spettro
