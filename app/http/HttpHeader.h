#pragma once

#include <QByteArray>
#include <QList>

namespace spettro {

/// One header of an HTTP request or response; names are compared without regard to case.
struct HttpHeader
{
    QByteArray name;
    QByteArray value;

    bool operator==(const HttpHeader &) const = default;
};

using HttpHeaders = QList<HttpHeader>;

/// The value of the first header of this name, trimmed; empty if there is none.
QByteArray headerValue(const HttpHeaders &headers, QByteArrayView name);

} // namespace spettro
