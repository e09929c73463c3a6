#pragma once

#include <cstdint>

/// What the kernel's headers say about system call filters, in own constants: the planner is compiled and
/// tested on systems that have no such headers. sandbox/linux/SyscallTableCheck.cpp compares them with the
/// real ones. The values are those of x86-64 and aarch64, which agree in all of them.

/// Classic BPF as far as seccomp takes it. Sources: include/uapi/linux/{bpf_common,filter}.h.
namespace spettro::sandbox::bpf {

inline constexpr std::uint16_t LoadWord = 0x20;      // BPF_LD | BPF_W | BPF_ABS
inline constexpr std::uint16_t And = 0x54;           // BPF_ALU | BPF_AND | BPF_K
inline constexpr std::uint16_t Jump = 0x05;          // BPF_JMP | BPF_JA
inline constexpr std::uint16_t JumpIfEqual = 0x15;   // BPF_JMP | BPF_JEQ | BPF_K
inline constexpr std::uint16_t JumpIfAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
inline constexpr std::uint16_t JumpIfAnyBit = 0x45;  // BPF_JMP | BPF_JSET | BPF_K
inline constexpr std::uint16_t Return = 0x06;        // BPF_RET | BPF_K

inline constexpr std::uint32_t MaxInstructions = 4096; // BPF_MAXINSNS

} // namespace spettro::sandbox::bpf

/// Verdicts and the data a filter sees. Sources: include/uapi/linux/{seccomp,audit}.h.
namespace spettro::sandbox::seccomp {

inline constexpr std::uint32_t KillProcess = 0x80000000; // SECCOMP_RET_KILL_PROCESS
inline constexpr std::uint32_t Allow = 0x7fff0000;       // SECCOMP_RET_ALLOW
inline constexpr std::uint32_t RefuseBase = 0x00050000;  // SECCOMP_RET_ERRNO, plus the error number

inline constexpr std::uint32_t ArchX86_64 = 0xc000003e;  // AUDIT_ARCH_X86_64
inline constexpr std::uint32_t ArchAarch64 = 0xc00000b7; // AUDIT_ARCH_AARCH64

// Offsets in struct seccomp_data. Both architectures are little-endian: the low half of an argument comes
// first.
inline constexpr std::uint32_t NumberOffset = 0;
inline constexpr std::uint32_t ArchOffset = 4;
inline constexpr std::uint32_t ArgumentsOffset = 16;
inline constexpr std::uint32_t ArgumentSize = 8;
inline constexpr std::uint32_t DataSize = 64;

constexpr std::uint32_t refuse(std::uint32_t error)
{
    return RefuseBase | error;
}

} // namespace spettro::sandbox::seccomp

/// Arguments and error numbers of the system calls. Sources:
/// include/uapi/asm-generic/{errno,errno-base,fcntl,ioctls}.h, include/uapi/linux/{sched,in,tcp}.h,
/// include/linux/{net,socket}.h.
namespace spettro::sandbox::abi {

inline constexpr std::uint32_t Eperm = 1;
inline constexpr std::uint32_t Enoent = 2;
inline constexpr std::uint32_t Eacces = 13;
inline constexpr std::uint32_t Enosys = 38;
inline constexpr std::uint32_t Eprotonosupport = 93;
inline constexpr std::uint32_t Eopnotsupp = 95;
inline constexpr std::uint32_t Eafnosupport = 97;

inline constexpr std::uint32_t FamilyUnix = 1;
inline constexpr std::uint32_t FamilyInet = 2;
inline constexpr std::uint32_t FamilyInet6 = 10;
inline constexpr std::uint32_t FamilyNetlink = 16;

inline constexpr std::uint32_t SocketTypeMask = 0xf; // The other bits are SOCK_NONBLOCK and SOCK_CLOEXEC.
inline constexpr std::uint32_t SocketStream = 1;
inline constexpr std::uint32_t SocketDatagram = 2;
inline constexpr std::uint32_t SocketRaw = 3;
inline constexpr std::uint32_t SocketSeqPacket = 5;
inline constexpr std::uint32_t SocketPacket = 10; // With AF_INET the kernel makes it AF_PACKET.

inline constexpr std::uint32_t ProtocolDefault = 0;
inline constexpr std::uint32_t ProtocolTcp = 6;
inline constexpr std::uint32_t NetlinkRoute = 0;

inline constexpr std::uint32_t MessageFastOpen = 0x20000000; // MSG_FASTOPEN
inline constexpr std::uint32_t LevelTcp = 6;                 // SOL_TCP
inline constexpr std::uint32_t OptionUpperProtocol = 31;     // TCP_ULP

/// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET.
inline constexpr std::uint32_t CloneNamespaces = 0x7e020000;
/// CLONE_NEWTIME; in clone(2) this bit belongs to the number of the exit signal.
inline constexpr std::uint32_t CloneNewTime = 0x80;

inline constexpr std::uint32_t OpenAccessMask = 3; // O_ACCMODE
inline constexpr std::uint32_t OpenWriteOnly = 1;
inline constexpr std::uint32_t OpenReadWrite = 2;
inline constexpr std::uint32_t OpenTruncate = 0x200;

inline constexpr std::uint32_t TerminalInput = 0x5412;      // TIOCSTI
inline constexpr std::uint32_t TerminalLinux = 0x541c;      // TIOCLINUX
inline constexpr std::uint32_t TerminalConsole = 0x541d;    // TIOCCONS
inline constexpr std::uint32_t TerminalDiscipline = 0x5423; // TIOCSETD
inline constexpr std::uint32_t TerminalHangUp = 0x5437;     // TIOCVHANGUP

} // namespace spettro::sandbox::abi
