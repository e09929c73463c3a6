#include "app/config/readTool.h"

#include "app/config/KnownTools.h"
#include "sandbox/policy/Text.h"

#include <algorithm>
#include <array>

namespace spettro {

using namespace sandbox;

namespace {

constexpr std::string_view Holder = "[[tools]]";
constexpr std::array<std::string_view, 2> Labels{"name", "description"};
constexpr std::array<std::string_view, 4> ForeignKeys{"entry_point", "aliases", "input_schema", "risk_level"};

template<typename Keys>
bool isOneOf(const Keys &keys, std::string_view key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

MaybeError readKind(const TomlEntry &entry, const ManifestValues &values, ReadTool &target)
{
    std::string kind;
    MaybeError error = values.readName(entry, kind);
    target.isBuiltin = kind == "builtin";
    return error;
}

MaybeError readActions(const TomlEntry &entry, const ManifestValues &values, ReadTool &target)
{
    std::vector<Sourced<std::string>> actions;
    MaybeError error = values.readNames(entry, actions);
    for (Sourced<std::string> &action : actions) {
        target.actions.insert(std::move(action.value));
    }
    return error;
}

MaybeError readKey(const TomlEntry &entry, const ManifestValues &values, ManifestNotes &notes,
                   ReadTool &target)
{
    const std::string_view key = entry.key->str();
    if (key == "id") {
        return values.readName(entry, target.tool.id);
    }
    if (key == "enabled") {
        return values.readFlag(entry, target.tool.enabled);
    }
    if (key == "timeout_sec") {
        return values.readSeconds(entry, target.tool.timeoutSec);
    }
    if (key == "requires_approval") {
        return values.readFlag(entry, target.tool.requiresApproval);
    }
    if (key == "kind") {
        return readKind(entry, values, target);
    }
    if (key == "permitted_actions") {
        return readActions(entry, values, target);
    }
    if (key == "primary_only") {
        return values.readFlag(entry, target.primaryOnly);
    }
    if (key == "permission_rules" || isOneOf(Labels, key)) { // the rules are for parseManifestRules
        return std::nullopt;
    }
    if (isOneOf(ForeignKeys, key)) {
        notes.ignore(entry, Holder);
        return std::nullopt;
    }
    return notes.refuse(entry, Holder);
}

std::string ownToolNames()
{
    std::string names;
    for (const std::string_view name : OwnTools) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names;
}

/// Whether there can be a tool of this id.
MaybeError checkId(const toml::table &table, const ManifestValues &values, const ReadTool &read)
{
    const toml::node *node = table.get("id");
    if (node == nullptr || read.tool.id.empty()) {
        return tomlError(values.place(), table.source(), "a tool needs its 'id', a string");
    }
    if (isOwnTool(read.tool.id) && !read.isBuiltin) {
        return tomlError(values.place(), node->source(),
                         text::quoted(read.tool.id) + " is a built-in tool, another cannot take its place");
    }
    if (read.isBuiltin && !isOwnTool(read.tool.id) && !isForeignTool(read.tool.id)) {
        return tomlError(values.place(), node->source(),
                         "unknown tool " + text::quoted(read.tool.id) + "; there are " + ownToolNames());
    }
    return std::nullopt;
}

} // namespace

MaybeError readTool(const toml::node &node, const ManifestValues &values, ManifestNotes &notes,
                    ReadTool &target)
{
    const toml::table *table = node.as_table();
    if (table == nullptr) {
        return tomlError(values.place(), node.source(), "'tools' may hold nothing but tables");
    }
    target.tool.place = tomlPosition(values.place(), table->source());
    for (const TomlEntry &entry : entriesInOrder(*table)) {
        if (MaybeError error = readKey(entry, values, notes, target)) {
            return error;
        }
    }
    return checkId(*table, values, target);
}

} // namespace spettro
