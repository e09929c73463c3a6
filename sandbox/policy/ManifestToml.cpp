#include "sandbox/policy/ManifestToml.h"

#include "sandbox/policy/Text.h"
#include "sandbox/policy/TomlGuard.h"

#include <algorithm>

namespace spettro::sandbox {

namespace {

using MaybeError = std::optional<Error>;

std::string position(const ManifestPlace &place, std::size_t line, std::size_t column)
{
    return place.fileName + ':' + std::to_string(line) + ':' + std::to_string(column);
}

/// Line and column, counted from 1 and in characters as toml++ does.
std::string positionOfByte(const ManifestPlace &place, std::string_view text, std::size_t byte)
{
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i < byte;) {
        const bool isNewLine = text[i] == '\n';
        line += isNewLine ? 1 : 0;
        column = isNewLine ? 1 : column + 1;
        i += std::max<std::size_t>(text::firstCharacter(text.substr(i)).length, 1);
    }
    return position(place, line, column);
}

Error errorAt(const std::string &where, std::string_view what)
{
    return Error{ErrorKind::Usage, where + ": " + std::string(what), 0};
}

/// What has to be known of a text before a parser may see it.
MaybeError checkText(std::string_view text, const ManifestPlace &place)
{
    if (text.size() > MaximumManifestSize) {
        return errorAt(place.fileName,
                       "the file is larger than " + std::to_string(MaximumManifestSize) + " bytes");
    }
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = text::firstCharacter(text.substr(i)).length;
        if (length == 0) {
            return errorAt(positionOfByte(place, text, i), "the file is not valid UTF-8");
        }
        i += length;
    }
    return std::nullopt;
}

} // namespace

std::string tomlPosition(const ManifestPlace &place, const toml::source_region &region)
{
    return position(place, region.begin.line, region.begin.column);
}

Error tomlError(const ManifestPlace &place, const toml::source_region &region, std::string_view what)
{
    return errorAt(tomlPosition(place, region), what);
}

std::vector<TomlEntry> entriesInOrder(const toml::table &table)
{
    std::vector<TomlEntry> entries;
    entries.reserve(table.size());
    for (auto &&[key, value] : table) {
        entries.push_back({&key, &value});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const TomlEntry &left, const TomlEntry &right) {
        return left.key->source().begin < right.key->source().begin;
    });
    return entries;
}

Result<toml::table> parseToml(std::string_view text, const ManifestPlace &place)
{
    if (MaybeError error = checkText(text, place)) {
        return std::move(*error);
    }
    const GuardedToml guarded = guardToml(text);
    if (guarded.hazard) {
        return errorAt(positionOfByte(place, text, guarded.hazard->byte), guarded.hazard->what);
    }
    try {
        return toml::parse(guarded.text);
    } catch (const toml::parse_error &error) {
        return errorAt(tomlPosition(place, error.source()), text::printable(error.description()));
    }
}

} // namespace spettro::sandbox
