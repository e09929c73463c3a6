#include "sandbox/child/StandardStreams.h"

#include "sandbox/linux/Descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace spettro::sandbox {

void releaseStandardStreams()
{
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup2(nothing.number(), STDIN_FILENO);
    ::dup2(nothing.number(), STDOUT_FILENO);
}

} // namespace spettro::sandbox
