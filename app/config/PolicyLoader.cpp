#include "app/config/PolicyLoader.h"

#include "app/config/AcceptedManifests.h"
#include "app/config/ManifestFile.h"
#include "sandbox/child/ExitCode.h"
#include "sandbox/linux/HostPath.h"
#include "sandbox/linux/SystemError.h"
#include "sandbox/linux/freezePolicy.h"
#include "sandbox/plan/EnvironmentPlan.h"
#include "sandbox/policy/Manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace spettro {

using namespace sandbox;

namespace {

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value != nullptr ? value : "";
}

Error usageError(std::string message)
{
    return {ErrorKind::Usage, std::move(message), 0};
}

/// The current folder by the name that the operator's shell uses, where that is still the same folder.
Result<std::string> currentFolder()
{
    struct stat named;
    struct stat actual;
    const std::string logical = variable("PWD");
    if (logical.starts_with('/') && ::stat(logical.c_str(), &named) == 0 && ::stat(".", &actual) == 0
        && named.st_dev == actual.st_dev && named.st_ino == actual.st_ino) {
        return logical;
    }
    char path[PATH_MAX];
    if (::getcwd(path, sizeof path) == nullptr) {
        return usageError(errno == ENOENT ? "the current folder no longer exists"
                                          : "the current folder: " + errorText(errno));
    }
    return std::string(path);
}

Result<std::vector<Sourced<std::string>>> foldersOf(const std::vector<std::string> &texts, const char *flag,
                                                    const std::string &base)
{
    std::vector<Sourced<std::string>> folders;
    for (const std::string &text : texts) {
        Result<std::string> path = absolutePath(text, base, variable("HOME"));
        if (!path) {
            return usageError(std::string(flag) + ": " + path.error().message);
        }
        folders.push_back({std::move(path).value(), {Origin::Kind::Flag, flag}});
    }
    return folders;
}

Result<PolicySettings> settingsOf(const PolicyFlags &flags, const std::string &base)
{
    PolicySettings settings;
    if (flags.mode) {
        const Result<FileSystemMode> mode = parseFileSystemMode(*flags.mode);
        if (!mode) {
            return usageError("--sandbox: " + mode.error().message);
        }
        settings.mode = {*mode, {Origin::Kind::Flag, "--sandbox"}};
    }
    if (flags.network) {
        Result<Network> network = parseNetwork(*flags.network);
        if (!network) {
            return usageError("--sandbox-net: " + network.error().message);
        }
        settings.network = {std::move(network).value(), {Origin::Kind::Flag, "--sandbox-net"}};
    }
    Result<std::vector<Sourced<std::string>>> writable =
        foldersOf(flags.writableDirs, "--sandbox-allow-dir", base);
    Result<std::vector<Sourced<std::string>>> readable =
        foldersOf(flags.readableDirs, "--sandbox-allow-read-dir", base);
    if (!writable || !readable) {
        return writable ? readable.error() : writable.error();
    }
    settings.writableDirs = std::move(writable).value();
    settings.readableDirs = std::move(readable).value();
    if (flags.allowSteering) {
        settings.steering = {Steering::Allowed, {Origin::Kind::Flag, "--sandbox-allow-steering"}};
    }
    for (const std::string &name : flags.allowedVariables) {
        const Result<std::string> checked = parseVariableName(name);
        if (!checked) {
            return usageError("--sandbox-allow-env: " + checked.error().message);
        }
        settings.allowedVariables.push_back({*checked, {Origin::Kind::Flag, "--sandbox-allow-env"}});
    }
    return settings;
}

std::string joined(const std::vector<std::string> &lines)
{
    std::string text;
    for (const std::string &line : lines) {
        text += "\n  " + line;
    }
    return text;
}

/// All that accepting would accept, also where only a part was read: nobody is to accept more than was shown.
std::vector<std::string> allWidenings(const PolicyFlags &flags, const LoadedManifest &manifest)
{
    const Result<LoadedManifest> everything = loadManifest(flags, ManifestPart::Everything);
    return everything ? everything->widenings : manifest.widenings;
}

bool isAccepted(const std::vector<std::string> &lines, const std::vector<std::string> &accepted)
{
    return std::all_of(lines.begin(), lines.end(), [&accepted](const std::string &line) {
        return std::find(accepted.begin(), accepted.end(), line) != accepted.end();
    });
}

/// `workspace` is the real path of the folder that the manifest lies in.
Result<FrozenPolicy> withAcceptedWidenings(const FrozenPolicy &policy, const PolicyFlags &flags,
                                           const LoadedManifest &manifest, const std::string &workspace)
{
    if (manifest.widenings.empty() || flags.trustManifest) {
        return policy;
    }
    const AcceptedManifests store(variable("HOME"));
    if (!isAccepted(manifest.widenings, store.linesFor(workspace))) {
        return usageError(
            std::string(ManifestName) + " widens the policy, and this has not been accepted for " + workspace
            + ":" + joined(allWidenings(flags, manifest))
            + "\nIf that is what you want: 'spettro sandbox accept', or --trust-manifest for one run.");
    }
    if (isWritable(policy, store.folder())) { // a command could accept its own manifest
        return usageError(store.folder()
                          + " lies where commands can write, so what it says is not believed; use"
                            " --trust-manifest");
    }
    return policy;
}

Result<FrozenPolicy> freezeMerged(const std::string &workspace, const PolicyFlags &flags,
                                  const LoadedManifest &manifest)
{
    const Result<std::string> current = currentFolder();
    const Result<PolicySettings> settings = settingsOf(flags, current ? *current : "/");
    if (!settings) {
        return settings.error();
    }
    return freezePolicy(mergePolicy(workspace, *settings, manifest.settings), freezeOptions(flags));
}

