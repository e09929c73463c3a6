#include "app/config/ManifestNotes.h"

#include "sandbox/policy/Text.h"

#include <algorithm>
#include <array>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::size_t MaximumNotes = 100;

constexpr std::array<std::string_view, 20> SafetyWords{
    "sandbox",  "permi",  "approv", "allow",   "deny",   "denied", "trust",   "secret", "readonly", "confin",
    "restrict", "forbid", "block",  "protect", "enable", "disabl", "private", "safe",   "secur",    "only",
};

/// Letters alone and in lower case: `Read-Only` and `read_only` are the same word.
std::string folded(std::string_view key)
{
    std::string letters;
    for (const char character : key) {
        if (character >= 'A' && character <= 'Z') {
            letters += static_cast<char>(character - 'A' + 'a');
        } else if (character >= 'a' && character <= 'z') {
            letters += character;
        }
    }
    return letters;
}

bool saysNothing(const toml::node &value)
{
    if (value.is_integer()) {
        return value.as_integer()->get() == 0;
    }
    if (value.is_floating_point()) {
        return value.as_floating_point()->get() == 0;
    }
    return (value.is_string() && value.as_string()->get().empty())
           || (value.is_boolean() && !value.as_boolean()->get())
           || (value.is_array() && value.as_array()->empty())
           || (value.is_table() && value.as_table()->empty());
}

} // namespace

bool touchesSafety(std::string_view key)
{
    const std::string letters = folded(key);
    return std::any_of(SafetyWords.begin(), SafetyWords.end(),
                       [&letters](std::string_view word) { return letters.find(word) != std::string::npos; });
}

void ManifestNotes::warn(const std::string &place, const std::string &what)
{
    if (m_seen.contains(what)) {
        return;
    }
    if (m_lines.size() == MaximumNotes) {
        ++m_more;
        return;
    }
    m_seen.insert(what);
    m_lines.push_back(place + ": " + what);
}

void ManifestNotes::ignore(const TomlEntry &entry, std::string_view holder)
{
    if (!saysNothing(*entry.value)) {
        warn(tomlPosition(m_place, entry.key->source()),
             text::quoted(entry.key->str()) + " in " + std::string(holder) + " has no effect");
    }
}

MaybeError ManifestNotes::unknown(const TomlEntry &entry, std::string_view holder)
{
    if (touchesSafety(entry.key->str())) {
        return refuse(entry, holder);
    }
    warn(tomlPosition(m_place, entry.key->source()),
         "unknown key " + text::quoted(entry.key->str()) + " in " + std::string(holder) + " has no effect");
    return std::nullopt;
}

Error ManifestNotes::refuse(const TomlEntry &entry, std::string_view holder) const
{
    return tomlError(m_place, entry.key->source(),
                     "unknown key " + text::quoted(entry.key->str()) + " in " + std::string(holder));
}

std::vector<std::string> ManifestNotes::takeLines()
{
    if (m_more > 0) {
        m_lines.push_back(m_place.fileName + ": and " + std::to_string(m_more) + " more without effect");
    }
    return std::move(m_lines);
}

} // namespace spettro
