#pragma once

#include "sandbox/linux/CompiledPolicy.h"

#include <csignal>
#include <string>
#include <vector>

namespace spettro::sandbox {

/// Whether a probe runs under the policy (the trial) or as the operator's own program (the control).
enum class Confinement { None, Policy };

/// What the standard input of a probe is.
enum class Input { Nothing, NewTerminal };

/// One run of the probe.
struct ProbeRun
{
    std::vector<std::string> arguments;   ///< The act and its arguments.
    std::vector<std::string> environment; ///< As the operator has it.
    Input input = Input::Nothing;
};

/// What the host saw of a run.
struct ProbeOutcome
{
    std::string output;
    std::string errors;
    bool outputEnded = false; ///< Whether nobody held the output any more when the probe had ended.
    bool keyTyped = false;    ///< Whether a character waited in the terminal.
};

/// Runs probes and observes them. No run takes longer than a few seconds, whatever the probe does.
class ProbeRunner
{
public:
    /// `program` is the probe, `policy` what it is tried under. `mask` is the signal mask that programs are
    /// to have.
    ProbeRunner(std::string program, const CompiledPolicy &policy, const sigset_t &mask)
        : m_program(std::move(program)), m_policy(policy), m_mask(mask)
    {}

    ProbeOutcome run(const ProbeRun &run, Confinement confinement) const;

private:
    std::vector<std::string> commandOf(const ProbeRun &run) const;
    [[noreturn]] void becomeControl(const ProbeRun &run) const;
    [[noreturn]] void becomeTrial(const ProbeRun &run) const;
    [[noreturn]] void become(const ProbeRun &run, Confinement confinement) const;

    std::string m_program;
    const CompiledPolicy &m_policy;
    const sigset_t &m_mask;
};

} // namespace spettro::sandbox
