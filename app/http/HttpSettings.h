#pragma once

#include <QByteArray>
#include <QList>
#include <QNetworkProxy>
#include <QSslCertificate>
#include <QString>
#include <QUrl>

#include <functional>
#include <variant>

namespace spettro {

/// Reads a variable of the environment; empty where it is not set.
using VariableLookup = std::function<QByteArray(const char *name)>;

/// How the servers of models are reached.
struct HttpSettings
{
    QNetworkProxy proxy{QNetworkProxy::NoProxy};
    QList<QSslCertificate> moreAuthorities; ///< Trusted besides those of the system.
};

/// The proxy for a URL as curl(1) takes it from the environment: `https_proxy`, `HTTPS_PROXY`, `http_proxy` (only in
/// small letters: in capitals a web server's clients can set it), `all_proxy`, `ALL_PROXY`, a scheme of http, socks5 or socks5h
/// or none for http; none for what `no_proxy` or `NO_PROXY` lists (names with all below them, addresses, networks like 10.0.0.0/8,
/// `*`) and for this machine itself. An error names the variable.
std::variant<QNetworkProxy, QString> proxyFor(const QUrl &url, const VariableLookup &variable);

/// The certificates in a PEM file. An error names it.
std::variant<QList<QSslCertificate>, QString> readAuthorities(const QString &path);

} // namespace spettro
