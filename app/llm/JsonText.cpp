#include "app/llm/JsonText.h"
#include "app/llm/JsonProgress.h"

#include <cmath>

namespace spettro {

namespace {

constexpr int MaximumDepth = 200;

const Json Null;

} // namespace

std::optional<Json> parseJson(QByteArrayView text)
{
    JsonProgress progress;
    progress.add(text);
    if (progress.deepest() > MaximumDepth) {
        return std::nullopt;
    }
    Json value = Json::parse(text.begin(), text.end(), nullptr, false);
    if (value.is_discarded()) {
        return std::nullopt;
    }
    return value;
}

QByteArray toText(const Json &value)
{
    return QByteArray::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json toJson(QByteArrayView text)
{
    return std::string(text.begin(), text.end());
}

const Json &member(const Json &value, const char *name)
{
    if (!value.is_object()) {
        return Null;
    }
    const auto found = value.find(name);
    return found == value.end() ? Null : *found;
}

const Json &element(const Json &value, std::size_t index)
{
    return value.is_array() && index < value.size() ? value[index] : Null;
}

QByteArray textOf(const Json &value)
{
    return value.is_string() ? QByteArray::fromStdString(value.get_ref<const std::string &>()) : QByteArray();
}

std::optional<qint64> integerOf(const Json &value)
{
    constexpr double Largest = 9007199254740992.0;
    if (!value.is_number()) {
        return std::nullopt;
    }
    const auto number = value.get<double>();
    if (std::fabs(number) > Largest || std::floor(number) != number) {
        return std::nullopt;
    }
    return static_cast<qint64>(number);
}

} // namespace spettro
