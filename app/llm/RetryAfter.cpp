#include "app/llm/RetryAfter.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace spettro {

namespace {

constexpr double LongestMilliseconds = 365.0 * 24 * 3600 * 1000;

std::chrono::milliseconds bounded(double milliseconds)
{
    return std::chrono::milliseconds(static_cast<qint64>(std::clamp(milliseconds, 0.0, LongestMilliseconds)));
}

std::optional<double> number(const QByteArray &text)
{
    bool isNumber = false;
    const double value = text.toDouble(&isNumber); // Always in the C locale.
    if (!isNumber || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

} // namespace

std::optional<std::chrono::milliseconds> retryAfter(const HttpHeaders &headers, const QDateTime &now)
{
    if (const auto milliseconds = number(headerValue(headers, "retry-after-ms"))) {
        return bounded(*milliseconds);
    }
    const QByteArray value = headerValue(headers, "retry-after");
    if (const auto seconds = number(value)) {
        return bounded(*seconds * 1000);
    }
    QDateTime date = QLocale::c().toDateTime(QString::fromLatin1(value),
                                             QStringLiteral("ddd, dd MMM yyyy hh:mm:ss 'GMT'"));
    if (!date.isValid()) {
        return std::nullopt;
    }
    date.setTimeSpec(Qt::UTC);
    return bounded(static_cast<double>(now.msecsTo(date)));
}

} // namespace spettro
