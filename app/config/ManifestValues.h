#pragma once

#include "sandbox/policy/ManifestToml.h"

#include <optional>
#include <string>
#include <vector>

namespace spettro {

using MaybeError = std::optional<sandbox::Error>;

/// Reads the values of a manifest's keys. Each function sets its target, or returns a usage error at the value's place.
class ManifestValues
{
public:
    explicit ManifestValues(const sandbox::ManifestPlace &place) : m_place(place) {}

    /// A text without NUL, of any length and number of lines.
    MaybeError readText(const sandbox::TomlEntry &entry, std::string &target) const;

    /// One line of at most 2000 bytes that a terminal shows as it is.
    MaybeError readName(const sandbox::TomlEntry &entry, std::string &target) const;

    /// The same; an empty text leaves the target unset.
    MaybeError readName(const sandbox::TomlEntry &entry, std::optional<std::string> &target) const;

    MaybeError readPermission(const sandbox::TomlEntry &entry, std::optional<std::string> &target) const;
    MaybeError readFlag(const sandbox::TomlEntry &entry, bool &target) const;

    /// At least 1 and at most a week.
    MaybeError readSeconds(const sandbox::TomlEntry &entry, std::optional<int> &target) const;

    /// A whole number from 1 to `most`.
    MaybeError readNumber(const sandbox::TomlEntry &entry, long long most, long long &target) const;

    /// An array of names, each with its place.
    MaybeError readNames(const sandbox::TomlEntry &entry,
                         std::vector<sandbox::Sourced<std::string>> &target) const;

    /// An error at the value of a key.
    sandbox::Error wrong(const sandbox::TomlEntry &entry, std::string_view what) const;

    const sandbox::ManifestPlace &place() const { return m_place; }

private:
    sandbox::ManifestPlace m_place;
};

} // namespace spettro
