#include "app/ServerAccess.h"

#include "app/keys/KeyText.h"

#include <QFile>

#include <unistd.h>

#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

Error usageError(const std::string &message)
{
    return {ErrorKind::Usage, message, 0};
}

Result<HttpSettings> httpSettings(const QUrl &url)
{
    HttpSettings settings;
    const auto proxy = proxyFor(url, [](const char *name) { return qgetenv(name); });
    if (const auto *why = std::get_if<QString>(&proxy)) {
        return usageError(why->toStdString());
    }
    settings.proxy = std::get<QNetworkProxy>(proxy);
    const QByteArray path = qgetenv("SSL_CERT_FILE");
    if (url.scheme() == "https"
        && !path.isEmpty()) { // reading a system's hundreds takes longer than all the rest
        const auto authorities = readAuthorities(QFile::decodeName(path));
        if (const auto *why = std::get_if<QString>(&authorities)) {
            return usageError("SSL_CERT_FILE: " + why->toStdString());
        }
        settings.moreAuthorities = std::get<QList<QSslCertificate>>(authorities);
    }
    return settings;
}

/// What is said where the key of a provider's own server is nowhere.
Error missingKey(const Provider &provider, const std::string &trouble)
{
    return usageError(std::string("--provider ") + provider.name + ": its key is missing; 'spettro connect "
                      + provider.name + "' stores it, or put it into the variable " + provider.keyVariable
                      + (trouble.empty() ? "" : " (" + trouble + ')'));
}

/// Empty where there is none and none is needed.
Result<QByteArray> findKey(const Provider &provider, const ServerSettings &settings, bool isOwnServer)
{
    if (const QByteArray given = qgetenv(provider.keyVariable); !given.trimmed().isEmpty()) {
        const Result<QByteArray> key = keyFrom(given);
        return key ? key : usageError(std::string(provider.keyVariable) + ": " + key.error().message);
    }
    const Result<FoundKey> found = keyStore().find(storedNameFor(provider, settings));
    if (!found) {
        return found.error();
    }
    if (found->key) {
        return *found->key;
    }
    return isOwnServer ? Result<QByteArray>(missingKey(provider, found->trouble)) : QByteArray();
}

} // namespace

Result<ServerSettings> serverSettings(const Provider &provider, const std::string &baseUrl)
{
    ServerSettings settings;
    settings.protocol = provider.protocol;
    settings.dialect.outputLimit = provider.outputLimit;
    settings.baseUrl =
        QUrl(baseUrl.empty() ? QString(provider.baseUrl) : QString::fromStdString(baseUrl), QUrl::StrictMode);
    const QString scheme = settings.baseUrl.scheme();
    if (!settings.baseUrl.isValid() || settings.baseUrl.host().isEmpty()
        || (scheme != "https" && scheme != "http")) {
        return usageError("--base-url: an address like https://HOST/v1");
    }
    Result<HttpSettings> http = httpSettings(settings.baseUrl);
    if (!http) {
        return http.error();
    }
    settings.http = std::move(http).value();
    return settings;
}

Result<ServerSettings> serverSettingsWithKey(const Provider &provider, const std::string &baseUrl)
{
    Result<ServerSettings> settings = serverSettings(provider, baseUrl);
    if (!settings || !provider.keyVariable) {
        return settings;
    }
    Result<QByteArray> key = findKey(provider, *settings, baseUrl.empty());
    if (!key) {
        return key.error();
    }
    settings.value().key = std::move(key).value();
    warnIfReadable(*settings);
    return settings;
}

QByteArray storedNameFor(const Provider &provider, const ServerSettings &settings)
{
    return provider.keyName ? storedName(provider.keyName, QUrl(provider.baseUrl), settings.baseUrl)
                            : QByteArray();
}

KeyStore keyStore()
{
    return {qgetenv("HOME") + "/.spettro",
            ::isatty(STDIN_FILENO) != 0 ? Attendance::Person : Attendance::Nobody};
}

void warnIfReadable(const ServerSettings &settings)
{
    if (!settings.key.isEmpty() && isReadableOnTheWay(settings.baseUrl)) {
        std::fprintf(stderr, "spettro: warning: the key and all that is said go to %s without encryption\n",
                     settings.baseUrl.host().toUtf8().constData());
    }
}

} // namespace spettro
