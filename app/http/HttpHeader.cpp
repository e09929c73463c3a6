#include "app/http/HttpHeader.h"

namespace spettro {

QByteArray headerValue(const HttpHeaders &headers, QByteArrayView name)
{
    for (const HttpHeader &header : headers) {
        if (name.compare(header.name, Qt::CaseInsensitive) == 0) {
            return header.value.trimmed();
        }
    }
    return {};
}

} // namespace spettro
