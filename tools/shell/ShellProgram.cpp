#include "tools/shell/ShellProgram.h"

#include <unistd.h>

#include <initializer_list>

namespace spettro {

namespace {

std::optional<QByteArray> firstOf(std::initializer_list<const char *> paths)
{
    for (const char *path : paths) {
        if (::access(path, X_OK) == 0) {
            return path;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<QByteArray> shProgram()
{
    return firstOf({"/bin/sh", "/usr/bin/sh"});
}

std::optional<QByteArray> bashProgram()
{
    return firstOf({"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"});
}

} // namespace spettro
