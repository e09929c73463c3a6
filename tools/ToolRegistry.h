#pragma once

#include "tools/Tool.h"

#include <functional>
#include <memory>
#include <vector>

namespace spettro {

/// The tools that a session offers, in the order in which they are shown.
class ToolRegistry
{
public:
    void add(std::unique_ptr<const Tool> tool) { m_tools.push_back(std::move(tool)); }

    /// Leaves out the tools that `isOffered` does not want.
    void keep(const std::function<bool(const QByteArray &name)> &isOffered);

    /// The tool of exactly this name; null where there is none.
    const Tool *find(const QByteArray &name) const;

    const std::vector<std::unique_ptr<const Tool>> &tools() const { return m_tools; }

    QByteArrayList names() const;

    /// `[{"name", "description", "input_schema"}...]`.
    Json json() const;

private:
    std::vector<std::unique_ptr<const Tool>> m_tools;
};

} // namespace spettro
