#include "tools/builtin/schemas.h"

namespace spettro {

Json property(const char *type, const char *description)
{
    return {{"type", type}, {"description", description}};
}

Json integerProperty(int minimum, const std::string &description)
{
    return {{"type", "integer"}, {"minimum", minimum}, {"description", description}};
}

Json objectSchema(Json properties, std::initializer_list<const char *> required)
{
    Json names = Json::array();
    for (const char *name : required) {
        names.push_back(name);
    }
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(names)},
            {"additionalProperties", false}};
}

QByteArray textOf(const Json &input, const char *field)
{
    return input.contains(field) ? QByteArray::fromStdString(input.at(field).get<std::string>())
                                 : QByteArray();
}

} // namespace spettro
