#include "tools/ToolInput.h"

#include <QList>

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace spettro {

namespace {

constexpr int DeepestInput = 32;
constexpr std::uint64_t LargestInteger = std::numeric_limits<std::int32_t>::max();

/// Watches a parse for what JSON allows and nobody means.
class InputWatch
{
public:
    bool operator()(int depth, Json::parse_event_t event, Json &value)
    {
        if (event == Json::parse_event_t::object_start) {
            m_keys.emplace_back();
        } else if (event == Json::parse_event_t::object_end) {
            m_keys.pop_back();
        } else if (event == Json::parse_event_t::key
                   && !m_keys.back().insert(value.get<std::string>()).second) {
            m_doubled = QByteArray::fromStdString(value.get<std::string>());
        }
        m_tooDeep = m_tooDeep || depth > DeepestInput;
        return true;
    }

    const QByteArray &doubled() const { return m_doubled; }
    bool isTooDeep() const { return m_tooDeep; }

private:
    std::vector<std::set<std::string>> m_keys;
    QByteArray m_doubled;
    bool m_tooDeep = false;
};

QByteArray quoted(const std::string &name)
{
    return '\'' + QByteArray::fromStdString(name) + '\'';
}

bool hasType(const Json &value, const std::string &type)
{
    if (type == "string") {
        return value.is_string();
    }
    if (type == "integer") {
        return value.is_number_integer();
    }
    if (type == "boolean") {
        return value.is_boolean();
    }
    return type == "array" ? value.is_array() : value.is_object();
}

ToolError typeError(const QByteArray &field, const std::string &type)
{
    const bool startsWithVowel = type.front() == 'a' || type.front() == 'i' || type.front() == 'o';
    return {field + " has to be " + (startsWithVowel ? "an " : "a ") + QByteArray::fromStdString(type)};
}

/// Walks value and schema together.
class Checker
{
public:
    explicit Checker(const QList<QByteArray> &rawFields) : m_rawFields(rawFields) {}

    std::optional<ToolError> check(const Json &value, const Json &schema, const std::string &name) const
    {
        const QByteArray field = name.empty() ? QByteArray("the input") : quoted(name);
        const std::string type = schema.at("type");
        if (!hasType(value, type)) {
            return typeError(field, type);
        }
        if (value.is_string()) {
            return checkText(value.get_ref<const std::string &>(), schema, field, name);
        }
        if (schema.contains("minimum") && value < schema["minimum"]) {
            return ToolError{field + " has to be at least "
                             + QByteArray::fromStdString(schema["minimum"].dump())};
        }
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > LargestInteger) {
            return ToolError{field + " is too large"};
        }
        return type == "array" ? checkItems(value, schema, name) : checkMembers(value, schema, name);
    }

private:
    std::optional<ToolError> checkText(const std::string &text, const Json &schema, const QByteArray &field,
                                       const std::string &name) const
    {
        if (text.find('\0') != std::string::npos && !m_rawFields.contains(QByteArray::fromStdString(name))) {
            return ToolError{field + " has a NUL character in it"};
        }
        if (!schema.contains("enum")) {
            return std::nullopt;
        }
        QByteArray choices;
        for (const Json &choice : schema["enum"]) {
            if (choice == text) {
                return std::nullopt;
            }
            choices += (choices.isEmpty() ? "" : ", ") + QByteArray::fromStdString(choice.get<std::string>());
        }
        return ToolError{field + " has to be one of: " + choices};
    }

    std::optional<ToolError> checkItems(const Json &value, const Json &schema, const std::string &name) const
    {
        for (const Json &item : value) {
            if (auto error = check(item, schema.at("items"), name)) {
                return error;
            }
        }
        return std::nullopt;
    }

    std::optional<ToolError> checkMembers(const Json &value, const Json &schema,
                                          const std::string &name) const
    {
        if (!value.is_object()) {
            return std::nullopt;
        }
        const QByteArray where = name.empty() ? QByteArray() : " in " + quoted(name);
        for (const Json &required : schema.value("required", Json::array())) {
            if (!value.contains(required.get<std::string>())) {
                return ToolError{"the field " + quoted(required) + " is missing" + where};
            }
        }
        for (const auto &[key, member] : value.items()) {
            if (!schema.at("properties").contains(key)) {
                return ToolError{"there is no field " + quoted(key) + where};
            }
            if (auto error = check(member, schema.at("properties").at(key), key)) {
                return error;
            }
        }
        return std::nullopt;
    }

    const QList<QByteArray> &m_rawFields;
};

} // namespace

ToolOutcome<Json> parseInput(QByteArrayView text)
{
    InputWatch watch;
    Json input;
    try {
        input = Json::parse(text.begin(), text.end(), std::ref(watch));
    } catch (const Json::parse_error &error) {
        return ToolError{"the input is not valid JSON (at byte " + QByteArray::number(quint64(error.byte))
                         + ')'};
    } catch (const Json::exception &) { // a number that is beyond all
        return ToolError{"the input is not valid JSON"};
    }
    if (watch.isTooDeep()) {
        return ToolError{"the input is nested too deeply"};
    }
    if (!watch.doubled().isEmpty()) {
        return ToolError{"the field '" + watch.doubled() + "' is there twice"};
    }
    return input;
}

ToolOutcome<bool> checkInput(const Json &input, const Json &schema, const QList<QByteArray> &rawFields)
{
    const std::optional<ToolError> error = Checker(rawFields).check(input, schema, {});
    return error ? ToolOutcome<bool>(*error) : ToolOutcome<bool>(true);
}

} // namespace spettro
