#pragma once

#include "app/http/HttpHeader.h"

#include <QDateTime>

#include <chrono>
#include <optional>

namespace spettro {

/// How long the server wants to be left alone: `retry-after-ms`, or `Retry-After` in seconds, also with a fraction, or as
/// an HTTP date (compared with `now`). Negative times and dates gone by are 0; times of over a year are a year. Nothing
/// if there is no such header or if it cannot be read.
std::optional<std::chrono::milliseconds> retryAfter(const HttpHeaders &headers, const QDateTime &now);

} // namespace spettro
