#pragma once

#include "sandbox/linux/Descriptor.h"
#include "sandbox/policy/Result.h"

#include <sys/types.h>

#include <chrono>
#include <utility>
#include <vector>

namespace spettro::sandbox {

/// A process and its parent.
struct ProcessLink
{
    pid_t process = 0;
    pid_t parent = 0;
};

/// All processes beneath `ancestor`, parents before their children.
std::vector<ProcessLink> descendantsOf(pid_t ancestor, std::vector<ProcessLink> links);

/// The processes beneath the calling one, which has to be their subreaper (PR_SET_CHILD_SUBREAPER): whatever
/// they do (setsid, double fork, ignoring signals), they remain its descendants.
class ProcessTree
{
public:
    /// Opens /proc, without which the descendants cannot be found.
    static Result<ProcessTree> create();

    /// Kills and reaps all descendants. Returns whether none is left at the deadline.
    bool end(std::chrono::steady_clock::time_point deadline) const;

private:
    explicit ProcessTree(Descriptor proc) : m_proc(std::move(proc)) {}

    std::vector<ProcessLink> links() const;
    void killAll() const;

    Descriptor m_proc;
};

} // namespace spettro::sandbox
