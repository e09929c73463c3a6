#include "sandbox/policy/Manifest.h"

#include "sandbox/policy/Text.h"
#include "sandbox/policy/TomlGuard.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace spettro::sandbox {

namespace {

using MaybeError = std::optional<Error>;

constexpr std::string_view ModeKey = "sandbox_mode";
constexpr std::string_view NetworkKey = "sandbox_net";
constexpr std::string_view WritableKey = "sandbox_allow_dirs";
constexpr std::string_view ReadableKey = "sandbox_allow_read_dirs";
constexpr std::string_view VariablesKey = "sandbox_allow_env";
constexpr std::array KnownKeys{ModeKey, NetworkKey, WritableKey, ReadableKey, VariablesKey};

constexpr std::size_t SuggestionDistance = 3;
constexpr std::size_t MisspeltDistance = 2;

std::string position(const ManifestPlace &place, std::size_t line, std::size_t column)
{
    return place.fileName + ':' + std::to_string(line) + ':' + std::to_string(column);
}

std::string position(const ManifestPlace &place, const toml::source_region &region)
{
    return position(place, region.begin.line, region.begin.column);
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

std::size_t editDistance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

/// The key without what people confuse: letter case, and `-` for `_`.
std::string folded(std::string_view key)
{
    std::string out(key);
    for (char &character : out) {
        if (character >= 'A' && character <= 'Z') {
            character = static_cast<char>(character - 'A' + 'a');
        } else if (character == '-') {
            character = '_';
        }
    }
    return out;
}

struct Suggestion
{
    std::string_view key;
    std::size_t distance = std::numeric_limits<std::size_t>::max();
};

Suggestion closestKey(std::string_view key)
{
    constexpr std::size_t LongestComparable = 64; // bounds the work on a hostile key
    Suggestion best;
    if (key.size() > LongestComparable) {
        return best;
    }
    const std::string spelling = folded(key);
    for (const std::string_view known : KnownKeys) {
        const std::size_t distance = editDistance(spelling, known);
        if (distance < best.distance) {
            best = {known, distance};
        }
    }
    return best;
}

bool isKnown(std::string_view key)
{
    return std::find(KnownKeys.begin(), KnownKeys.end(), key) != KnownKeys.end();
}

/// Whether whoever wrote the key must have meant the sandbox. To ignore such a key would leave the command
/// less confined than the file says.
bool meansSandbox(std::string_view key)
{
    return folded(key).starts_with("sandbox") || closestKey(key).distance <= MisspeltDistance;
}

std::string suggestionFor(std::string_view key)
{
    const Suggestion suggestion = closestKey(key);
    if (suggestion.distance > SuggestionDistance) {
        return {};
    }
    return " (did you mean '" + std::string(suggestion.key) + "'?)";
}

struct Entry
{
    const toml::key *key;
    const toml::node *value;
};

/// In the order of the file, so that the first mistake is the one that is reported.
std::vector<Entry> entriesInOrder(const toml::table &table)
{
    std::vector<Entry> entries;
    entries.reserve(table.size());
    for (auto &&[key, value] : table) {
        entries.push_back({&key, &value});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry &left, const Entry &right) {
        return left.key->source().begin < right.key->source().begin;
    });
    return entries;
}

/// Takes the settings out of a parsed manifest.
class Reader
{
public:
    explicit Reader(const ManifestPlace &place) : m_place(place) {}

    MaybeError read(const toml::table &manifest)
    {
        for (const Entry &entry : entriesInOrder(manifest)) {
            const std::string_view key = entry.key->str();
            MaybeError error;
            if (key == "runtime") {
                error = readRuntime(entry);
            } else if (meansSandbox(key)) {
                error = misplaced(entry);
            }
            if (error) {
                return error;
            }
        }
        return std::nullopt;
    }

    PolicySettings takeSettings() { return std::move(m_settings); }

private:
    Origin origin(const toml::source_region &region) const
    {
        return {Origin::Kind::Manifest, position(m_place, region)};
    }

    Error errorIn(const toml::source_region &region, std::string_view what) const
    {
        return errorAt(position(m_place, region), what);
    }

    Error misplaced(const Entry &entry) const
    {
        const std::string_view key = entry.key->str();
        const std::string hint = isKnown(key) ? std::string(" at the top level") : suggestionFor(key);
        return errorIn(entry.key->source(), "unknown key " + text::quoted(key) + hint
                                                + "; the sandbox is set by keys in [runtime]");
    }

