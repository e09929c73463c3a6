#include "sandbox/doctor/Doctor.h"

#include "sandbox/doctor/Attack.h"
#include "sandbox/doctor/Examination.h"

#include <sys/utsname.h>

#include <algorithm>

namespace spettro::sandbox {

namespace {

std::string kernelRelease()
{
    utsname name{};
    return ::uname(&name) == 0 ? name.release : "unknown";
}

/// Why there is no Landlock, in the words of the promise that stands and falls with it.
std::string landlockNote(const HostFacts &host, int kernelAbi)
{
    if (host.landlockAbi != kernelAbi) {
        return "this kernel has " + std::to_string(kernelAbi) + "; lowered by a test switch";
    }
    return host.landlockAbi > 0 ? std::string()
                                : assessPromises(FileSystemMode::WorkspaceWrite, {}, host).front().layer;
}

/// The asked policy with the scratch folder that is to be readable, so that there is something a command may
/// open but not change.
Result<FrozenPolicy> policyToTry(const DoctorRequest &request, const ScratchPlace &place)
{
    Policy policy = request.policy.asked();
    if (policy.mode.value != FileSystemMode::Off) {
        policy.readableDirs.push_back({place.readable(), {Origin::Kind::System, "doctor"}});
    }
    return freezePolicy(std::move(policy), request.freezeOptions);
}

Result<CompiledPolicy> compile(const DoctorRequest &request, const ScratchPlace &place)
{
    Result<FrozenPolicy> policy = policyToTry(request, place);
    if (!policy) {
        return policy.error();
    }
    return CompiledPolicy::create(std::move(policy).value(), request.host);
}

/// A promise that no layer keeps is not kept, even if the attacks on it happen to fail. One that could be
/// tried in a single way counts as tried: an attack that this host does not know at all is no way in.
void conclude(PromiseRow &row)
{
    const auto found = [&row](Finding finding) {
        return std::find_if(row.attacks.begin(), row.attacks.end(),
                            [finding](const AttackRow &attack) { return attack.finding == finding; });
    };
    const auto none = row.attacks.end();
    if (!row.state.kept || found(Finding::NotKept) != none) {
        row.finding = Finding::NotKept;
    } else if (found(Finding::Kept) != none) {
        row.finding = Finding::Kept;
    } else {
        row.finding = Finding::NotTried;
        row.reason = row.attacks.empty() ? "there is no attack on it" : row.attacks.front().reason;
    }
}

PromiseRow rowWithoutTrial(const PromiseState &state, const std::string &reason)
{
    PromiseRow row{state, Finding::NotTried, {}, reason};
    if (!state.asked) {
        row.finding = Finding::NotAsked;
    } else if (!state.kept) {
        row.finding = Finding::NotKept;
    }
    return row;
}

PromiseRow examine(const Examination &examination, const PromiseState &state)
{
    PromiseRow row{state, Finding::NotAsked, {}, {}};
    if (!state.asked) {
        return row;
    }
    for (const Attack &attack : attacks()) {
        if (attack.promise == state.promise && examination.applies(attack.act)) {
            row.attacks.push_back(examination.attack(attack.act));
        }
    }
    conclude(row);
    return row;
}

} // namespace

Diagnosis diagnose(const DoctorRequest &request, const ScratchPlace &place, const HeldSignals &signals)
{
    const FrozenPolicy &asked = request.policy;
    Diagnosis diagnosis;
    diagnosis.kernel = kernelRelease();
    diagnosis.landlockAbi = request.host.landlockAbi;
    diagnosis.landlockNote = landlockNote(request.host, request.kernelAbi);
    diagnosis.hasSyscallFilter = request.host.hasSyscallFilter;
    diagnosis.tag = asked.tag();
    diagnosis.summary = asked.summary();

    const std::vector<PromiseState> states = assessPromises(asked.mode(), asked.network(), request.host);
    const Result<CompiledPolicy> policy = compile(request, place);
    std::optional<Examination> examination;
    if (policy) {
        examination.emplace(request, place, signals, *policy);
        diagnosis.refusal = examination->refusal();
    } else {
        diagnosis.refusal = policy.error().message;
    }
    for (const PromiseState &state : states) {
        diagnosis.promises.push_back(diagnosis.refusal.empty()
                                         ? examine(*examination, state)
                                         : rowWithoutTrial(state, "no command runs under this policy here"));
    }
    if (!diagnosis.refusal.empty()) {
        return diagnosis;
    }
    for (const Act &act : ordinaryWork()) {
        if (examination->applies(act)) {
            diagnosis.work.push_back(examination->work(act));
        }
    }
    return diagnosis;
}

} // namespace spettro::sandbox
