#pragma once

#include <cerrno>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

/// How long the secrets of doctor are, in bytes.
inline constexpr std::size_t SecretLength = 32;

/// One thing that a probe can do. It returns 0 or the error number of the call that failed.
struct ProbeAct
{
    std::string_view name;
    std::size_t argumentCount; ///< At least so many.
    int (*carryOut)(const std::vector<std::string> &arguments);
};

std::span<const ProbeAct> fileActs();
std::span<const ProbeAct> socketActs();
std::span<const ProbeAct> processActs();

/// 0, or the error number where a call has returned a negative value.
inline int errorOf(long result)
{
    return result < 0 ? errno : 0;
}

/// Copies what can be read from a file to standard output. Returns 0 or the error number.
int copyToOutput(const std::string &path);

} // namespace spettro::sandbox
