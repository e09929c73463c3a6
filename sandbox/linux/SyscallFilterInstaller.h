#pragma once

#include "sandbox/plan/SyscallFilter.h"

#include <vector>

namespace spettro::sandbox {

/// Whether this kernel (and an outer sandbox, if any) takes seccomp filters at all.
bool canInstallSyscallFilter();

/// Puts the calling thread under a filter for good; needs no_new_privs. Returns 0 or the error number.
/// Source: seccomp(2), SECCOMP_SET_MODE_FILTER.
int installSyscallFilter(const std::vector<BpfInstruction> &program);

} // namespace spettro::sandbox
