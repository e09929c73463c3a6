#include "sandbox/policy/Manifest.h"

#include "sandbox/policy/ManifestToml.h"
#include "sandbox/policy/Text.h"

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
constexpr std::string_view SteeringKey = "sandbox_allow_steering";
constexpr std::array KnownKeys{ModeKey, NetworkKey, WritableKey, ReadableKey, VariablesKey, SteeringKey};

constexpr std::size_t SuggestionDistance = 3;
constexpr std::size_t MisspeltDistance = 2;

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

/// Takes the settings out of a parsed manifest.
class Reader
{
public:
    explicit Reader(const ManifestPlace &place) : m_place(place) {}

    MaybeError read(const toml::table &manifest)
    {
        for (const TomlEntry &entry : entriesInOrder(manifest)) {
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
        return {Origin::Kind::Manifest, tomlPosition(m_place, region)};
    }

    Error errorIn(const toml::source_region &region, std::string_view what) const
    {
        return tomlError(m_place, region, what);
    }

    Error misplaced(const TomlEntry &entry) const
    {
        const std::string_view key = entry.key->str();
        const std::string hint = isKnown(key) ? std::string(" at the top level") : suggestionFor(key);
        return errorIn(entry.key->source(), "unknown key " + text::quoted(key) + hint
                                                + "; the sandbox is set by keys in [runtime]");
    }

    MaybeError readRuntime(const TomlEntry &runtime)
    {
        const toml::table *table = runtime.value->as_table();
        if (table == nullptr) {
            return errorIn(runtime.key->source(), "'runtime' must be a table");
        }
        for (const TomlEntry &entry : entriesInOrder(*table)) {
            if (MaybeError error = readKey(entry)) {
                return error;
            }
        }
        return std::nullopt;
    }

    MaybeError readKey(const TomlEntry &entry)
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
        if (key == SteeringKey) {
            return readSteering(entry);
        }
        if (meansSandbox(key)) {
            return errorIn(entry.key->source(), "unknown key " + text::quoted(key) + suggestionFor(key));
        }
        return std::nullopt;
    }

    MaybeError readSteering(const TomlEntry &entry)
    {
        const toml::value<bool> *allowed = entry.value->as_boolean();
        if (allowed == nullptr) {
            return errorIn(entry.value->source(), text::quoted(entry.key->str()) + " must be true or false");
        }
        m_settings.steering = Sourced<Steering>{allowed->get() ? Steering::Allowed : Steering::Protected,
                                                origin(entry.key->source())};
        return std::nullopt;
    }

    template<typename Parse, typename T>
    MaybeError readScalar(const TomlEntry &entry, Parse parse, std::optional<Sourced<T>> &target) const
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
    MaybeError readList(const TomlEntry &entry, Parse parse, std::vector<Sourced<std::string>> &target) const
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

    static std::string inKey(const TomlEntry &entry, const Error &error)
    {
        return std::string(entry.key->str()) + ": " + error.message;
    }

    const ManifestPlace &m_place;
    PolicySettings m_settings;
};

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
    const Result<toml::table> manifest = parseToml(text, place);
    if (!manifest) {
        return manifest.error();
    }
    Reader reader(place);
    if (MaybeError error = reader.read(*manifest)) {
        return std::move(*error);
    }
    return reader.takeSettings();
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
    if (manifest.steering && manifest.steering->value == Steering::Allowed) {
        lines.push_back(std::string(SteeringKey) + " = true");
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

} // namespace spettro::sandbox
