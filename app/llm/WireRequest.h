#pragma once

#include "app/http/HttpHeader.h"

namespace spettro {

/// An HTTP POST without its address and key.
struct WireRequest
{
    QByteArray path;      ///< Behind the base URL, which ends in `/v1` or what a server has instead.
    QByteArray keyHeader; ///< The header that has the key ...
    QByteArray keyPrefix; ///< ... and what stands before it there.
    HttpHeaders headers;  ///< All others.
    QByteArray body;
};

/// The headers that all protocols need. Streams are not to be compressed: servers collect a stream to do so.
inline HttpHeaders streamHeaders()
{
    return {{"Content-Type", "application/json"},
            {"Accept", "text/event-stream, application/json"},
            {"Accept-Encoding", "identity"}};
}

} // namespace spettro
