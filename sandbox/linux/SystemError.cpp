#include "sandbox/linux/SystemError.h"

#include <cstring>

namespace spettro::sandbox {

std::string errorText(int number)
{
    std::string text = strerrordesc_np(number) != nullptr ? strerrordesc_np(number) : "unknown error";
    const char *name = strerrorname_np(number);
    return text + " (" + (name != nullptr ? name : std::to_string(number)) + ")";
}

Error systemError(ErrorKind kind, std::string subject, int number)
{
    return {kind, std::move(subject) + ": " + errorText(number), number};
}

} // namespace spettro::sandbox
