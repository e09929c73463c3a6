#pragma once

#include "sandbox/plan/SyscallFilter.h"

namespace spettro::sandbox {

#if defined(__x86_64__)
inline constexpr Architecture NativeArchitecture = Architecture::X86_64;
#elif defined(__aarch64__)
inline constexpr Architecture NativeArchitecture = Architecture::Aarch64;
#else
#error "No reviewed system call table for this architecture: see sandbox/plan/SyscallTable.h"
#endif

} // namespace spettro::sandbox
