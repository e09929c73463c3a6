#pragma once

#include <cstdint>

/// The kernel's Landlock interface in own constants, because build machines' headers stop at an old ABI.
/// Source: Documentation/userspace-api/landlock.rst and include/uapi/linux/landlock.h of Linux 7.3.
namespace spettro::sandbox::landlock {

// Rights on files and folders, `LANDLOCK_ACCESS_FS_*`.
inline constexpr std::uint64_t Execute = 1ULL << 0;
inline constexpr std::uint64_t WriteFile = 1ULL << 1;
inline constexpr std::uint64_t ReadFile = 1ULL << 2;
inline constexpr std::uint64_t ReadDir = 1ULL << 3;
inline constexpr std::uint64_t RemoveDir = 1ULL << 4;
inline constexpr std::uint64_t RemoveFile = 1ULL << 5;
inline constexpr std::uint64_t MakeChar = 1ULL << 6;
inline constexpr std::uint64_t MakeDir = 1ULL << 7;
inline constexpr std::uint64_t MakeReg = 1ULL << 8;
inline constexpr std::uint64_t MakeSock = 1ULL << 9;
inline constexpr std::uint64_t MakeFifo = 1ULL << 10;
inline constexpr std::uint64_t MakeBlock = 1ULL << 11;
inline constexpr std::uint64_t MakeSym = 1ULL << 12;
inline constexpr std::uint64_t Refer = 1ULL << 13;       // ABI 2
inline constexpr std::uint64_t Truncate = 1ULL << 14;    // ABI 3
inline constexpr std::uint64_t IoctlDev = 1ULL << 15;    // ABI 5
inline constexpr std::uint64_t ResolveUnix = 1ULL << 16; // ABI 9

// Rights on the network, `LANDLOCK_ACCESS_NET_*`.
inline constexpr std::uint64_t BindTcp = 1ULL << 0;        // ABI 4
inline constexpr std::uint64_t ConnectTcp = 1ULL << 1;     // ABI 4
inline constexpr std::uint64_t BindUdp = 1ULL << 2;        // ABI 10
inline constexpr std::uint64_t ConnectSendUdp = 1ULL << 3; // ABI 10

// Scopes, `LANDLOCK_SCOPE_*`.
inline constexpr std::uint64_t AbstractUnixSocket = 1ULL << 0; // ABI 6
inline constexpr std::uint64_t Signal = 1ULL << 1;             // ABI 6

/// Rights that a rule may carry whose file is no folder.
inline constexpr std::uint64_t FileRights =
    Execute | WriteFile | ReadFile | Truncate | IoctlDev | ResolveUnix;

/// What a kernel of one ABI can handle.
struct AbiRights
{
    int abi;
    std::uint64_t fileSystem;
    std::uint64_t network;
    std::uint64_t scopes;
};

/// The rights of an ABI; all zero for 0 or less. ABI 11 is the newest one reviewed (it adds no right), and an
/// ABI that is newer still is treated as that.
AbiRights rightsOfAbi(int abi);

} // namespace spettro::sandbox::landlock
