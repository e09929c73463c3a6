#include "sandbox/linux/SyscallFilterInstaller.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace spettro::sandbox {

static_assert(sizeof(BpfInstruction) == sizeof(sock_filter));
static_assert(offsetof(BpfInstruction, operand) == offsetof(sock_filter, k));

bool canInstallSyscallFilter()
{
    const std::uint32_t action = SECCOMP_RET_ERRNO;
    return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int installSyscallFilter(const std::vector<BpfInstruction> &program)
{
    sock_fprog filter;
    filter.len = static_cast<unsigned short>(program.size());
    filter.filter = reinterpret_cast<sock_filter *>(const_cast<BpfInstruction *>(program.data()));
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

} // namespace spettro::sandbox
