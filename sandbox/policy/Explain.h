#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <cstdint>
#include <string>

namespace spettro::sandbox {

/// An act that an operator asks `explain` about.
enum class FileAct { Read, Write, Execute };

/// Whether an act is allowed, by what, and what would change it.
struct Verdict
{
    bool allowed = false;
    std::string rule;   ///< The rule that decides, with its source.
    std::string change; ///< The flag that would turn the verdict round; empty where none would.

    bool operator==(const Verdict &) const = default;
};

/// Judges an act on a file by its real path (the path that the kernel would reach). The longest root wins no
/// precedence: rights of all roots above the path add up, as in Landlock.
Verdict explainFile(const FrozenPolicy &policy, FileAct act, const std::string &realPath);

/// Judges a TCP connection to `host` (a name or a literal address) on `port`.
Verdict explainConnect(const FrozenPolicy &policy, const std::string &host, std::uint16_t port);

} // namespace spettro::sandbox
