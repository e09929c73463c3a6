#include "sandbox/policy/Policy.h"

#include "sandbox/policy/Text.h"

#include <algorithm>
#include <array>

namespace spettro::sandbox {

namespace {

struct ModeName
{
    std::string_view text;
    FileSystemMode mode;
};

// The first spelling of a mode is the one that toText gives.
constexpr std::array ModeNames{
    ModeName{"off", FileSystemMode::Off},
    ModeName{"full-access", FileSystemMode::Off},
    ModeName{"workspace-write", FileSystemMode::WorkspaceWrite},
    ModeName{"read-only", FileSystemMode::ReadOnly},
};

constexpr std::string_view PortsPrefix = "ports:";

Error usageError(std::string message)
{
    return Error{ErrorKind::Usage, std::move(message), 0};
}

/// Strict on purpose: `std::stoi` and its kin would take signs, spaces, other bases and what follows the
/// digits.
std::optional<std::uint16_t> parsePort(std::string_view text)
{
    if (text.empty() || text.size() > 5 || text.front() == '0') {
        return std::nullopt;
    }
    std::uint32_t port = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') {
            return std::nullopt;
        }
        port = port * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    if (port > 65535) {
        return std::nullopt;
    }
    return static_cast<std::uint16_t>(port);
}

Result<Network> parsePorts(std::string_view list)
{
    Network network{NetworkMode::Ports, {}};
    for (;;) {
        const std::size_t comma = list.find(',');
        const std::string_view item = list.substr(0, comma);
        const std::optional<std::uint16_t> port = parsePort(item);
        if (!port) {
            return usageError(text::quoted(item)
                              + " is not a port; allowed are numbers from 1 to 65535, as in "
                                "'ports:443,8080'");
        }
        network.ports.push_back(*port);
        if (comma == std::string_view::npos) {
            break;
        }
        list.remove_prefix(comma + 1);
    }
    std::sort(network.ports.begin(), network.ports.end());
    network.ports.erase(std::unique(network.ports.begin(), network.ports.end()), network.ports.end());
    return network;
}

void appendNew(std::vector<Sourced<std::string>> &list, const std::vector<Sourced<std::string>> &more)
{
    for (const Sourced<std::string> &entry : more) {
        const bool isKnown =
            std::any_of(list.begin(), list.end(),
                        [&entry](const Sourced<std::string> &known) { return known.value == entry.value; });
        if (!isKnown) {
            list.push_back(entry);
        }
    }
}

std::vector<Sourced<std::string>> unite(const std::vector<Sourced<std::string>> &flags,
                                        const std::vector<Sourced<std::string>> &manifest)
{
    std::vector<Sourced<std::string>> united;
    appendNew(united, flags);
    appendNew(united, manifest);
    return united;
}

template<typename T>
Sourced<T> firstSet(const std::optional<Sourced<T>> &flag, const std::optional<Sourced<T>> &manifest)
{
    return flag ? *flag : manifest.value_or(Sourced<T>{});
}

bool isAbsolute(std::string_view path)
{
    return path.starts_with('/');
}

/// Joins and drops empty and `.` components, so that one folder has one spelling. `..` stays: what it means
/// depends on links, and only the kernel may follow those.
std::string join(std::string_view base, std::string_view rest)
{
    std::string path;
    for (std::string_view part : {base, rest}) {
        while (!part.empty()) {
            const std::size_t slash = std::min(part.find('/'), part.size());
            const std::string_view component = part.substr(0, slash);
            if (!component.empty() && component != ".") {
                (path += '/') += component;
            }
            part.remove_prefix(std::min(slash + 1, part.size()));
        }
    }
    return path.empty() ? "/" : path;
}

Result<std::string> belowHome(std::string_view text, std::string_view home)
{
    if (text.size() > 1 && text[1] != '/') {
        return usageError(text::quoted(text)
                          + ": only '~' and '~/...' are expanded; write another user's folder out");
    }
    if (!isAbsolute(home)) {
        return usageError(text::quoted(text)
                          + ": '~' cannot be expanded, because the home folder is not known");
    }
    return join(home, text.substr(1));
}

} // namespace

