#pragma once

#include <QByteArray>

namespace spettro {

/// Appends `\x1b` for a character below U+0080, `\u202e` for one up to U+FFFF, `\U000e0001` for others.
void appendVisibleCode(QByteArray &out, char32_t character);

/// Appends `\xff`.
void appendVisibleByte(QByteArray &out, char byte);

} // namespace spettro
