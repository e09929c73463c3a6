#pragma once

#include "sandbox/policy/FrozenPolicy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spettro::sandbox {

/// Grants rights beneath one of the policy's roots.
struct PathRule
{
    std::size_t root = 0; ///< Index into the roots that the ruleset is planned for.
    std::uint64_t access = 0;

    bool operator==(const PathRule &) const = default;
};

/// Grants rights on one TCP port.
struct PortRule
{
    std::uint16_t port = 0;
    std::uint64_t access = 0;

    bool operator==(const PortRule &) const = default;
};

/// A Landlock ruleset before it is made. For each rule: `access` is a non-empty subset of what is handled.
struct LandlockPlan
{
    std::uint64_t handledFileSystem = 0;
    std::uint64_t handledNetwork = 0;
    std::uint64_t scopes = 0;
    std::vector<PathRule> paths;
    std::vector<PortRule> ports;

    /// Whether there is nothing for Landlock to do (the kernel refuses to make an empty ruleset).
    bool isEmpty() const { return (handledFileSystem | handledNetwork | scopes) == 0; }

    bool operator==(const LandlockPlan &) const = default;
};

/// Plans the ruleset of a policy for a kernel of the given ABI. In a confined mode every file right that the
/// kernel knows is handled, so that what no rule grants is refused.
LandlockPlan planLandlock(const FrozenPolicy &policy, int abi);

/// Plans the ruleset that keeps Spettro itself from writing anywhere but beneath these roots, devices by what is there:
/// only the rights to change files are handled, so that reading, the network and signals stay as they are.
LandlockPlan planBackstop(const std::vector<Root> &roots, int abi);

} // namespace spettro::sandbox
