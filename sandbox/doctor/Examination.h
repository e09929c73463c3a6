#pragma once

#include "sandbox/doctor/Attack.h"
#include "sandbox/doctor/Diagnosis.h"
#include "sandbox/doctor/Doctor.h"
#include "sandbox/doctor/ProbeRunner.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spettro::sandbox {

/// Carries out acts under one compiled policy and without it, and judges them.
class Examination
{
public:
    Examination(const DoctorRequest &request, const ScratchPlace &place, const HeldSignals &signals,
                const CompiledPolicy &policy);

    /// Why not even a harmless program runs under the policy; empty where it does.
    std::string refusal() const;

    /// Whether an act makes sense under the policy.
    bool applies(const Act &act) const;

    AttackRow attack(const Act &act) const;
    WorkRow work(const Act &act) const;

private:
    /// What came of an act.
    struct Observation
    {
        bool happened = false; ///< The host saw it done.
        bool tried = false;    ///< The probe came to its end.
        std::string reason;    ///< What the probe said of a failure.
    };

    /// What an act needs while it is carried out.
    struct Props;

    Observation observe(const Act &act, Confinement confinement) const;
    std::map<std::string, std::string> valuesFor(const Act &act, const Props &props) const;
    ProbeRun runOf(const Act &act, const Props &props, Confinement confinement) const;
    std::string stateFor(Evidence evidence) const;
    bool isSeen(const Act &act, const ProbeOutcome &outcome, const Props &props,
                const std::string &before) const;
    std::string hindrance(const Act &act) const;
    std::string obstacle(const Act &act) const;
    std::string temporaryFile() const;

    const DoctorRequest &m_request;
    const ScratchPlace &m_place;
    const HeldSignals &m_signals;
    const FrozenPolicy m_policy;
    ProbeRunner m_runner;
    Canary m_canary;
    std::chrono::steady_clock::time_point m_deadline;
};

} // namespace spettro::sandbox
