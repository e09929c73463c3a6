#pragma once

#include "app/llm/ModelReply.h"

#include <chrono>
#include <optional>

namespace spettro {

/// Why there is no reply.
struct ModelError
{
    enum class Kind {
        Authentication, ///< The key is wrong or may not do this.
        Quota,          ///< Nothing is left to pay with; waiting does not help.
        UnknownModel,
        ContextTooLong, ///< The request is larger than the model takes.
        OutputLimit,    ///< All of the allowed output went by without an answer.
        RateLimited,
        Overloaded,
        Server,    ///< The server failed in some other way.
        Transport, ///< The reply was cut or damaged on its way.
        Refused,   ///< The model, or a filter before it, does not want to answer.
        BadRequest,
        BadReply,    ///< What answered is no model server.
        EmptyReply,  ///< The reply ended well and holds nothing.
        Interrupted, ///< By the person.
    };

    Kind kind = Kind::Server;
    QByteArray message;                                  ///< For the operator, in one line, without secrets.
    std::optional<std::chrono::milliseconds> retryAfter; ///< What the server asked for; never negative.
    Usage usage;                                         ///< What the failed try has cost.

    /// The same request may succeed later. (Whether it should be tried again, and how often, is the caller's.)
    bool isRetryable() const;

    bool operator==(const ModelError &) const = default;
};

} // namespace spettro
