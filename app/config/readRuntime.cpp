#include "app/config/readRuntime.h"

#include <algorithm>
#include <array>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::string_view Holder = "[runtime]";
constexpr long long MostContextTokens = 1'000'000'000;

/// Of the original Spettro. `allow_network_tools` means nothing there either, and no tool here uses the network.
constexpr std::array<std::string_view, 5> ForeignKeys{"delegation", "limits", "fallback", "loop_detection",
                                                      "allow_network_tools"};

MaybeError readBaseUrl(const TomlEntry &entry, const ManifestValues &values,
                       std::optional<std::string> &target)
{
    if (MaybeError error = values.readName(entry, target)) {
        return error;
    }
    if (target && !target->starts_with("https://") && !target->starts_with("http://")) {
        return values.wrong(entry, "must be an address like https://HOST/v1");
    }
    return std::nullopt;
}

MaybeError readKey(const TomlEntry &entry, const ManifestValues &values, ManifestNotes &notes,
                   ManifestRuntime &target)
{
    const std::string_view key = entry.key->str();
    if (key == "default_permission") {
        return values.readPermission(entry, target.defaultPermission);
    }
    if (key == "default_timeout_sec") {
        return values.readSeconds(entry, target.defaultTimeoutSec);
    }
    if (key == "log_tool_calls") {
        return values.readFlag(entry, target.logToolCalls.emplace());
    }
    if (key == "provider") {
        return values.readName(entry, target.provider);
    }
    if (key == "model") {
        return values.readName(entry, target.model);
    }
    if (key == "base_url") {
        return readBaseUrl(entry, values, target.baseUrl);
    }
    if (key == "context_tokens") {
        return values.readNumber(entry, MostContextTokens, target.contextTokens.emplace());
    }
    if (key == "permission_rules" || key.starts_with("sandbox_")) { // parseManifestRules, parseManifest
        return std::nullopt;
    }
    if (std::find(ForeignKeys.begin(), ForeignKeys.end(), key) != ForeignKeys.end()) {
        notes.ignore(entry, Holder);
        return std::nullopt;
    }
    return notes.unknown(entry, Holder);
}

} // namespace

MaybeError readRuntime(const TomlEntry &runtime, const ManifestValues &values, ManifestNotes &notes,
                       ManifestRuntime &target)
{
    const toml::table *table = runtime.value->as_table();
    if (table == nullptr) {
        return tomlError(values.place(), runtime.key->source(), "'runtime' must be a table");
    }
    for (const TomlEntry &entry : entriesInOrder(*table)) {
        if (MaybeError error = readKey(entry, values, notes, target)) {
            return error;
        }
    }
    return std::nullopt;
}

} // namespace spettro
