#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QList>

#include <chrono>
#include <optional>

namespace spettro {

/// One header of an HTTP response; names are compared without regard to case.
struct HttpHeader
{
    QByteArray name;
    QByteArray value;
};

/// The value of the first header of this name, trimmed; empty if there is none.
QByteArray headerValue(const QList<HttpHeader> &headers, QByteArrayView name);

/// How long the server wants to be left alone: `retry-after-ms`, or `Retry-After` in seconds, also with a fraction, or as
/// an HTTP date (compared with `now`). Negative times and dates gone by are 0; times of over a year are a year. Nothing
/// if there is no such header or if it cannot be read.
std::optional<std::chrono::milliseconds> retryAfter(const QList<HttpHeader> &headers, const QDateTime &now);

} // namespace spettro
