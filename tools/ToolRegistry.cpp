#include "tools/ToolRegistry.h"

namespace spettro {

const Tool *ToolRegistry::find(const QByteArray &name) const
{
    for (const std::unique_ptr<const Tool> &tool : m_tools) {
        if (tool->name() == name) {
            return tool.get();
        }
    }
    return nullptr;
}

void ToolRegistry::keep(const std::function<bool(const QByteArray &name)> &isOffered)
{
    std::erase_if(m_tools, [&](const std::unique_ptr<const Tool> &tool) { return !isOffered(tool->name()); });
}

QByteArrayList ToolRegistry::names() const
{
    QByteArrayList names;
    for (const auto &tool : m_tools) {
        names.append(tool->name());
    }
    return names;
}

Json ToolRegistry::json() const
{
    Json list = Json::array();
    for (const std::unique_ptr<const Tool> &tool : m_tools) {
        list.push_back({{"name", tool->name().toStdString()},
                        {"description", tool->description().toStdString()},
                        {"input_schema", tool->schema()}});
    }
    return list;
}

} // namespace spettro