    MaybeError readRuntime(const Entry &runtime)
    {
        const toml::table *table = runtime.value->as_table();
        if (table == nullptr) {
            return errorIn(runtime.key->source(), "'runtime' must be a table");
        }
        for (const Entry &entry : entriesInOrder(*table)) {
            if (MaybeError error = readKey(entry)) {
                return error;
            }
        }
        return std::nullopt;
    }

    MaybeError readKey(const Entry &entry)
    {
        const auto parseFolder = [this](std::string_view text) {
            return absolutePath(text, m_place.folder, m_place.home);
        };
        const std::string_view key = entry.key->str();
        if (key == ModeKey) {
            return readScalar(entry, parseFileSystemMode, m_settings.mode);
        }
        if (key == NetworkKey) {
            return readScalar(entry, parseNetwork, m_settings.network);
        }
        if (key == WritableKey) {
            return readList(entry, parseFolder, m_settings.writableDirs);
        }
        if (key == ReadableKey) {
            return readList(entry, parseFolder, m_settings.readableDirs);
        }
        if (key == VariablesKey) {
            return readList(entry, parseVariableName, m_settings.allowedVariables);
        }
        if (meansSandbox(key)) {
            return errorIn(entry.key->source(), "unknown key " + text::quoted(key) + suggestionFor(key));
        }
        return std::nullopt;
    }

    template<typename Parse, typename T>
    MaybeError readScalar(const Entry &entry, Parse parse, std::optional<Sourced<T>> &target) const
    {
        const toml::value<std::string> *text = entry.value->as_string();
        if (text == nullptr) {
            return errorIn(entry.value->source(), text::quoted(entry.key->str()) + " must be a string");
        }
        Result<T> parsed = parse(text->get());
        if (!parsed) {
            return errorIn(entry.value->source(), inKey(entry, parsed.error()));
        }
        target = Sourced<T>{std::move(parsed).value(), origin(entry.key->source())};
        return std::nullopt;
    }

    template<typename Parse>
    MaybeError readList(const Entry &entry, Parse parse, std::vector<Sourced<std::string>> &target) const
    {
        const toml::array *list = entry.value->as_array();
        if (list == nullptr) {
            return errorIn(entry.value->source(),
                           text::quoted(entry.key->str()) + " must be an array of strings");
        }
        for (const toml::node &item : *list) {
            const toml::value<std::string> *text = item.as_string();
            if (text == nullptr) {
                return errorIn(item.source(),
                               text::quoted(entry.key->str()) + " may hold nothing but strings");
            }
            Result<std::string> parsed = parse(text->get());
            if (!parsed) {
                return errorIn(item.source(), inKey(entry, parsed.error()));
            }
            target.push_back({std::move(parsed).value(), origin(item.source())});
        }
        return std::nullopt;
    }

    static std::string inKey(const Entry &entry, const Error &error)
    {
        return std::string(entry.key->str()) + ": " + error.message;
    }

    const ManifestPlace &m_place;
    PolicySettings m_settings;
};

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

void addLines(std::vector<std::string> &lines, std::string_view key,
              const std::vector<Sourced<std::string>> &values)
{
    for (const Sourced<std::string> &value : values) {
        lines.push_back(std::string(key) + " = " + text::escaped(value.value));
    }
}

} // namespace

Result<PolicySettings> parseManifest(std::string_view text, const ManifestPlace &place)
{
    if (MaybeError error = checkText(text, place)) {
        return std::move(*error);
    }
    const GuardedToml guarded = guardToml(text);
    if (guarded.hazard) {
        return errorAt(positionOfByte(place, text, guarded.hazard->byte), guarded.hazard->what);
    }
    try {
        const toml::table manifest = toml::parse(guarded.text);
        Reader reader(place);
        if (MaybeError error = reader.read(manifest)) {
            return std::move(*error);
        }
        return reader.takeSettings();
    } catch (const toml::parse_error &error) {
        return errorAt(position(place, error.source()), text::printable(error.description()));
    }
}

std::vector<std::string> wideningLines(const PolicySettings &manifest)
{
    std::vector<std::string> lines;
    addLines(lines, WritableKey, manifest.writableDirs);
    addLines(lines, ReadableKey, manifest.readableDirs);
    addLines(lines, VariablesKey, manifest.allowedVariables);
    if (manifest.network && manifest.network->value.mode == NetworkMode::Ports) {
        lines.push_back(std::string(NetworkKey) + " = " + toText(manifest.network->value));
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

} // namespace spettro::sandbox
