#include "sandbox/doctor/Examination.h"

#include "sandbox/doctor/Bystander.h"
#include "sandbox/doctor/Probe.h"
#include "sandbox/linux/HostPath.h"
#include "sandbox/policy/Text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace spettro::sandbox {

namespace {

constexpr std::chrono::seconds WholeLimit{60};

std::string replaced(std::string text, const std::map<std::string, std::string> &values)
{
    for (const auto &[name, value] : values) {
        if (const std::size_t place = text.find(name); place != std::string::npos) {
            text.replace(place, name.size(), value);
        }
    }
    return text;
}

bool names(const Act &act, std::string_view placeholder)
{
    return std::any_of(act.arguments.begin(), act.arguments.end(),
                       [placeholder](const std::string &argument) {
                           return argument.find(placeholder) != std::string::npos;
                       });
}

/// What a probe, or the stage that was to become it, said last of a failure.
std::string reasonIn(std::string errors)
{
    while (errors.ends_with('\n')) {
        errors.pop_back();
    }
    std::string line = errors.substr(errors.rfind('\n') + 1);
    constexpr std::string_view StagePrefix = "spettro: nothing was run: ";
    if (line.starts_with(StagePrefix)) {
        line.erase(0, StagePrefix.size());
    }
    return line.empty() ? "nothing was seen of it in time" : text::printable(line);
}

} // namespace

struct Examination::Props
{
    std::optional<Bystander> bystander;
    Descriptor pipe;      ///< To read from.
    Descriptor inherited; ///< The pipe's other end, which every child inherits.

    /// Opens the pipe. Returns whether that went well.
    bool openPipe()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
            return false;
        }
        const Descriptor writeEnd(ends[1]);
        pipe = Descriptor(ends[0]);
        inherited = Descriptor(::fcntl(writeEnd.number(), F_DUPFD, STDERR_FILENO + 1));
        return static_cast<bool>(inherited);
    }
};

Examination::Examination(const DoctorRequest &request, const ScratchPlace &place, const HeldSignals &signals,
                         const CompiledPolicy &policy)
    : m_request(request), m_place(place), m_signals(signals), m_policy(policy.policy()),
      m_runner(place.program(), policy, signals.previousMask()),
      m_canary(policy.policy().network(), place.sockets(), "spettro-doctor-" + place.secret()),
      m_deadline(std::chrono::steady_clock::now() + WholeLimit)
{}

std::string Examination::refusal() const
{
    const Act harmless{"starting a program", {"nothing"}, Evidence::SecretShown};
    const Observation observed = observe(harmless, Confinement::Policy);
    return observed.tried ? std::string() : observed.reason;
}

bool Examination::applies(const Act &act) const
{
    switch (act.condition) {
    case Condition::Always:
        return true;
    case Condition::Confined:
        return m_policy.isConfined();
    case Condition::WritableWorkspace:
        return m_policy.mode() != FileSystemMode::ReadOnly;
    case Condition::ReadOnlyWorkspace:
        return m_policy.mode() == FileSystemMode::ReadOnly;
    case Condition::ConfinedFiles:
        return m_policy.mode() != FileSystemMode::Off;
    case Condition::SomeNetwork:
        return m_policy.network().mode != NetworkMode::None;
    }
    return true;
}

AttackRow Examination::attack(const Act &act) const
{
    for (const std::string &reason : {hindrance(act), obstacle(act)}) {
        if (!reason.empty()) {
            return {act.title, Finding::NotTried, reason};
        }
    }
    const Observation control = observe(act, Confinement::None);
    if (!control.happened) {
        return {act.title, Finding::NotTried, "fails without the sandbox too: " + control.reason};
    }
    const Observation trial = observe(act, Confinement::Policy);
    if (trial.happened) {
        return {act.title, Finding::NotKept, {}};
    }
    return trial.tried
               ? AttackRow{act.title, Finding::Kept, {}}
               : AttackRow{act.title, Finding::NotTried, "did not run in the sandbox: " + trial.reason};
}

WorkRow Examination::work(const Act &act) const
{
    if (std::string reason = hindrance(act); !reason.empty()) {
        return {act.title, WorkFinding::NotTried, std::move(reason)};
    }
    const Observation trial = observe(act, Confinement::Policy);
    if (trial.happened) {
        return {act.title, WorkFinding::Works, {}};
    }
    const bool worksOutside = observe(act, Confinement::None).happened;
    return {act.title, worksOutside ? WorkFinding::Fails : WorkFinding::NotTried,
            worksOutside ? trial.reason : "fails without the sandbox too: " + trial.reason};
}

