#pragma once

#include "sandbox/plan/SyscallFilter.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spettro::sandbox {

/// What a filter sees of a system call; the kernel's `struct seccomp_data`.
struct SeccompData
{
    std::uint32_t number = 0;
    std::uint32_t architecture = 0;
    std::uint64_t instructionPointer = 0;
    std::array<std::uint64_t, 6> arguments = {};
};

/// Why the kernel would not take the program (`bpf_check_classic` and `seccomp_check_filter`), or why it is
/// not one of ours: an instruction that nothing reaches. Empty for a good program.
std::string faultOf(const std::vector<BpfInstruction> &program);

/// The verdict on a system call; nothing where the program fails.
std::optional<std::uint32_t> verdictOn(const std::vector<BpfInstruction> &program, const SeccompData &data);

/// Whether the kernel sees (`seccomp_is_const_allow`) that the call is allowed whatever its arguments: it
/// then stops asking the filter about it.
bool isAlwaysAllowed(const std::vector<BpfInstruction> &program, std::uint32_t architecture,
                     std::uint32_t number);

} // namespace spettro::sandbox
