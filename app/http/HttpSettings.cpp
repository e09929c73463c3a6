#include "app/http/HttpSettings.h"

#include <QFile>
#include <QHostAddress>

namespace spettro {

namespace {

QByteArray firstSet(const VariableLookup &variable, std::initializer_list<const char *> names,
                    const char *&found)
{
    for (const char *name : names) {
        if (QByteArray value = variable(name).trimmed(); !value.isEmpty()) {
            found = name;
            return value;
        }
    }
    return {};
}

/// Whether an entry of NO_PROXY covers a host.
bool covers(const QByteArray &entry, const QString &host, const QHostAddress &address)
{
    if (!address.isNull()) {
        const auto network = QHostAddress::parseSubnet(QString::fromUtf8(entry));
        return address == QHostAddress(QString::fromUtf8(entry))
               || (entry.contains('/') && network.second >= 0 && address.isInSubnet(network));
    }
    QString name = QString::fromUtf8(entry).toLower();
    while (name.startsWith('.')) {
        name.remove(0, 1);
    }
    return !name.isEmpty() && (host == name || host.endsWith('.' + name));
}

bool isExcepted(const QUrl &url, const QByteArray &list)
{
    const QString host = url.host().toLower();
    const QHostAddress address(host);
    if (host == "localhost" || host.endsWith(".localhost") || address.isLoopback()) {
        return true;
    }
    const QList<QByteArray> entries = list.split(',');
    return std::any_of(entries.begin(), entries.end(), [&](const QByteArray &entry) {
        return entry.trimmed() == "*" || covers(entry.trimmed(), host, address);
    });
}

} // namespace

std::variant<QNetworkProxy, QString> proxyFor(const QUrl &url, const VariableLookup &variable)
{
    const char *name = "";
    const QByteArray exceptions = firstSet(variable, {"no_proxy", "NO_PROXY"}, name);
    const QByteArray value =
        url.scheme() == "https"
            ? firstSet(variable, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, name)
            : firstSet(variable, {"http_proxy", "all_proxy", "ALL_PROXY"}, name);
    if (value.isEmpty() || isExcepted(url, exceptions)) {
        return QNetworkProxy(QNetworkProxy::NoProxy);
    }
    const QUrl place(QString::fromUtf8(value.contains("://") ? value : "http://" + value), QUrl::StrictMode);
    const QString scheme = place.scheme().toLower();
    const bool isSocks = scheme == "socks5" || scheme == "socks5h";
    if (!place.isValid() || place.host().isEmpty() || (!isSocks && scheme != "http")) {
        return QString(
                   "%1 is no proxy that can be used: a host and port with http://, socks5:// or socks5h://")
            .arg(QString::fromLatin1(name));
    }
    const int port = place.port(isSocks ? 1080 : 80);
    return QNetworkProxy(isSocks ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy, place.host(),
                         static_cast<quint16>(port), place.userName(QUrl::FullyDecoded),
                         place.password(QUrl::FullyDecoded));
}

std::variant<QList<QSslCertificate>, QString> readAuthorities(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return QString("%1: %2").arg(path, file.errorString());
    }
    const QList<QSslCertificate> found = QSslCertificate::fromDevice(&file, QSsl::Pem);
    if (found.isEmpty()) {
        return QString("%1: holds no certificate in PEM form").arg(path);
    }
    return found;
}

} // namespace spettro