Examination::Observation Examination::observe(const Act &act, Confinement confinement) const
{
    m_place.putFilesBack();
    const bool needsBystander = names(act, "{bystander}");
    Props props{needsBystander
                    ? Bystander::start(m_place.program(), m_place.secret(), m_signals.previousMask())
                    : std::nullopt,
                {},
                {}};
    if (needsBystander && !props.bystander) {
        return {false, false, "no process to attack could be started"};
    }
    if (names(act, "{descriptor}") && !props.openPipe()) {
        return {false, false, "no pipe could be made"};
    }
    const std::string before = stateFor(act.evidence);
    const ProbeOutcome outcome = m_runner.run(runOf(act, props, confinement), confinement);
    const bool tried = outcome.output.find(ProbeMarker) != std::string::npos;
    return {isSeen(act, outcome, props, before), tried, reasonIn(outcome.errors)};
}

std::map<std::string, std::string> Examination::valuesFor(const Act &act, const Props &props) const
{
    std::map<std::string, std::string> values{{"{outside}", m_place.outside()},
                                              {"{readable}", m_place.readable()},
                                              {"{workspace}", m_place.workspace()},
                                              {"{name}", "spettro-doctor-" + m_place.secret()},
                                              {"{descriptor}", std::to_string(props.inherited.number())},
                                              {"{ear}", m_canary.address(act.ear)}};
    if (props.bystander) {
        values["{bystander}"] = std::to_string(props.bystander->process());
        values["{memory}"] = props.bystander->secretAddress();
    }
    return values;
}

ProbeRun Examination::runOf(const Act &act, const Props &props, Confinement confinement) const
{
    const std::map<std::string, std::string> values = valuesFor(act, props);
    ProbeRun run;
    for (const std::string &argument : act.arguments) {
        run.arguments.push_back(replaced(argument, values));
    }
    run.environment = m_request.environment;
    if (!act.variable.empty()) {
        run.environment.insert(run.environment.begin(), act.variable + '=' + m_place.secret());
    }
    if (confinement == Confinement::Policy) {
        run.environment = m_request.planEnvironment(m_policy, run.environment);
    } else if (act.evidence == Evidence::TemporaryFile) {
        run.environment.insert(run.environment.begin(), "TMPDIR=" + m_policy.temporaryDirectory());
    }
    run.input = act.evidence == Evidence::KeyTyped ? Input::NewTerminal : Input::Nothing;
    return run;
}

std::string Examination::stateFor(Evidence evidence) const
{
    switch (evidence) {
    case Evidence::FilesChanged:
        return m_place.protectedState();
    case Evidence::WorkspaceChanged:
        return m_place.workspaceState();
    default:
        return {};
    }
}

bool Examination::isSeen(const Act &act, const ProbeOutcome &outcome, const Props &props,
                         const std::string &before) const
{
    char byte = 0;
    switch (act.evidence) {
    case Evidence::FilesChanged:
    case Evidence::WorkspaceChanged:
        return stateFor(act.evidence) != before;
    case Evidence::TemporaryFile:
        return ::unlink(temporaryFile().c_str()) == 0;
    case Evidence::SecretShown:
        return outcome.output.find(m_place.secret()) != std::string::npos;
    case Evidence::Heard:
        return m_canary.hasHeard(act.ear);
    case Evidence::BystanderDied:
        return props.bystander->hasDied();
    case Evidence::PipeReached:
        return ::read(props.pipe.number(), &byte, 1) == 1;
    case Evidence::KeyTyped:
        return outcome.keyTyped;
    case Evidence::StillRuns:
        return !outcome.outputEnded;
    }
    return false;
}

/// Why an act cannot be carried out at all; empty where it can.
std::string Examination::hindrance(const Act &act) const
{
    if (m_signals.isEndWanted()) {
        return "interrupted";
    }
    if (std::chrono::steady_clock::now() > m_deadline) {
        return "no time was left";
    }
    return act.ear != Ear::None && m_canary.address(act.ear).empty() ? m_canary.reason(act.ear)
                                                                     : std::string();
}

/// Why an attack would say nothing; empty where it would.
std::string Examination::obstacle(const Act &act) const
{
    if (!names(act, "{outside}") && !names(act, "{readable}")) {
        return {};
    }
    for (const Root &root : m_policy.roots()) {
        const bool opens = root.grant == Grant::Write
                           || (root.grant == Grant::Read && act.evidence == Evidence::SecretShown);
        if (opens && isBeneath(m_place.outside(), root.path)) {
            return "the policy opens " + text::quoted(root.path) + ", and the home folder with it";
        }
    }
    return {};
}

std::string Examination::temporaryFile() const
{
    return m_policy.temporaryDirectory() + "/spettro-doctor-" + m_place.secret();
}

} // namespace spettro::sandbox
