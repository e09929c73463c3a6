#include "app/llm/ModelError.h"

namespace spettro {

bool ModelError::isRetryable() const
{
    switch (kind) {
    case Kind::RateLimited:
    case Kind::Overloaded:
    case Kind::Server:
    case Kind::Transport:
    case Kind::EmptyReply:
        return true;
    case Kind::Authentication:
    case Kind::Quota:
    case Kind::UnknownModel:
    case Kind::ContextTooLong:
    case Kind::OutputLimit:
    case Kind::Refused:
    case Kind::BadRequest:
    case Kind::BadReply:
    case Kind::Interrupted:
        return false;
    }
    return false;
}

} // namespace spettro