Result<FileSystemMode> parseFileSystemMode(std::string_view text)
{
    for (const ModeName &name : ModeNames) {
        if (name.text == text) {
            return name.mode;
        }
    }
    return usageError("unknown mode " + text::quoted(text)
                      + "; allowed are 'off', 'full-access', 'workspace-write' and 'read-only'");
}

Result<Network> parseNetwork(std::string_view text)
{
    if (text == "all") {
        return Network{NetworkMode::All, {}};
    }
    if (text == "localhost") {
        return Network{NetworkMode::Localhost, {}};
    }
    if (text == "none") {
        return Network{NetworkMode::None, {}};
    }
    if (text.starts_with(PortsPrefix)) {
        return parsePorts(text.substr(PortsPrefix.size()));
    }
    return usageError(
        "unknown network " + text::quoted(text)
        + "; allowed are 'all', 'localhost', 'none' and a list of ports such as 'ports:443,8080'");
}

Result<std::string> parseVariableName(std::string_view text)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto isLater = [isLetter](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
    if (text.empty() || !isLetter(text.front()) || !std::all_of(text.begin(), text.end(), isLater)) {
        return usageError(text::quoted(text)
                          + " is not the name of a variable; allowed are letters, digits and '_', "
                            "not beginning with a digit");
    }
    return std::string(text);
}

std::string_view toText(FileSystemMode mode)
{
    for (const ModeName &name : ModeNames) {
        if (name.mode == mode) {
            return name.text;
        }
    }
    return {};
}

std::string_view toText(Steering steering)
{
    return steering == Steering::Allowed ? "allowed" : "protected";
}

std::string toText(const Network &network)
{
    switch (network.mode) {
    case NetworkMode::All:
        return "all";
    case NetworkMode::Localhost:
        return "localhost";
    case NetworkMode::None:
        return "none";
    case NetworkMode::Ports:
        break;
    }
    std::string text(PortsPrefix);
    for (const std::uint16_t port : network.ports) {
        if (text.size() > PortsPrefix.size()) {
            text += ',';
        }
        text += std::to_string(port);
    }
    return text;
}

std::string toText(const Origin &origin)
{
    if (origin.kind == Origin::Kind::Flag || origin.kind == Origin::Kind::Manifest) {
        return origin.place;
    }
    const std::string kind = origin.kind == Origin::Kind::Default ? "default" : "system";
    return origin.place.empty() ? kind : kind + ": " + origin.place;
}

Policy mergePolicy(std::string workspace, const PolicySettings &flags, const PolicySettings &manifest)
{
    Policy policy;
    policy.workspace = std::move(workspace);
    policy.mode = firstSet(flags.mode, manifest.mode);
    policy.network = firstSet(flags.network, manifest.network);
    policy.writableDirs = unite(flags.writableDirs, manifest.writableDirs);
    policy.readableDirs = unite(flags.readableDirs, manifest.readableDirs);
    policy.allowedVariables = unite(flags.allowedVariables, manifest.allowedVariables);
    policy.steering = firstSet(flags.steering, manifest.steering);
    return policy;
}

Result<std::string> absolutePath(std::string_view text, std::string_view base, std::string_view home)
{
    if (text.empty()) {
        return usageError("a folder's name must not be empty");
    }
    if (text.find('\0') != std::string_view::npos) {
        return usageError(text::quoted(text) + ": a folder's name must not contain a NUL character");
    }
    if (text.starts_with('~')) {
        return belowHome(text, home);
    }
    if (isAbsolute(text)) {
        return join(text, {});
    }
    if (!isAbsolute(base)) {
        return usageError(text::quoted(text)
                          + ": a relative folder, but the folder that it starts from is not known");
    }
    return join(base, text);
}

} // namespace spettro::sandbox
