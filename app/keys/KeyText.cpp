#include "app/keys/KeyText.h"

#include <QHostAddress>

#include <algorithm>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qsizetype LongestKey = 8192; // tokens of companies are a few thousand bytes long

Error usageError(const char *message)
{
    return {ErrorKind::Usage, message, 0};
}

bool isPrintable(char byte)
{
    return byte >= 0x20 && byte < 0x7F;
}

} // namespace

Result<QByteArray> keyFrom(QByteArrayView text)
{
    QByteArray key = text.toByteArray().trimmed();
    if (key.isEmpty()) {
        return usageError("there is no key in it");
    }
    if (key.size() > LongestKey) {
        return usageError("it is too long for a key");
    }
    if (!std::all_of(key.begin(), key.end(), isPrintable)) {
        return usageError("there is a line end or another character in it that no key has");
    }
    return key;
}

QByteArray originOf(const QUrl &url)
{
    const int port = url.port(url.scheme() == "http" ? 80 : 443);
    return url.scheme().toLatin1() + ':' + url.host(QUrl::FullyEncoded).toLower().toLatin1() + ':'
           + QByteArray::number(port);
}

QByteArray storedName(const QByteArray &provider, const QUrl &own, const QUrl &server)
{
    const QByteArray origin = originOf(server);
    return origin == originOf(own) ? provider : provider + '@' + origin.toPercentEncoding(":");
}

bool isReadableOnTheWay(const QUrl &server)
{
    const QString host = server.host();
    return server.scheme() != "https" && host != "localhost" && !host.endsWith(".localhost")
           && !QHostAddress(host).isLoopback();
}

} // namespace spettro
