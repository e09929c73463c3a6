#pragma once

#include "sandbox/plan/Promises.h"

#include <string>
#include <vector>

namespace spettro::sandbox {

/// What came of a promise, or of one attack on it.
enum class Finding {
    Kept,     ///< Tried, and the attack failed that succeeds without the sandbox.
    NotKept,  ///< Tried, and the attack succeeded; or no layer keeps the promise here.
    NotAsked, ///< The policy does not make this promise.
    NotTried, ///< The attack fails here without the sandbox too, or could not be started.
};

/// One attack under the policy.
struct AttackRow
{
    std::string title;
    Finding finding = Finding::NotTried;
    std::string reason; ///< Why it could not be tried.
};

/// One promise with all attacks on it.
struct PromiseRow
{
    PromiseState state;
    Finding finding = Finding::NotTried;
    std::vector<AttackRow> attacks;
    std::string reason; ///< Why it could not be tried.
};

enum class WorkFinding { Works, Fails, NotTried };

/// One thing that a command must still be able to do.
struct WorkRow
{
    std::string title;
    WorkFinding finding = WorkFinding::NotTried;
    std::string reason;
};

/// What doctor found out about a policy on this machine.
struct Diagnosis
{
    std::string kernel;       ///< The release, as uname(2) names it.
    int landlockAbi = 0;      ///< What Spettro uses; 0 for none.
    std::string landlockNote; ///< Why there is none, or that a test switch lowered it; empty else.
    bool hasSyscallFilter = false;
    std::string tag;
    std::string summary;
    std::string refusal; ///< Why no command runs under the policy here; empty where commands run.
    std::vector<PromiseRow> promises; ///< In the order of `Promise`.
    std::vector<WorkRow> work;

    /// Whether commands run, and no promise that they must not run without was found broken.
    bool isPolicyKept() const
    {
        for (const PromiseRow &row : promises) {
            if (row.state.asked && row.state.required && row.finding == Finding::NotKept) {
                return false;
            }
        }
        return refusal.empty();
    }
};

} // namespace spettro::sandbox
