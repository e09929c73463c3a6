#include "app/config/ManifestValues.h"

#include "sandbox/policy/Text.h"

#include <algorithm>
#include <array>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::size_t LongestName = 2000;
constexpr long long LongestSeconds = 7LL * 24 * 60 * 60;
constexpr std::array<std::string_view, 3> Permissions{"ask-first", "restricted", "yolo"};

/// Why a text is no name; empty where it is one.
std::string_view nameFault(std::string_view name)
{
    if (name.size() > LongestName) {
        return "is too long";
    }
    return text::printable(name) == name ? "" : "has characters that cannot be shown";
}

} // namespace

Error ManifestValues::wrong(const TomlEntry &entry, std::string_view what) const
{
    return tomlError(m_place, entry.value->source(),
                     text::quoted(entry.key->str()) + ' ' + std::string(what));
}

MaybeError ManifestValues::readText(const TomlEntry &entry, std::string &target) const
{
    const toml::value<std::string> *value = entry.value->as_string();
    if (value == nullptr) {
        return wrong(entry, "must be a string");
    }
    if (value->get().find('\0') != std::string::npos) {
        return wrong(entry, "must not have NUL in it");
    }
    target = value->get();
    return std::nullopt;
}

MaybeError ManifestValues::readName(const TomlEntry &entry, std::string &target) const
{
    if (MaybeError error = readText(entry, target)) {
        return error;
    }
    const std::string_view fault = nameFault(target);
    return fault.empty() ? MaybeError() : wrong(entry, fault);
}

MaybeError ManifestValues::readName(const TomlEntry &entry, std::optional<std::string> &target) const
{
    std::string name;
    MaybeError error = readName(entry, name);
    if (!error && !name.empty()) {
        target = std::move(name);
    }
    return error;
}

MaybeError ManifestValues::readPermission(const TomlEntry &entry, std::optional<std::string> &target) const
{
    std::string name;
    if (MaybeError error = readText(entry, name)) {
        return error;
    }
    if (std::find(Permissions.begin(), Permissions.end(), name) == Permissions.end()) {
        return wrong(entry, "is 'ask-first', 'restricted' or 'yolo', not " + text::quoted(name));
    }
    target = std::move(name);
    return std::nullopt;
}

MaybeError ManifestValues::readFlag(const TomlEntry &entry, bool &target) const
{
    const toml::value<bool> *value = entry.value->as_boolean();
    if (value == nullptr) {
        return wrong(entry, "must be true or false");
    }
    target = value->get();
    return std::nullopt;
}

MaybeError ManifestValues::readSeconds(const TomlEntry &entry, std::optional<int> &target) const
{
    long long seconds = 0;
    MaybeError error = readNumber(entry, LongestSeconds, seconds);
    if (!error) {
        target = static_cast<int>(seconds);
    }
    return error;
}

MaybeError ManifestValues::readNumber(const TomlEntry &entry, long long most, long long &target) const
{
    const toml::value<std::int64_t> *value = entry.value->as_integer();
    if (value == nullptr || value->get() < 1 || value->get() > most) {
        return wrong(entry, "must be a whole number from 1 to " + std::to_string(most));
    }
    target = value->get();
    return std::nullopt;
}

MaybeError ManifestValues::readNames(const TomlEntry &entry, std::vector<Sourced<std::string>> &target) const
{
    const toml::array *list = entry.value->as_array();
    if (list == nullptr) {
        return wrong(entry, "must be an array of strings");
    }
    for (const toml::node &item : *list) {
        std::string name;
        if (MaybeError error = readName({entry.key, &item}, name)) {
            return error;
        }
        target.push_back({std::move(name), {Origin::Kind::Manifest, tomlPosition(m_place, item.source())}});
    }
    return std::nullopt;
}

} // namespace spettro
