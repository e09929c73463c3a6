#include "sandbox/linux/Capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace spettro::sandbox {

namespace {

/// Needs CAP_SETPCAP, so it comes before the other sets are emptied.
int dropBoundingSet()
{
    for (unsigned capability = 0;; ++capability) {
        const int state = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (state < 0) {
            return 0; // EINVAL: past the last capability of this kernel
        }
        if (state == 1 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            return errno;
        }
    }
}

} // namespace

int dropCapabilities()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2]{};
    if (::syscall(SYS_capget, &header, sets) != 0) {
        return errno;
    }
    if ((sets[0].effective & (1U << CAP_SETPCAP)) != 0) {
        if (const int error = dropBoundingSet()) {
            return error;
        }
    }
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
        return errno;
    }
    const __user_cap_data_struct none[2]{};
    return ::syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

} // namespace spettro::sandbox
