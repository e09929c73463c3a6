#include "sandbox/child/closeAllBut.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spettro::sandbox {

int closeAllBut(std::vector<int> kept)
{
    std::sort(kept.begin(), kept.end());
    unsigned first = STDERR_FILENO + 1;
    for (const int descriptor : kept) {
        if (descriptor <= STDERR_FILENO) {
            continue;
        }
        const auto number = static_cast<unsigned>(descriptor);
        if (number > first && ::close_range(first, number - 1, 0) != 0) {
            return errno;
        }
        first = number + 1;
    }
    return ::close_range(first, ~0U, 0) == 0 ? 0 : errno;
}

} // namespace spettro::sandbox
