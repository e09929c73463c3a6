#include "sandbox/policy/FrozenPolicy.h"

#include "sandbox/policy/Text.h"

#include <nlohmann/json.hpp>

namespace spettro::sandbox {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<Sourced<std::string>>;

std::string portList(const Network &network)
{
    const std::string text = toText(network);
    return text.substr(text.find(':') + 1);
}

std::string modeTag(FileSystemMode mode)
{
    switch (mode) {
    case FileSystemMode::Off:
        return {};
    case FileSystemMode::WorkspaceWrite:
        return "ws";
    case FileSystemMode::ReadOnly:
        return "ro";
    }
    return {};
}

std::string networkTag(const Network &network)
{
    switch (network.mode) {
    case NetworkMode::All:
        return {};
    case NetworkMode::Localhost:
        return "net:lo";
    case NetworkMode::None:
        return "net:none";
    case NetworkMode::Ports:
        return "net:" + portList(network);
    }
    return {};
}

void appendItems(std::string &line, const Values &values)
{
    for (const Sourced<std::string> &value : values) {
        line += ", " + text::printable(value.value);
    }
}

std::string fileSummary(const Policy &policy)
{
    if (policy.mode.value == FileSystemMode::Off) {
        return "files: not confined";
    }
    const bool mayWriteWorkspace = policy.mode.value == FileSystemMode::WorkspaceWrite;
    std::string line =
        mayWriteWorkspace ? "writes: workspace, temporary folders" : "writes: temporary folders";
    appendItems(line, policy.writableDirs);
    line += "; reads: system, workspace";
    appendItems(line, policy.readableDirs);
    return line;
}

Json sourcedJson(std::string value, const Origin &origin)
{
    return {{"value", std::move(value)}, {"source", toText(origin)}};
}

Json listJson(const Values &values)
{
    Json list = Json::array();
    for (const Sourced<std::string> &value : values) {
        list.push_back(sourcedJson(value.value, value.origin));
    }
    return list;
}

Json rootsJson(const std::vector<Root> &roots)
{
    Json list = Json::array();
    for (const Root &root : roots) {
        list.push_back({{"path", root.path},
                        {"grant", toText(root.grant)},
                        {"directory", root.isDirectory},
                        {"source", toText(root.origin)}});
    }
    return list;
}

} // namespace

std::string_view toText(Grant grant)
{
    switch (grant) {
    case Grant::Read:
        return "read";
    case Grant::List:
        return "list";
    case Grant::Write:
        return "write";
    case Grant::Device:
        return "device";
    }
    return {};
}

FrozenPolicy::FrozenPolicy(FrozenContent content)
    : m_content(std::make_shared<const FrozenContent>(std::move(content)))
{}

bool FrozenPolicy::isConfined() const
{
    return mode() != FileSystemMode::Off || network().mode != NetworkMode::All;
}

std::string FrozenPolicy::tag() const
{
    if (!isConfined()) {
        return {};
    }
    const std::string files = modeTag(mode());
    const std::string net = networkTag(network());
    return "sandbox:" + files + (files.empty() || net.empty() ? "" : "+") + net;
}

std::string FrozenPolicy::summary() const
{
    return fileSummary(asked()) + "; network: " + toText(network());
}

std::string FrozenPolicy::json() const
{
    const Policy &policy = asked();
    Json object;
    object["confined"] = isConfined();
    object["tag"] = tag();
    object["mode"] = sourcedJson(std::string(toText(mode())), policy.mode.origin);
    object["network"] = sourcedJson(toText(network()), policy.network.origin);
    object["workspace"] = workspace();
    object["temporary_directory"] = temporaryDirectory();
    object["writable_dirs"] = listJson(policy.writableDirs);
    object["readable_dirs"] = listJson(policy.readableDirs);
    object["allowed_variables"] = listJson(policy.allowedVariables);
    object["steering_files"] =
        sourcedJson(std::string(toText(policy.steering.value)), policy.steering.origin);
    object["roots"] = rootsJson(roots());
    // A path may hold any bytes; those that are no UTF-8 must not make the whole report throw.
    return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace spettro::sandbox
