#pragma once

#include "tools/Json.h"

#include <QByteArray>

#include <optional>

namespace spettro {

/// The largest record as text, in bytes. Longer outputs are cut before they get here.
inline constexpr qint64 LargestRecord = qint64{16} * 1024 * 1024;

/// A record as one line of JSON, without the line's end: valid UTF-8 (what is no UTF-8 becomes U+FFFD). Nothing where it
/// would not be read again: no object with a `type`, too large, nested too deeply.
std::optional<QByteArray> textOfRecord(const Json &record);

/// The record in a line; nothing where there is none.
std::optional<Json> recordOf(QByteArrayView line);

/// A path, which is bytes, as text: everything but plain characters is written as %XX.
std::string encodedPath(const QByteArray &path);
QByteArray decodedPath(const std::string &text);

} // namespace spettro
