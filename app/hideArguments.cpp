#include "app/hideArguments.h"

#include <cstring>

namespace spettro {

void hideArguments(int argc, char **argv)
{
    for (int index = 1; index < argc; ++index) {
        std::memset(argv[index], 0, std::strlen(argv[index]));
    }
}

} // namespace spettro
