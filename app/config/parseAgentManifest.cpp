#include "app/config/AgentManifest.h"
#include "app/config/KnownTools.h"
#include "app/config/ToolChoice.h"
#include "app/config/readRuntime.h"
#include "sandbox/policy/Text.h"

namespace spettro {

using namespace sandbox;

namespace {

/// Reads the tables in the order of the file, and then what they say of each other.
class Reader
{
public:
    explicit Reader(const ManifestPlace &place) : m_values(place), m_notes(place) {}

    MaybeError read(const toml::table &manifest)
    {
        if (MaybeError error = checkVersion(manifest)) {
            return error;
        }
        for (const TomlEntry &entry : entriesInOrder(manifest)) {
            if (MaybeError error = readKey(entry)) {
                return error;
            }
        }
        if (MaybeError error = finishAgents()) {
            return error;
        }
        return checkDefaultAgent(manifest);
    }

    AgentManifest take()
    {
        m_manifest.warnings = m_notes.takeLines();
        return std::move(m_manifest);
    }

private:
    /// First of all: what a newer schema means by the rest is not known.
    MaybeError checkVersion(const toml::table &manifest) const
    {
        const toml::node *node = manifest.get("version");
        if (node == nullptr) {
            return std::nullopt;
        }
        const toml::value<std::int64_t> *version = node->as_integer();
        if (version == nullptr || version->get() < 0) {
            return errorAt(*node, "'version' must be a whole number");
        }
        if (version->get() > NewestManifestVersion) {
            return errorAt(*node, "the manifest is of version " + std::to_string(version->get())
                                      + ", which needs a newer Spettro; this one knows those up to "
                                      + std::to_string(NewestManifestVersion));
        }
        return std::nullopt;
    }

    MaybeError readKey(const TomlEntry &entry)
    {
        const std::string_view key = entry.key->str();
        if (key == "version") {
            return std::nullopt;
        }
        if (key == "default_agent") {
            return m_values.readName(entry, m_manifest.defaultAgent);
        }
        if (key == "metadata") {
            return entry.value->is_table() ? MaybeError() : m_values.wrong(entry, "must be a table");
        }
        if (key == "runtime") {
            return readRuntime(entry, m_values, m_notes, m_manifest.runtime);
        }
        if (key == "tools") {
            return readList(entry, [this](const toml::node &node) { return addTool(node); });
        }
        if (key == "agents") {
            return readList(entry, [this](const toml::node &node) { return addAgent(node); });
        }
        return m_notes.unknown(entry, "the manifest");
    }

    template<typename Add>
    MaybeError readList(const TomlEntry &entry, Add add) const
    {
        const std::string key(entry.key->str());
        const toml::array *list = entry.value->as_array();
        if (list == nullptr) {
            return tomlError(m_values.place(), entry.key->source(),
                             key + " are written as [[" + key + "]], each with its 'id'");
        }
        for (const toml::node &node : *list) {
            if (MaybeError error = add(node)) {
                return error;
            }
        }
        return std::nullopt;
    }

    MaybeError addTool(const toml::node &node)
    {
        ReadTool read;
        if (MaybeError error = readTool(node, m_values, m_notes, read)) {
            return error;
        }
        if (!m_toolIds.insert(read.tool.id).second) {
            return errorAt(node, "there are two tools " + text::quoted(read.tool.id));
        }
        if (isOwnTool(read.tool.id)) {
            m_manifest.tools.push_back(read.tool);
        } else {
            noteForeignTool(m_notes, read.tool.place, read.tool.id);
        }
        m_tools.push_back(std::move(read));
        return std::nullopt;
    }

    MaybeError addAgent(const toml::node &node)
    {
        ReadAgent read;
        if (MaybeError error = readAgent(node, m_values, m_notes, read)) {
            return error;
        }
        if (!m_agentIds.insert(read.agent.id).second) {
            return errorAt(node, "there are two agents " + text::quoted(read.agent.id));
        }
        m_agents.push_back(std::move(read));
        return std::nullopt;
    }

    MaybeError finishAgents()
    {
        ToolChoice choice(m_tools, m_notes);
        for (const ReadAgent &read : m_agents) {
            ManifestAgent agent = read.agent;
            if (MaybeError error = choice.choose(read, agent)) {
                return error;
            }
            m_manifest.agents.push_back(std::move(agent));
        }
        return std::nullopt;
    }

    /// A list of agents restricts: who gives one has to say which of them it is that works.
    MaybeError checkDefaultAgent(const toml::table &manifest) const
    {
        const toml::node *node = manifest.get("default_agent");
        if (m_manifest.defaultAgent.empty()) {
            return m_agents.empty() ? MaybeError()
                                    : errorAt(node != nullptr ? *node : *manifest.get("agents"),
                                              "'default_agent' must say which of the agents is to work");
        }
        if (m_manifest.agent({}) != nullptr) {
            return std::nullopt;
        }
        return errorAt(*node,
                       "'default_agent': there is no enabled agent " + text::quoted(m_manifest.defaultAgent));
    }

    Error errorAt(const toml::node &node, std::string_view what) const
    {
        return tomlError(m_values.place(), node.source(), what);
    }

    ManifestValues m_values;
    ManifestNotes m_notes;
    AgentManifest m_manifest;
    std::vector<ReadTool> m_tools;
    std::vector<ReadAgent> m_agents;
    NameSet m_toolIds;
    NameSet m_agentIds;
};

} // namespace

Result<AgentManifest> parseAgentManifest(std::string_view text, const ManifestPlace &place)
{
    const Result<toml::table> manifest = parseToml(text, place);
    if (!manifest) {
        return manifest.error();
    }
    Reader reader(place);
    if (MaybeError error = reader.read(*manifest)) {
        return std::move(*error);
    }
    return reader.take();
}

} // namespace spettro
