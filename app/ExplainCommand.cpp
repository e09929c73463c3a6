#include "app/ExplainCommand.h"

#include "app/config/ManifestFile.h"
#include "app/config/PolicyLoader.h"
#include "sandbox/linux/HostPath.h"
#include "sandbox/policy/Explain.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace spettro {

using namespace sandbox;

namespace {

Error usageError(std::string message)
{
    return {ErrorKind::Usage, std::move(message), 0};
}

/// The path that the kernel would reach, also for a file that does not exist yet.
std::string reachedPath(const std::string &path)
{
    std::error_code error;
    const std::filesystem::path reached = std::filesystem::weakly_canonical(path, error);
    return error ? std::filesystem::path(path).lexically_normal().string() : reached.string();
}

Result<Verdict> judgeFile(const FrozenPolicy &policy, FileAct act, const std::string &path)
{
    const char *home = std::getenv("HOME");
    const Result<std::string> absolute =
        absolutePath(path, std::filesystem::current_path().string(), home != nullptr ? home : "");
    if (!absolute) {
        return usageError("explain: " + absolute.error().message);
    }
    return explainFile(policy, act, reachedPath(*absolute));
}

Result<Verdict> judgeConnection(const FrozenPolicy &policy, const std::string &target)
{
    const std::size_t colon = target.rfind(':');
    unsigned port = 0;
    const char *end = target.data() + target.size();
    const bool hasPort = colon != std::string::npos && colon > 0
                         && std::from_chars(target.data() + colon + 1, end, port).ptr == end;
    if (!hasPort || port == 0 || port > 65535) {
        return usageError("explain connect: HOST:PORT with a port between 1 and 65535, not '" + target + "'");
    }
    std::string host = target.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    return explainConnect(policy, host, static_cast<std::uint16_t>(port));
}

Result<Verdict> judge(const FrozenPolicy &policy, const std::vector<std::string> &question)
{
    if (question.size() == 2) {
        if (question[0] == "read") {
            return judgeFile(policy, FileAct::Read, question[1]);
        }
        if (question[0] == "write") {
            return judgeFile(policy, FileAct::Write, question[1]);
        }
        if (question[0] == "exec") {
            return judgeFile(policy, FileAct::Execute, question[1]);
        }
        if (question[0] == "connect") {
            return judgeConnection(policy, question[1]);
        }
    }
    return usageError("explain: ask read, write or exec with a PATH, or connect with HOST:PORT");
}

void printVerdict(const Verdict &verdict, OutputFormat format)
{
    if (format == OutputFormat::Json) {
        const nlohmann::ordered_json json = {
            {"allowed", verdict.allowed}, {"rule", verdict.rule}, {"change", verdict.change}};
        std::puts(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
        return;
    }
    std::printf("%s: %s\n", verdict.allowed ? "allowed" : "refused", verdict.rule.c_str());
    if (!verdict.change.empty()) {
        std::printf("to change it: %s\n", verdict.change.c_str());
    }
}

std::string sourceOf(const Origin &origin)
{
    return origin.place.empty() ? "default" : origin.place;
}

void printList(const char *title, const std::vector<Sourced<std::string>> &values)
{
    for (const Sourced<std::string> &value : values) {
        std::printf("%-18s %s  (%s)\n", title, value.value.c_str(), sourceOf(value.origin).c_str());
        title = "";
    }
}

/// Whether a root is one of the entries by which a folder with secrets in it is granted; as root, those are many.
bool isEntryOf(const Root &root, const Root &folder)
{
    return folder.grant == Grant::List && root.grant == Grant::Read && root.path != folder.path
           && isBeneath(root.path, folder.path);
}

bool isEntry(const FrozenPolicy &policy, const Root &root)
{
    return root.origin.kind == Origin::Kind::System
           && std::any_of(policy.roots().begin(), policy.roots().end(),
                          [&](const Root &folder) { return isEntryOf(root, folder); });
}

void printRoot(const FrozenPolicy &policy, const Root &root)
{
    const auto entries = std::count_if(policy.roots().begin(), policy.roots().end(),
                                       [&](const Root &other) { return isEntryOf(other, root); });
    const std::string source = root.origin.kind == Origin::Kind::System ? "system" : sourceOf(root.origin);
    const std::string note =
        entries > 0 ? "; read " + std::to_string(entries) + " entries, not the secrets; --json lists them"
                    : "";
    std::printf("%-18s %s  (%s%s)\n", std::string(toText(root.grant)).c_str(), root.path.c_str(),
                source.c_str(), note.c_str());
}

void printSaid(const char *title, const std::optional<std::string> &value)
{
    if (value) {
        std::printf("%-18s %s  (%s)\n", title, value->c_str(), ManifestName);
    }
}

/// What the manifest says beside the policy.
void printAgents(const AgentManifest &agents)
{
    printSaid("permission", agents.runtime.defaultPermission);
    printSaid("provider", agents.runtime.provider);
    printSaid("base URL", agents.runtime.baseUrl);
    printSaid("model", agents.runtime.model);
    for (const ManifestAgent &agent : agents.agents) {
        std::printf("%-18s %s%s  (%s)\n", "agent", agent.id.c_str(), agent.enabled ? "" : ", not enabled",
                    agent.place.c_str());
    }
}

void printPolicy(const FrozenPolicy &policy)
{
    const Policy &asked = policy.asked();
    const std::string tag = policy.tag();
    std::printf("%-18s %s\n", "policy", tag.empty() ? "nothing is confined" : tag.c_str());
    std::printf("%-18s %s\n", "", policy.summary().c_str());
    std::printf("%-18s %s  (%s)\n", "file system", std::string(toText(policy.mode())).c_str(),
                sourceOf(asked.mode.origin).c_str());
    std::printf("%-18s %s  (%s)\n", "network", toText(policy.network()).c_str(),
                sourceOf(asked.network.origin).c_str());
    if (asked.steering.value == Steering::Allowed) {
        std::printf("%-18s %s  (%s)\n", "steering files", "allowed", sourceOf(asked.steering.origin).c_str());
    }
    std::printf("%-18s %s\n", "workspace", policy.workspace().c_str());
    if (!policy.temporaryDirectory().empty()) {
        std::printf("%-18s %s\n", "temporary files", policy.temporaryDirectory().c_str());
    }
    printList("extra writable", asked.writableDirs);
    printList("extra readable", asked.readableDirs);
    printList("kept variables", asked.allowedVariables);
    for (const Root &root : policy.roots()) {
        if (!isEntry(policy, root)) {
            printRoot(policy, root);
        }
    }
}

} // namespace

int explainCommand(const CommandLine &line)
{
    const Result<SessionPolicy> session = loadSessionPolicy(line.policy);
    if (!session) {
        return reportError(session.error());
    }
    for (const std::string &warning : session->agents.warnings) {
        std::fprintf(stderr, "spettro: warning: %s\n", warning.c_str());
    }
    const FrozenPolicy &policy = session->policy;
    if (!line.question.empty()) {
        const Result<Verdict> verdict = judge(policy, line.question);
        if (!verdict) {
            return reportError(verdict.error());
        }
        printVerdict(*verdict, line.format);
    } else if (line.format == OutputFormat::Json) {
        std::puts(policy.json().c_str());
    } else {
        printPolicy(policy);
        printAgents(session->agents);
    }
    return 0;
}

} // namespace spettro
