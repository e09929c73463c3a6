#include "tools/search/WalkHandle.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace spettro {

namespace {

WalkHandle openAt(int folder, const char *name, int flags)
{
    int descriptor = -1;
    do {
        descriptor = openat(folder, name, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    return WalkHandle(descriptor);
}

} // namespace

void WalkHandle::reset()
{
    if (m_descriptor >= 0) {
        close(m_descriptor);
        m_descriptor = -1;
    }
}

WalkHandle openFolderAt(int folder, const char *name)
{
    return openAt(folder, name, O_DIRECTORY);
}

WalkHandle openFileAt(int folder, const char *name)
{
    // Without O_NONBLOCK a fifo that took the place of a file would hold the walk up.
    return openAt(folder, name, O_NONBLOCK | O_NOCTTY);
}

} // namespace spettro
