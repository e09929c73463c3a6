#pragma once

#include "sandbox/policy/Result.h"

#include <QByteArray>
#include <QUrl>

namespace spettro {

/// A key as it was typed, piped, stored or exported, without the blanks and line ends around it. An error, which does not show
/// it, where nothing is left or where it holds what cannot stand in a header: it would become a header of its own.
sandbox::Result<QByteArray> keyFrom(QByteArrayView text);

/// Scheme, host and port in one word, e.g. `https:api.example.com:443`: what a key is for.
QByteArray originOf(const QUrl &url);

/// The name under which the key for a server is kept: `provider` for the provider's own server, `provider@ORIGIN` for any
/// other, so that a key is only ever found for the origin that it was stored for. Fit to be a file's name.
QByteArray storedName(const QByteArray &provider, const QUrl &own, const QUrl &server);

/// Whether what is sent there can be read on its way: neither TLS nor this machine itself.
bool isReadableOnTheWay(const QUrl &server);

} // namespace spettro
