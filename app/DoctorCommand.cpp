#include "app/DoctorCommand.h"

#include "app/DiagnosisPrinter.h"
#include "app/config/PolicyLoader.h"
#include "sandbox/child/ExitCode.h"
#include "sandbox/doctor/Doctor.h"
#include "sandbox/linux/Landlock.h"

#include <cstdio>
#include <cstdlib>

namespace spettro {

using namespace sandbox;

namespace {

constexpr int ExitNotKept = 1;

/// Where nobody asks for a policy, the one that Spettro is made for is tried.
Result<PolicyFlags> withDefaults(PolicyFlags flags)
{
    const Result<LoadedManifest> manifest = loadManifest(flags, ManifestPart::Policy);
    if (!manifest) {
        return manifest.error();
    }
    if (!flags.mode && !flags.network && !manifest->settings.mode && !manifest->settings.network) {
        flags.mode = toText(FileSystemMode::WorkspaceWrite);
        flags.network = toText(Network{NetworkMode::None, {}});
    }
    return flags;
}

Result<Diagnosis> examine(const PolicyFlags &given)
{
    const Result<PolicyFlags> flags = withDefaults(given);
    if (!flags) {
        return flags.error();
    }
    const HeldSignals signals; // from here on there is something to tidy up
    const char *home = std::getenv("HOME");
    const Result<ScratchPlace> place = ScratchPlace::create(home != nullptr ? home : "");
    if (!place) {
        return place.error();
    }
    const Result<FrozenPolicy> policy = loadPolicyFor(place->workspace(), *flags);
    if (!policy) {
        return policy.error();
    }
    const DoctorRequest request{*policy,
                                freezeOptions(*flags),
                                probeHost(flags->landlockAbiLimit),
                                queryLandlock().abi,
                                operatorEnvironment(),
                                commandEnvironment};
    return diagnose(request, *place, signals);
}

} // namespace

int doctorCommand(const CommandLine &line)
{
    const Result<Diagnosis> diagnosis = examine(line.policy);
    if (!diagnosis) {
        return reportError(diagnosis.error()) == ExitUnenforceable ? ExitNotKept : ExitUsage;
    }
    const std::string text = line.format == OutputFormat::Json ? toJson(*diagnosis) : toTable(*diagnosis);
    std::fputs(text.c_str(), stdout);
    return diagnosis->isPolicyKept() ? 0 : ExitNotKept;
}

} // namespace spettro
