// Compares the planner's own constants with the headers of the system that this is compiled on. A name that
// these headers do not have yet goes unchecked. There is no code in here.

#include "sandbox/linux/NativeArchitecture.h"
#include "sandbox/plan/SyscallAbi.h"
#include "sandbox/plan/SyscallFilter.h"
#include "sandbox/plan/SyscallTable.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace spettro::sandbox {

namespace {

static_assert(seccomp::ArchX86_64 == AUDIT_ARCH_X86_64);
static_assert(seccomp::ArchAarch64 == AUDIT_ARCH_AARCH64);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__); // The offset of an argument's low half.

consteval bool hasNumber(Syscall call, std::uint32_t number)
{
    return syscallNumber(call, NativeArchitecture) == number && number <= HighestReviewedSyscall;
}

static_assert(hasNumber(Syscall::Acct, __NR_acct));
static_assert(hasNumber(Syscall::AddKey, __NR_add_key));
static_assert(hasNumber(Syscall::Bpf, __NR_bpf));
static_assert(hasNumber(Syscall::ClockSettime, __NR_clock_settime));
static_assert(hasNumber(Syscall::Clone, __NR_clone));
static_assert(hasNumber(Syscall::Clone3, __NR_clone3));
static_assert(hasNumber(Syscall::DeleteModule, __NR_delete_module));
static_assert(hasNumber(Syscall::FinitModule, __NR_finit_module));
static_assert(hasNumber(Syscall::Fsconfig, __NR_fsconfig));
static_assert(hasNumber(Syscall::Fsmount, __NR_fsmount));
static_assert(hasNumber(Syscall::Fsopen, __NR_fsopen));
static_assert(hasNumber(Syscall::Fspick, __NR_fspick));
static_assert(hasNumber(Syscall::InitModule, __NR_init_module));
static_assert(hasNumber(Syscall::IoUringEnter, __NR_io_uring_enter));
static_assert(hasNumber(Syscall::IoUringRegister, __NR_io_uring_register));
static_assert(hasNumber(Syscall::IoUringSetup, __NR_io_uring_setup));
static_assert(hasNumber(Syscall::Ioctl, __NR_ioctl));
#ifdef __NR_ioperm
static_assert(hasNumber(Syscall::Ioperm, __NR_ioperm));
#else
static_assert(!syscallNumber(Syscall::Ioperm, NativeArchitecture));
#endif
#ifdef __NR_iopl
static_assert(hasNumber(Syscall::Iopl, __NR_iopl));
#else
static_assert(!syscallNumber(Syscall::Iopl, NativeArchitecture));
#endif
static_assert(hasNumber(Syscall::KexecFileLoad, __NR_kexec_file_load));
static_assert(hasNumber(Syscall::KexecLoad, __NR_kexec_load));
static_assert(hasNumber(Syscall::Keyctl, __NR_keyctl));
static_assert(hasNumber(Syscall::Kill, __NR_kill));
static_assert(hasNumber(Syscall::Listen, __NR_listen));
static_assert(hasNumber(Syscall::Mount, __NR_mount));
static_assert(hasNumber(Syscall::MountSetattr, __NR_mount_setattr));
static_assert(hasNumber(Syscall::MoveMount, __NR_move_mount));
#ifdef __NR_open
static_assert(hasNumber(Syscall::Open, __NR_open));
#else
static_assert(!syscallNumber(Syscall::Open, NativeArchitecture));
#endif
static_assert(hasNumber(Syscall::OpenByHandleAt, __NR_open_by_handle_at));
static_assert(hasNumber(Syscall::OpenTree, __NR_open_tree));
#ifdef __NR_open_tree_attr
static_assert(hasNumber(Syscall::OpenTreeAttr, __NR_open_tree_attr));
#endif
static_assert(hasNumber(Syscall::Openat, __NR_openat));
static_assert(hasNumber(Syscall::Openat2, __NR_openat2));
static_assert(hasNumber(Syscall::PerfEventOpen, __NR_perf_event_open));
static_assert(hasNumber(Syscall::PivotRoot, __NR_pivot_root));
static_assert(hasNumber(Syscall::Prlimit64, __NR_prlimit64));
static_assert(hasNumber(Syscall::Quotactl, __NR_quotactl));
static_assert(hasNumber(Syscall::QuotactlFd, __NR_quotactl_fd));
static_assert(hasNumber(Syscall::Reboot, __NR_reboot));
static_assert(hasNumber(Syscall::RequestKey, __NR_request_key));
static_assert(hasNumber(Syscall::Sendmmsg, __NR_sendmmsg));
static_assert(hasNumber(Syscall::Sendmsg, __NR_sendmsg));
static_assert(hasNumber(Syscall::Sendto, __NR_sendto));
static_assert(hasNumber(Syscall::Setdomainname, __NR_setdomainname));
static_assert(hasNumber(Syscall::Sethostname, __NR_sethostname));
static_assert(hasNumber(Syscall::Setns, __NR_setns));
static_assert(hasNumber(Syscall::Setsockopt, __NR_setsockopt));
static_assert(hasNumber(Syscall::Settimeofday, __NR_settimeofday));
static_assert(hasNumber(Syscall::Socket, __NR_socket));
static_assert(hasNumber(Syscall::Socketpair, __NR_socketpair));
static_assert(hasNumber(Syscall::Swapoff, __NR_swapoff));
static_assert(hasNumber(Syscall::Swapon, __NR_swapon));
static_assert(hasNumber(Syscall::Syslog, __NR_syslog));
static_assert(hasNumber(Syscall::Truncate, __NR_truncate));
static_assert(hasNumber(Syscall::Umount2, __NR_umount2));
static_assert(hasNumber(Syscall::Unshare, __NR_unshare));
static_assert(hasNumber(Syscall::Userfaultfd, __NR_userfaultfd));
static_assert(hasNumber(Syscall::Vhangup, __NR_vhangup));

