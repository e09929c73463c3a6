#include "app/llm/serverAddress.h"

#include <QUrlQuery>

namespace spettro {

QUrl addressOf(const QUrl &baseUrl, const QByteArray &path)
{
    QString folder = baseUrl.path();
    while (folder.endsWith('/')) {
        folder.chop(1);
    }
    QUrl address = baseUrl;
    address.setPath(folder + QString::fromUtf8(path));
    return address;
}

QList<QByteArray> secretsOf(const QByteArray &key, const QUrl &baseUrl)
{
    QList<QByteArray> secrets{key, baseUrl.password().toUtf8()};
    for (const auto &[name, value] : QUrlQuery(baseUrl).queryItems(QUrl::FullyDecoded)) {
        secrets.append(value.toUtf8());
    }
    return secrets;
}

} // namespace spettro
