#pragma once

#include <QByteArray>
#include <QList>
#include <QUrl>

namespace spettro {

/// The address of a path (`/models`) behind a base URL, whose query stays.
QUrl addressOf(const QUrl &baseUrl, const QByteArray &path);

/// What must not show anywhere: the key, and what a base URL holds beside its place.
QList<QByteArray> secretsOf(const QByteArray &key, const QUrl &baseUrl);

} // namespace spettro
