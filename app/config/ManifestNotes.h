#pragma once

#include "app/config/ManifestValues.h"

#include <set>

namespace spettro {

/// What a reader does with keys that it cannot follow: most are noted as warnings, some are errors.
class ManifestNotes
{
public:
    explicit ManifestNotes(const sandbox::ManifestPlace &place) : m_place(place) {}

    /// Notes something once, with the place where it was first seen. After a hundred the rest is counted.
    void warn(const std::string &place, const std::string &what);

    /// A key of the original Spettro that has no effect here. One that says nothing (empty, 0, false) is not noted.
    void ignore(const sandbox::TomlEntry &entry, std::string_view holder);

    /// A key that is not known. To pass over one that touches safety would leave more allowed than the file says.
    MaybeError unknown(const sandbox::TomlEntry &entry, std::string_view holder);

    /// The same where every key could matter.
    sandbox::Error refuse(const sandbox::TomlEntry &entry, std::string_view holder) const;

    std::vector<std::string> takeLines();

private:
    sandbox::ManifestPlace m_place;
    std::set<std::string> m_seen;
    std::vector<std::string> m_lines;
    std::size_t m_more = 0;
};

/// Whether a key's name says that it is about what is allowed, asked, hidden or switched off, however it is written.
bool touchesSafety(std::string_view key);

} // namespace spettro
