#pragma once

#include "sandbox/plan/SyscallFilter.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace spettro::sandbox {

/// The system calls that some rule of the filter names.
enum class Syscall {
    Acct,
    AddKey,
    Bpf,
    ClockSettime,
    Clone,
    Clone3,
    DeleteModule,
    FinitModule,
    Fsconfig,
    Fsmount,
    Fsopen,
    Fspick,
    InitModule,
    IoUringEnter,
    IoUringRegister,
    IoUringSetup,
    Ioctl,
    Ioperm,
    Iopl,
    KexecFileLoad,
    KexecLoad,
    Keyctl,
    Kill,
    Listen,
    Mount,
    MountSetattr,
    MoveMount,
    Open,
    OpenByHandleAt,
    OpenTree,
    OpenTreeAttr,
    Openat,
    Openat2,
    PerfEventOpen,
    PivotRoot,
    Prlimit64,
    Quotactl,
    QuotactlFd,
    Reboot,
    RequestKey,
    Sendmmsg,
    Sendmsg,
    Sendto,
    Setdomainname,
    Sethostname,
    Setns,
    Setsockopt,
    Settimeofday,
    Socket,
    Socketpair,
    Swapoff,
    Swapon,
    Syslog,
    Truncate,
    Umount2,
    Unshare,
    Userfaultfd,
    Vhangup,
};

/// A system call's number by architecture; none where the architecture lacks the call.
struct SyscallNumbers
{
    Syscall call;
    std::optional<std::uint32_t> x86_64;
    std::optional<std::uint32_t> aarch64;
};

/// In the order of the enumeration. Sources: arch/x86/entry/syscalls/syscall_64.tbl and scripts/syscall.tbl
/// (which is aarch64's) of Linux 6.19; from 424 on all architectures have the same numbers.
inline constexpr std::array SyscallTable = {
    SyscallNumbers{Syscall::Acct, 163, 89},
    SyscallNumbers{Syscall::AddKey, 248, 217},
    SyscallNumbers{Syscall::Bpf, 321, 280},
    SyscallNumbers{Syscall::ClockSettime, 227, 112},
    SyscallNumbers{Syscall::Clone, 56, 220},
    SyscallNumbers{Syscall::Clone3, 435, 435},
    SyscallNumbers{Syscall::DeleteModule, 176, 106},
    SyscallNumbers{Syscall::FinitModule, 313, 273},
    SyscallNumbers{Syscall::Fsconfig, 431, 431},
    SyscallNumbers{Syscall::Fsmount, 432, 432},
    SyscallNumbers{Syscall::Fsopen, 430, 430},
    SyscallNumbers{Syscall::Fspick, 433, 433},
    SyscallNumbers{Syscall::InitModule, 175, 105},
    SyscallNumbers{Syscall::IoUringEnter, 426, 426},
    SyscallNumbers{Syscall::IoUringRegister, 427, 427},
    SyscallNumbers{Syscall::IoUringSetup, 425, 425},
    SyscallNumbers{Syscall::Ioctl, 16, 29},
    SyscallNumbers{Syscall::Ioperm, 173, std::nullopt},
    SyscallNumbers{Syscall::Iopl, 172, std::nullopt},
    SyscallNumbers{Syscall::KexecFileLoad, 320, 294},
    SyscallNumbers{Syscall::KexecLoad, 246, 104},
    SyscallNumbers{Syscall::Keyctl, 250, 219},
    SyscallNumbers{Syscall::Kill, 62, 129},
    SyscallNumbers{Syscall::Listen, 50, 201},
    SyscallNumbers{Syscall::Mount, 165, 40},
    SyscallNumbers{Syscall::MountSetattr, 442, 442},
    SyscallNumbers{Syscall::MoveMount, 429, 429},
    SyscallNumbers{Syscall::Open, 2, std::nullopt},
    SyscallNumbers{Syscall::OpenByHandleAt, 304, 265},
    SyscallNumbers{Syscall::OpenTree, 428, 428},
    SyscallNumbers{Syscall::OpenTreeAttr, 467, 467},
    SyscallNumbers{Syscall::Openat, 257, 56},
    SyscallNumbers{Syscall::Openat2, 437, 437},
    SyscallNumbers{Syscall::PerfEventOpen, 298, 241},
    SyscallNumbers{Syscall::PivotRoot, 155, 41},
    SyscallNumbers{Syscall::Prlimit64, 302, 261},
    SyscallNumbers{Syscall::Quotactl, 179, 60},
    SyscallNumbers{Syscall::QuotactlFd, 443, 443},
    SyscallNumbers{Syscall::Reboot, 169, 142},
    SyscallNumbers{Syscall::RequestKey, 249, 218},
    SyscallNumbers{Syscall::Sendmmsg, 307, 269},
    SyscallNumbers{Syscall::Sendmsg, 46, 211},
    SyscallNumbers{Syscall::Sendto, 44, 206},
    SyscallNumbers{Syscall::Setdomainname, 171, 162},
    SyscallNumbers{Syscall::Sethostname, 170, 161},
    SyscallNumbers{Syscall::Setns, 308, 268},
    SyscallNumbers{Syscall::Setsockopt, 54, 208},
    SyscallNumbers{Syscall::Settimeofday, 164, 170},
    SyscallNumbers{Syscall::Socket, 41, 198},
    SyscallNumbers{Syscall::Socketpair, 53, 199},
    SyscallNumbers{Syscall::Swapoff, 168, 225},
    SyscallNumbers{Syscall::Swapon, 167, 224},
    SyscallNumbers{Syscall::Syslog, 103, 116},
    SyscallNumbers{Syscall::Truncate, 76, 45},
    SyscallNumbers{Syscall::Umount2, 166, 39},
    SyscallNumbers{Syscall::Unshare, 272, 97},
    SyscallNumbers{Syscall::Userfaultfd, 323, 282},
    SyscallNumbers{Syscall::Vhangup, 153, 58},
};

/// The number of a system call, or nothing where the architecture lacks it.
constexpr std::optional<std::uint32_t> syscallNumber(Syscall call, Architecture architecture)
{
    const SyscallNumbers &numbers = SyscallTable[static_cast<std::size_t>(call)];
    return architecture == Architecture::X86_64 ? numbers.x86_64 : numbers.aarch64;
}

/// Whether each row stands where `syscallNumber` looks for it.
constexpr bool isSyscallTableInOrder()
{
    for (std::size_t i = 0; i < SyscallTable.size(); ++i) {
        if (static_cast<std::size_t>(SyscallTable[i].call) != i) {
            return false;
        }
    }
    return SyscallTable.size() == static_cast<std::size_t>(Syscall::Vhangup) + 1;
}
static_assert(isSyscallTableInOrder());

} // namespace spettro::sandbox
