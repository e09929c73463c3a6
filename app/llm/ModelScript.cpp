#include "app/llm/ModelScript.h"

#include "sandbox/policy/ManifestToml.h"

#include <toml++/toml.h>

#include <sstream>
#include <stdexcept>

namespace spettro {

namespace {

/// Why a script cannot be read, with the place.
class ScriptError : public std::runtime_error
{
public:
    ScriptError(const toml::source_region &where, const std::string &why)
        : std::runtime_error(std::to_string(where.begin.line) + ':' + std::to_string(where.begin.column)
                             + ": " + why)
    {}
};

QByteArray textOf(const toml::node &node, const char *what)
{
    const auto *text = node.as_string();
    if (!text) {
        throw ScriptError(node.source(), std::string(what) + " has to be a text");
    }
    return QByteArray::fromStdString(text->get());
}

const toml::array &arrayOf(const toml::node &node, const char *what)
{
    const auto *array = node.as_array();
    if (!array) {
        throw ScriptError(node.source(), std::string(what) + " has to be a list");
    }
    return *array;
}

const toml::table &tableOf(const toml::node &node, const char *what)
{
    const auto *table = node.as_table();
    if (!table) {
        throw ScriptError(node.source(), std::string(what) + " has to be a table");
    }
    return *table;
}

Json jsonOf(const toml::node &node)
{
    std::ostringstream text;
    if (const auto *table = node.as_table()) {
        text << toml::json_formatter{*table};
    } else {
        throw ScriptError(node.source(), "input has to be a table");
    }
    return Json::parse(text.str());
}

ModelScript::After afterOf(const toml::node &node)
{
    const QByteArray word = textOf(node, "after");
    if (word == "ok") {
        return ModelScript::After::Success;
    }
    if (word == "failed") {
        return ModelScript::After::Failure;
    }
    throw ScriptError(node.source(), "after has to be \"ok\" or \"failed\"");
}

ModelScript::Call callOf(const toml::node &node)
{
    ModelScript::Call call;
    for (const auto &[key, value] : tableOf(node, "a call")) {
        if (key == "tool") {
            call.tool = textOf(value, "tool");
        } else if (key == "input") {
            call.input = jsonOf(value);
        } else {
            throw ScriptError(value.source(), "unknown key '" + std::string(key.str()) + "' in a call");
        }
    }
    if (call.tool.isEmpty() || !call.input.is_object()) {
        throw ScriptError(node.source(), "a call needs tool and input");
    }
    return call;
}

ModelScript::Turn turnOf(const toml::node &node)
{
    ModelScript::Turn turn;
    for (const auto &[key, value] : tableOf(node, "a turn")) {
        if (key == "after") {
            turn.after = afterOf(value);
        } else if (key == "after_output") {
            turn.afterOutput = textOf(value, "after_output");
        } else if (key == "say") {
            turn.say = textOf(value, "say");
        } else if (key == "calls") {
            for (const toml::node &call : arrayOf(value, "calls")) {
                turn.calls.append(callOf(call));
            }
        } else {
            throw ScriptError(value.source(), "unknown key '" + std::string(key.str()) + "' in a turn");
        }
    }
    if (turn.say.isEmpty() && turn.calls.isEmpty()) {
        throw ScriptError(node.source(), "a turn needs say or calls");
    }
    return turn;
}

ModelScript scriptOf(const toml::table &table)
{
    ModelScript script;
    for (const auto &[key, value] : table) {
        if (key == "title") {
            script.title = textOf(value, "title");
        } else if (key == "turn") {
            for (const toml::node &turn : arrayOf(value, "turn")) {
                script.turns.append(turnOf(turn));
            }
        } else {
            throw ScriptError(value.source(), "unknown key '" + std::string(key.str()) + "'");
        }
    }
    if (script.turns.isEmpty()) {
        throw ScriptError(table.source(), "there is no [[turn]]");
    }
    return script;
}

} // namespace

std::variant<ModelScript, QByteArray> readModelScript(const QByteArray &toml, const QByteArray &name)
{
    try {
        const sandbox::Result<toml::table> table =
            sandbox::parseToml(toml.toStdString(), {name.toStdString(), {}, {}});
        if (!table) {
            return QByteArray::fromStdString(table.error().message);
        }
        return scriptOf(*table);
    } catch (const ScriptError &error) {
        return name + ':' + error.what();
    }
}

} // namespace spettro
