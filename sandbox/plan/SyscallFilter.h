#pragma once

#include "sandbox/policy/Policy.h"

#include <cstdint>
#include <vector>

namespace spettro::sandbox {

/// The processor architectures whose system call tables have been reviewed.
enum class Architecture { X86_64, Aarch64 };

/// One instruction of a classic BPF program; the layout of the kernel's `struct sock_filter`.
struct BpfInstruction
{
    std::uint16_t code = 0;
    std::uint8_t jumpTrue = 0;
    std::uint8_t jumpFalse = 0;
    std::uint32_t operand = 0;

    bool operator==(const BpfInstruction &) const = default;
};

/// How AF_UNIX sockets are treated.
enum class UnixSockets {
    Refused,  ///< None by `socket(2)`, only `socketpair(2)`; for kernels that cannot mediate connections.
    Mediated, ///< Allowed, because Landlock (ABI 9) refuses connections to sockets from outside the domain.
};

/// Whether the filter has to refuse truncation because Landlock (before ABI 3) does not.
enum class TruncationGuard { ByLandlock, ByFilter };

/// Whether the filter has to refuse `kill(-1)` because Landlock (before ABI 6) does not scope signals.
enum class BroadcastSignals { ScopedByLandlock, RefusedByFilter };

/// What the filter depends on.
struct FilterOptions
{
    Architecture architecture = Architecture::X86_64;
    NetworkMode network = NetworkMode::All;
    UnixSockets unixSockets = UnixSockets::Refused;
    TruncationGuard truncation = TruncationGuard::ByLandlock;
    BroadcastSignals broadcastSignals = BroadcastSignals::ScopedByLandlock;
};

/// The highest system call number that has been reviewed; numbers above it get ENOSYS.
inline constexpr std::uint32_t HighestReviewedSyscall = 469; // file_setattr(2), Linux 6.17

/// Plans the seccomp filter of a command; equal options give equal programs, of less than 200 instructions.
/// Sources: Documentation/userspace-api/seccomp_filter.rst, seccomp(2).
std::vector<BpfInstruction> planSyscallFilter(const FilterOptions &options);

} // namespace spettro::sandbox
