#include "sandbox/policy/Explain.h"

#include "sandbox/policy/Text.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace spettro::sandbox {

namespace {

std::string sourceText(const Origin &origin)
{
    return text::printable(toText(origin));
}

std::string named(const Root &root)
{
    return text::printable(root.path) + " (" + sourceText(root.origin) + ')';
}

std::string_view actText(FileAct act)
{
    switch (act) {
    case FileAct::Read:
        return "reading";
    case FileAct::Write:
        return "writing";
    case FileAct::Execute:
        return "executing";
    }
    return {};
}

std::string_view grantText(Grant grant)
{
    switch (grant) {
    case Grant::Read:
        return "reading and executing";
    case Grant::List:
        return "listing";
    case Grant::Write:
        return "writing, reading and executing";
    case Grant::Device:
        return "device access";
    }
    return {};
}

bool allows(Grant grant, FileAct act)
{
    switch (act) {
    case FileAct::Read:
        return grant != Grant::List;
    case FileAct::Write:
        return grant == Grant::Write || grant == Grant::Device;
    case FileAct::Execute:
        return grant == Grant::Read || grant == Grant::Write;
    }
    return false;
}

/// Component by component: `/srv/data` does not cover `/srv/database`.
bool isSameOrBeneath(std::string_view path, std::string_view folder)
{
    if (folder.empty()) {
        return false;
    }
    if (folder == "/") {
        return path.starts_with('/');
    }
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool covers(const Root &root, std::string_view path)
{
    return root.isDirectory ? isSameOrBeneath(path, root.path) : path == root.path;
}

/// Only such a path can be compared with roots: anything else means what the kernel makes of it.
bool looksReal(std::string_view path)
{
    const std::string bounded = std::string(path) + '/';
    return path.starts_with('/') && bounded.find("/../") == std::string::npos
           && bounded.find("/./") == std::string::npos;
}

std::string parentOf(std::string_view path)
{
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

const Root *longest(const Root *best, const Root &candidate)
{
    return best == nullptr || candidate.path.size() > best->path.size() ? &candidate : best;
}

/// What the roots say about one act; the pointers are null where no root qualifies.
struct Finding
{
    const Root *granting = nullptr; ///< The longest root that covers the path and grants the act.
    const Root *covering = nullptr; ///< The longest root that covers the path.
};

Finding find(const FrozenPolicy &policy, FileAct act, std::string_view path)
{
    Finding finding;
    for (const Root &root : policy.roots()) {
        if (!covers(root, path)) {
            continue;
        }
        finding.covering = longest(finding.covering, root);
        if (allows(root.grant, act)) {
            finding.granting = longest(finding.granting, root);
        }
    }
    return finding;
}

/// Whether the root is one that mode workspace-write adds by itself; one that the operator named stays in
/// read-only mode, even if it is the same folder.
bool comesFromMode(const FrozenPolicy &policy, const Root &root)
{
    const std::vector<Sourced<std::string>> &extra = policy.asked().writableDirs;
    return root.path == policy.workspace()
           && std::none_of(extra.begin(), extra.end(),
                           [&root](const Sourced<std::string> &dir) { return dir.origin == root.origin; });
}

bool isWritableByModeOnly(const FrozenPolicy &policy, std::string_view path)
{
    return std::all_of(policy.roots().begin(), policy.roots().end(), [&](const Root &root) {
        return !covers(root, path) || !allows(root.grant, FileAct::Write) || comesFromMode(policy, root);
    });
}

std::string changeThatRefuses(const FrozenPolicy &policy, FileAct act, std::string_view path)
{
    const bool isWorkspaceWrite = policy.mode() == FileSystemMode::WorkspaceWrite && act == FileAct::Write;
    return isWorkspaceWrite && isWritableByModeOnly(policy, path) ? "--sandbox read-only" : "";
}

/// Freezing refuses these as writable roots, so no flag is offered that would end in an error. A single
/// device node can be named, its folder cannot.
std::string writableRootFor(std::string_view path)
{
    if (isSameOrBeneath(path, "/proc") || isSameOrBeneath(path, "/sys")) {
        return {};
    }
    const std::string folder = parentOf(path);
    if (folder == "/") {
        return {};
    }
    return folder == "/dev" ? std::string(path) : folder;
}

std::string changeThatAllows(const FrozenPolicy &policy, FileAct act, std::string_view path)
{
    if (act != FileAct::Write) {
        return "--sandbox-allow-read-dir " + text::shellQuoted(parentOf(path));
    }
    if (policy.mode() == FileSystemMode::ReadOnly && isSameOrBeneath(path, policy.workspace())) {
        return "--sandbox workspace-write";
    }
    const std::string root = writableRootFor(path);
    return root.empty() ? root : "--sandbox-allow-dir " + text::shellQuoted(root);
}

std::string refusalRule(const FrozenPolicy &policy, FileAct act, std::string_view path, const Root *covering)
{
    const std::string mode =
        std::string(toText(policy.mode())) + " (" + sourceText(policy.asked().mode.origin) + ')';
    if (covering == nullptr) {
        return mode + ": " + text::printable(path) + " lies outside every root";
    }
    return mode + ": " + named(*covering) + " grants " + std::string(grantText(covering->grant)) + ", not "
           + std::string(actText(act));
}

std::string lowerCase(std::string_view text)
{
    std::string out(text);
    for (char &character : out) {
        if (character >= 'A' && character <= 'Z') {
            character = static_cast<char>(character - 'A' + 'a');
        }
    }
    return out;
}

bool isInDotted127(std::string_view host)
{
    if (!host.starts_with("127.")) {
        return false;
    }
    std::size_t dots = 0;
    std::size_t digits = 0;
    for (const char character : host) {
        const bool isDigit = character >= '0' && character <= '9';
        if (!isDigit && (character != '.' || digits == 0)) {
            return false;
        }
        dots += isDigit ? 0 : 1;
        digits = isDigit ? digits + 1 : 0;
        if (digits > 3) {
            return false;
        }
    }
    return dots == 3 && digits > 0;
}

bool isLoopback(const std::string &host)
{
    std::string name = lowerCase(host);
    if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
        name = name.substr(1, name.size() - 2);
    }
    constexpr std::string_view MappedPrefix = "::ffff:";
    if (name.starts_with(MappedPrefix)) {
        return isInDotted127(std::string_view(name).substr(MappedPrefix.size()));
    }
    return name == "localhost" || name == "::1" || name == "0:0:0:0:0:0:0:1" || isInDotted127(name);
}

/// Whether the host has to be looked up. That takes UDP, which `ports:` refuses.
bool needsLookup(const std::string &host)
{
    const bool isAddress =
        host.find(':') != std::string::npos || host.find_first_not_of("0123456789.") == std::string::npos;
    return !isAddress && !isLoopback(host);
}

/// The narrowest flag that will do. It replaces the list, so the ports that are allowed already are repeated.
std::string changeThatConnects(const Network &network, const std::string &host, std::uint16_t port)
{
    const bool isListable = port != 0;
    if (!isListable || (network.mode != NetworkMode::Ports && needsLookup(host))) {
        return "--sandbox-net all";
    }
    Network wider{NetworkMode::Ports, network.ports};
    wider.ports.insert(std::lower_bound(wider.ports.begin(), wider.ports.end(), port), port);
    return "--sandbox-net " + toText(wider);
}

std::string localhostRule(const std::string &host)
{
    if (isLoopback(host)) {
        return "this version refuses all TCP; loopback follows";
    }
    return text::printable(host) + " is not a loopback address";
}

} // namespace

Verdict explainFile(const FrozenPolicy &policy, FileAct act, const std::string &realPath)
{
    if (policy.mode() == FileSystemMode::Off) {
        return {true, "no file system confinement", {}};
    }
    if (!looksReal(realPath)) {
        return {false,
                text::quoted(realPath) + " is not a real path: it is not absolute or has '.' or '..' in it",
                {}};
    }
    const Finding finding = find(policy, act, realPath);
    if (finding.granting == nullptr) {
        return {false, refusalRule(policy, act, realPath, finding.covering),
                changeThatAllows(policy, act, realPath)};
    }
    return {true, named(*finding.granting) + " grants " + std::string(grantText(finding.granting->grant)),
            changeThatRefuses(policy, act, realPath)};
}

Verdict explainConnect(const FrozenPolicy &policy, const std::string &host, std::uint16_t port)
{
    const Network &network = policy.network();
    const std::string rule =
        "network " + toText(network) + " (" + sourceText(policy.asked().network.origin) + ')';
    switch (network.mode) {
    case NetworkMode::All:
        return {true, "no network confinement", "--sandbox-net none"};
    case NetworkMode::None:
        return {false, rule, changeThatConnects(network, host, port)};
    case NetworkMode::Localhost:
        return {false, rule + ": " + localhostRule(host), changeThatConnects(network, host, port)};
    case NetworkMode::Ports:
        break;
    }
    if (std::binary_search(network.ports.begin(), network.ports.end(), port)) {
        return {true, rule, "--sandbox-net none"};
    }
    return {false, rule + ": port " + std::to_string(port) + " is not in the list",
            changeThatConnects(network, host, port)};
}

} // namespace spettro::sandbox