static_assert(sizeof(BpfInstruction) == sizeof(sock_filter));
static_assert(offsetof(BpfInstruction, code) == offsetof(sock_filter, code));
static_assert(offsetof(BpfInstruction, jumpTrue) == offsetof(sock_filter, jt));
static_assert(offsetof(BpfInstruction, jumpFalse) == offsetof(sock_filter, jf));
static_assert(offsetof(BpfInstruction, operand) == offsetof(sock_filter, k));

static_assert(bpf::LoadWord == (BPF_LD | BPF_W | BPF_ABS));
static_assert(bpf::And == (BPF_ALU | BPF_AND | BPF_K));
static_assert(bpf::Jump == (BPF_JMP | BPF_JA));
static_assert(bpf::JumpIfEqual == (BPF_JMP | BPF_JEQ | BPF_K));
static_assert(bpf::JumpIfAtLeast == (BPF_JMP | BPF_JGE | BPF_K));
static_assert(bpf::JumpIfAnyBit == (BPF_JMP | BPF_JSET | BPF_K));
static_assert(bpf::Return == (BPF_RET | BPF_K));
static_assert(bpf::MaxInstructions == BPF_MAXINSNS);

static_assert(seccomp::KillProcess == SECCOMP_RET_KILL_PROCESS);
static_assert(seccomp::Allow == SECCOMP_RET_ALLOW);
static_assert(seccomp::RefuseBase == SECCOMP_RET_ERRNO);
static_assert(seccomp::refuse(ENOSYS) == (SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA)));
static_assert(seccomp::NumberOffset == offsetof(seccomp_data, nr));
static_assert(seccomp::ArchOffset == offsetof(seccomp_data, arch));
static_assert(seccomp::ArgumentsOffset == offsetof(seccomp_data, args));
static_assert(seccomp::ArgumentSize == sizeof(seccomp_data::args[0]));

static_assert(abi::Eperm == EPERM);
static_assert(abi::Enoent == ENOENT);
static_assert(abi::Eacces == EACCES);
static_assert(abi::Enosys == ENOSYS);
static_assert(abi::Eprotonosupport == EPROTONOSUPPORT);
static_assert(abi::Eopnotsupp == EOPNOTSUPP);
static_assert(abi::Eafnosupport == EAFNOSUPPORT);

static_assert(abi::FamilyUnix == AF_UNIX);
static_assert(abi::FamilyInet == AF_INET);
static_assert(abi::FamilyInet6 == AF_INET6);
static_assert(abi::FamilyNetlink == AF_NETLINK);
static_assert((abi::SocketTypeMask & (SOCK_CLOEXEC | SOCK_NONBLOCK)) == 0);
static_assert(abi::SocketStream == SOCK_STREAM);
static_assert(abi::SocketDatagram == SOCK_DGRAM);
static_assert(abi::SocketRaw == SOCK_RAW);
static_assert(abi::SocketSeqPacket == SOCK_SEQPACKET);
static_assert(abi::SocketPacket == SOCK_PACKET);
static_assert(abi::ProtocolTcp == IPPROTO_TCP);
static_assert(abi::MessageFastOpen == MSG_FASTOPEN);
static_assert(abi::LevelTcp == SOL_TCP);
static_assert(abi::OptionUpperProtocol == TCP_ULP);

static_assert(abi::CloneNamespaces
              == (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID
                  | CLONE_NEWNET));
#ifdef CLONE_NEWTIME
static_assert(abi::CloneNewTime == CLONE_NEWTIME);
#endif

static_assert(abi::OpenAccessMask == (O_WRONLY | O_RDWR));
static_assert(abi::OpenWriteOnly == O_WRONLY);
static_assert(abi::OpenReadWrite == O_RDWR);
static_assert(abi::OpenTruncate == O_TRUNC);

static_assert(abi::TerminalInput == TIOCSTI);
static_assert(abi::TerminalLinux == TIOCLINUX);
static_assert(abi::TerminalConsole == TIOCCONS);
static_assert(abi::TerminalDiscipline == TIOCSETD);
static_assert(abi::TerminalHangUp == TIOCVHANGUP);

} // namespace

} // namespace spettro::sandbox
