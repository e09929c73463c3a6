#include "app/config/readAgent.h"

#include "sandbox/policy/Text.h"

#include <algorithm>
#include <array>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::string_view Holder = "[[agents]]";
constexpr std::array<std::string_view, 3> Labels{"description", "skill", "color"};
constexpr std::array<std::string_view, 5> ForeignKeys{"model_provider", "temperature", "max_tokens",
                                                      "max_steps", "handoffs"};

template<typename Keys>
bool isOneOf(const Keys &keys, std::string_view key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Whether a path names something in the folder that it is relative to, whatever its folders are. `..` is refused
/// everywhere, since only the kernel knows what it means behind a link.
bool staysInside(std::string_view path)
{
    if (path.starts_with('/') || path.starts_with('~')) {
        return false;
    }
    bool namesFile = false;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view part = path.substr(begin, end - begin);
        if (part == "..") {
            return false;
        }
        namesFile = !part.empty() && part != ".";
        begin = end + 1;
    }
    return namesFile;
}

/// Reads one table.
class AgentReader
{
public:
    AgentReader(const ManifestValues &values, ManifestNotes &notes, ReadAgent &target)
        : m_values(values), m_notes(notes), m_target(target)
    {}

    MaybeError read(const toml::table &table)
    {
        m_target.agent.place = tomlPosition(m_values.place(), table.source());
        for (const TomlEntry &entry : entriesInOrder(table)) {
            if (MaybeError error = readKey(entry)) {
                return error;
            }
        }
        if (m_target.agent.id.empty()) {
            return tomlError(m_values.place(), table.source(), "an agent needs its 'id', a string");
        }
        if (m_target.agent.name.empty()) {
            m_target.agent.name = m_target.agent.id;
        }
        m_target.isPrimary = isPrimary(m_role.empty() ? m_mode : m_role);
        return std::nullopt;
    }

private:
    static bool isPrimary(std::string_view role) { return role == "primary" || role == "orchestrator"; }

    MaybeError readKey(const TomlEntry &entry)
    {
        const std::string_view key = entry.key->str();
        ManifestAgent &agent = m_target.agent;
        if (key == "id") {
            return m_values.readName(entry, agent.id);
        }
        if (key == "name") {
            return m_values.readName(entry, agent.name);
        }
        if (key == "prompt" || key == "system_prompt") {
            return readPrompt(entry, agent.prompt);
        }
        if (key == "prompt_file") {
            return readPromptFile(entry);
        }
        if (key == "allowed_tools") {
            return m_values.readNames(entry, m_target.allowedTools.emplace());
        }
        if (key == "permission") {
            return m_values.readPermission(entry, agent.permission);
        }
        if (key == "model") {
            return m_values.readName(entry, agent.model);
        }
        if (key == "enabled") {
            return m_values.readFlag(entry, agent.enabled);
        }
        return readForeignKey(entry);
    }

    MaybeError readForeignKey(const TomlEntry &entry)
    {
        const std::string_view key = entry.key->str();
        if (key == "permitted_actions") {
            return m_values.readNames(entry, m_target.actions);
        }
        if (key == "role") {
            return m_values.readName(entry, m_role);
        }
        if (key == "mode") {
            return m_values.readName(entry, m_mode);
        }
        if (isOneOf(ForeignKeys, key)) {
            m_notes.ignore(entry, Holder);
            return std::nullopt;
        }
        if (key == "permission_rules") {
            return readRules(entry);
        }
        return isOneOf(Labels, key) ? MaybeError() : m_notes.unknown(entry, Holder);
    }

    /// An empty one says nothing; of the others there may be one.
    MaybeError readPrompt(const TomlEntry &entry, std::string &target)
    {
        std::string text;
        if (MaybeError error = m_values.readText(entry, text)) {
            return error;
        }
        if (text.empty()) {
            return std::nullopt;
        }
        if (!m_target.agent.prompt.empty() || !m_target.agent.promptFile.empty()) {
            return m_values.wrong(entry, "is the second prompt of this agent");
        }
        target = std::move(text);
        return std::nullopt;
    }

    MaybeError readPromptFile(const TomlEntry &entry)
    {
        std::string name;
        if (MaybeError error = m_values.readName(entry, name)) {
            return error;
        }
        if (!name.empty() && !staysInside(name)) {
            return m_values.wrong(entry, "must name a file in the manifest's folder, without '..'");
        }
        return readPrompt(entry, m_target.agent.promptFile);
    }

    MaybeError readRules(const TomlEntry &entry) const
    {
        const toml::array *list = entry.value->as_array();
        if (list != nullptr && list->empty()) {
            return std::nullopt;
        }
        return tomlError(
            m_values.place(), entry.key->source(),
            "an agent has no 'permission_rules' of its own; they belong to [runtime] or [[tools]]");
    }

    const ManifestValues &m_values;
    ManifestNotes &m_notes;
    ReadAgent &m_target;
    std::string m_role;
    std::string m_mode;
};

} // namespace

MaybeError readAgent(const toml::node &node, const ManifestValues &values, ManifestNotes &notes,
                     ReadAgent &target)
{
    const toml::table *table = node.as_table();
    if (table == nullptr) {
        return tomlError(values.place(), node.source(), "'agents' may hold nothing but tables");
    }
    return AgentReader(values, notes, target).read(*table);
}

} // namespace spettro