Result<SessionPolicy> loadSession(const PolicyFlags &flags, ManifestPart part)
{
    const Result<LoadedManifest> manifest = loadManifest(flags, part);
    if (!manifest) {
        return manifest.error();
    }
    Result<FrozenPolicy> policy = freezeMerged(manifest->workspace, flags, *manifest);
    if (policy) {
        policy = withAcceptedWidenings(*policy, flags, *manifest, policy->workspace());
    }
    if (!policy) {
        return policy.error();
    }
    return SessionPolicy{*policy, manifest->permissionRules, manifest->agents};
}

/// Reads a manifest's text.
std::optional<Error> fillManifest(std::string_view text, ManifestPart part, LoadedManifest &manifest)
{
    const ManifestPlace place{ManifestName, manifest.workspace, variable("HOME")};
    Result<PolicySettings> settings = parseManifest(text, place);
    if (!settings) {
        return settings.error();
    }
    Result<std::vector<ManifestRule>> rules = parseManifestRules(text, place);
    if (!rules) {
        return rules.error();
    }
    if (part == ManifestPart::Everything) {
        Result<AgentManifest> agents = parseAgentManifest(text, place);
        if (!agents) {
            return agents.error();
        }
        manifest.agents = std::move(agents).value();
    }
    manifest.settings = std::move(settings).value();
    manifest.permissionRules = std::move(rules).value();
    return std::nullopt;
}

std::vector<std::string> wideningLines(const LoadedManifest &manifest)
{
    std::vector<std::string> lines = wideningLines(manifest.settings);
    for (const std::vector<std::string> &more :
         {wideningLines(manifest.permissionRules), wideningLines(manifest.agents)}) {
        lines.insert(lines.end(), more.begin(), more.end());
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

} // namespace

Result<LoadedManifest> loadManifest(const PolicyFlags &flags, ManifestPart part)
{
    const Result<std::string> current = currentFolder();
    if (!current) {
        return current.error();
    }
    Result<std::string> workspace =
        flags.workspace.empty() ? *current : absolutePath(flags.workspace, *current, variable("HOME"));
    if (!workspace) {
        return usageError("--cwd: " + workspace.error().message);
    }
    const Result<std::optional<std::string>> text = readManifestFile(*workspace);
    if (!text) {
        return text.error();
    }
    LoadedManifest manifest{std::move(workspace).value(), {}, {}, {}, {}};
    if (text->has_value()) {
        if (std::optional<Error> error = fillManifest(**text, part, manifest)) {
            return std::move(*error);
        }
        manifest.widenings = wideningLines(manifest);
    }
    return manifest;
}

Result<SessionPolicy> loadSessionPolicy(const PolicyFlags &flags)
{
    return loadSession(flags, ManifestPart::Everything);
}

Result<FrozenPolicy> loadPolicy(const PolicyFlags &flags)
{
    const Result<SessionPolicy> session = loadSession(flags, ManifestPart::Policy);
    return session ? Result<FrozenPolicy>(session->policy) : session.error();
}

Result<FrozenPolicy> loadPolicyFor(const std::string &workspace, const PolicyFlags &flags)
{
    const Result<LoadedManifest> manifest = loadManifest(flags, ManifestPart::Policy);
    if (!manifest) {
        return manifest.error();
    }
    const Result<Root> real =
        openRealRoot(manifest->workspace, Grant::Read, {Origin::Kind::Default, "workspace"});
    if (!real) {
        return real.error();
    }
    const Result<FrozenPolicy> policy = freezeMerged(workspace, flags, *manifest);
    return policy ? withAcceptedWidenings(*policy, flags, *manifest, real->path) : policy;
}

FreezeOptions freezeOptions(const PolicyFlags &flags)
{
    return {variable("HOME"), variable("TMPDIR"),
            flags.allowHomeWorkspace ? HomeWorkspace::Allowed : HomeWorkspace::Refused};
}

std::vector<std::string> operatorEnvironment()
{
    std::vector<std::string> variables;
    for (char **entry = environ; *entry != nullptr; ++entry) {
        variables.emplace_back(*entry);
    }
    return variables;
}

std::vector<std::string> commandEnvironment(const FrozenPolicy &policy,
                                            const std::vector<std::string> &environment)
{
    EnvironmentOptions options;
    options.confined = policy.isConfined();
    options.network = policy.network().mode;
    options.readOnlyWorkspace = policy.mode() == FileSystemMode::ReadOnly;
    options.temporaryDirectory = policy.temporaryDirectory();
    options.workingDirectory = policy.asked().workspace;
    for (const Sourced<std::string> &name : policy.asked().allowedVariables) {
        options.allowedVariables.push_back(name.value);
    }
    if (policy.mode() != FileSystemMode::Off) {
        options.reachablePath = reachablePath(policy, variable("PATH"));
    }
    return planEnvironment(environment, options);
}

bool isWritable(const FrozenPolicy &policy, const std::string &folder)
{
    return std::any_of(policy.roots().begin(), policy.roots().end(), [&folder](const Root &root) {
        return root.grant == Grant::Write && isBeneath(folder, root.path);
    });
}

int reportError(const Error &error)
{
    const bool unenforceable = error.kind == ErrorKind::Unenforceable;
    std::fprintf(stderr, "spettro: %s%s\n", unenforceable ? "nothing was run: " : "", error.message.c_str());
    return unenforceable ? ExitUnenforceable : ExitUsage;
}

} // namespace spettro
