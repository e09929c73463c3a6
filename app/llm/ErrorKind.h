#pragma once

#include "app/llm/ModelError.h"

namespace spettro {

/// What a server said about an error, as far as it said it.
struct ServerWords
{
    int status = 0;     ///< Of HTTP; 0 if the error came inside a reply and has no number of its own.
    QByteArray code;    ///< `code`, or `type` where there is no code.
    QByteArray message; ///< The sentence.
};

/// Which kind of error this is. Servers agree on little: the words decide first, the status decides the rest.
ModelError::Kind errorKind(const ServerWords &words);

} // namespace spettro
