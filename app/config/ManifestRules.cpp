#include "app/config/ManifestRules.h"

#include "sandbox/policy/ManifestToml.h"
#include "sandbox/policy/Text.h"

#include <algorithm>
#include <optional>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::string_view RulesKey = "permission_rules";

class RuleReader
{
public:
    explicit RuleReader(const ManifestPlace &place) : m_place(place) {}

    std::optional<Error> read(const toml::table &manifest)
    {
        for (const TomlEntry &entry : entriesInOrder(manifest)) {
            std::optional<Error> error;
            if (entry.key->str() == "runtime" && entry.value->is_table()) {
                error = readRules(*entry.value->as_table(), {});
            } else if (entry.key->str() == "tools") {
                error = readTools(entry);
            }
            if (error) {
                return error;
            }
        }
        return std::nullopt;
    }

    std::vector<ManifestRule> takeRules() { return std::move(m_rules); }

private:
    std::optional<Error> readTools(const TomlEntry &tools)
    {
        if (!tools.value->is_array()) { // to read on without it would drop what it denies
            return tomlError(m_place, tools.key->source(),
                             "tools are written as [[tools]], each with its 'id'");
        }
        for (const toml::node &tool : *tools.value->as_array()) {
            if (auto error = readTool(tool)) {
                return error;
            }
        }
        return std::nullopt;
    }

    std::optional<Error> readTool(const toml::node &tool)
    {
        const toml::table *table = tool.as_table();
        if (table == nullptr) {
            return tomlError(m_place, tool.source(), "'tools' may hold nothing but tables");
        }
        const toml::value<std::string> *id = table->get_as<std::string>("id");
        if (id == nullptr || id->get().empty()) {
            return tomlError(m_place, tool.source(), "a tool needs its 'id', a string");
        }
        return readRules(*table, id->get());
    }

    /// `tool` is empty where each rule names its permission.
    std::optional<Error> readRules(const toml::table &holder, const std::string &tool)
    {
        const toml::node *list = holder.get(RulesKey);
        if (list == nullptr) {
            return std::nullopt;
        }
        if (!list->is_array()) {
            return tomlError(m_place, list->source(), "'permission_rules' must be an array of tables");
        }
        for (const toml::node &item : *list->as_array()) {
            if (auto error = readRule(item, tool)) {
                return error;
            }
        }
        return std::nullopt;
    }

    std::optional<Error> readRule(const toml::node &item, const std::string &tool)
    {
        const toml::table *table = item.as_table();
        if (table == nullptr) {
            return tomlError(m_place, item.source(), "'permission_rules' may hold nothing but tables");
        }
        ManifestRule rule{tool, {}, {}, tomlPosition(m_place, item.source())};
        for (const TomlEntry &entry : entriesInOrder(*table)) {
            const std::string_view key = entry.key->str();
            std::string *field = key == "pattern"                      ? &rule.pattern
                                 : key == "action"                     ? &rule.action
                                 : key == "permission" && tool.empty() ? &rule.permission
                                                                       : nullptr;
            if (field == nullptr) {
                return tomlError(m_place, entry.key->source(),
                                 "unknown key " + text::quoted(key) + " in a permission rule");
            }
            if (!entry.value->is_string()) {
                return tomlError(m_place, entry.value->source(), text::quoted(key) + " must be a string");
            }
            *field = entry.value->as_string()->get();
        }
        if (rule.permission.empty() || rule.pattern.empty() || rule.action.empty()) {
            return tomlError(m_place, item.source(),
                             tool.empty() ? "a permission rule needs 'permission', 'pattern' and 'action'"
                                          : "a permission rule of a tool needs 'pattern' and 'action'");
        }
        m_rules.push_back(std::move(rule));
        return std::nullopt;
    }

    const ManifestPlace &m_place;
    std::vector<ManifestRule> m_rules;
};

} // namespace

Result<std::vector<ManifestRule>> parseManifestRules(std::string_view text, const ManifestPlace &place)
{
    const Result<toml::table> manifest = parseToml(text, place);
    if (!manifest) {
        return manifest.error();
    }
    RuleReader reader(place);
    if (std::optional<Error> error = reader.read(*manifest)) {
        return std::move(*error);
    }
    return reader.takeRules();
}

std::vector<std::string> wideningLines(const std::vector<ManifestRule> &rules)
{
    std::vector<std::string> lines;
    for (const ManifestRule &rule : rules) {
        if (rule.action == "allow") {
            lines.push_back("permission_rules = allow " + text::escaped(rule.permission) + ' '
                            + text::escaped(rule.pattern));
        }
    }
    return lines;
}

} // namespace spettro
