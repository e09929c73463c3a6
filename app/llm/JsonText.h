#pragma once

#include "tools/Json.h"

#include <QByteArray>

#include <optional>

namespace spettro {

/// Reads one JSON value. Nothing if the text is none, is not UTF-8 or is nested more than 200 deep (writing such a
/// value again would take as much stack).
std::optional<Json> parseJson(QByteArrayView text);

/// Writes JSON in one line. Bytes that are not UTF-8 become U+FFFD, so that every server can read the result.
QByteArray toText(const Json &value);

/// `text` as a JSON string. (nlohmann-json knows no QByteArray.)
Json toJson(QByteArrayView text);

// A server may leave out any member or give it any type: these never fail.

/// The member, or null if `value` is no object or has no such member.
const Json &member(const Json &value, const char *name);

/// The element, or null if `value` is no array or is shorter.
const Json &element(const Json &value, std::size_t index);

/// The text of a string; empty for everything else.
QByteArray textOf(const Json &value);

/// A whole number, also one written with a point; nothing for everything else and beyond 2^53.
std::optional<qint64> integerOf(const Json &value);

} // namespace spettro
