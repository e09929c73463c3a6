#pragma once

#include "app/llm/ModelError.h"
#include "app/llm/Redactor.h"
#include "app/llm/RetryAfter.h"
#include "tools/Json.h"

namespace spettro {

/// A response that is no success, as it came.
struct HttpFailure
{
    int status = 0;
    HttpHeaders headers;
    QByteArray body; ///< Whole or its first part.
};

/// What a response with a status other than 200 means, in the server's own words where it gave any.
ModelError errorFromResponse(const HttpFailure &failure, const Redactor &redactor, const QDateTime &now);

/// What an error object means that came inside a reply: the value of `error`, an object or a text.
ModelError errorFromObject(const Json &error, const Redactor &redactor);

/// An error of this kind whose message is made fit to be shown: one line, without secrets and control characters, at most
/// 600 bytes. `words` may come from the server.
ModelError modelError(ModelError::Kind kind, const QByteArray &words, const Redactor &redactor);

/// The first 200 characters of what should have been a reply, for an error message; as HTML its title comes first.
QByteArray excerptOf(const QByteArray &body, const Redactor &redactor);

} // namespace spettro
