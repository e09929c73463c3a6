#pragma once

#include "app/config/readAgent.h"

#include <map>

namespace spettro {

/// Decides which of `OwnTools` an agent may use, by what is said of it and of the tools.
class ToolChoice
{
public:
    ToolChoice(const std::vector<ReadTool> &tools, ManifestNotes &notes);

    /// Sets the agent's `allowedTools`. A name that is of no tool is an error.
    MaybeError choose(const ReadAgent &read, ManifestAgent &target);

private:
    MaybeError chooseListed(const ReadAgent &read, std::vector<std::string> &chosen);
    bool mayUse(const ReadAgent &read, std::string_view id) const;

    std::map<std::string_view, const ReadTool *> m_tools;
    ManifestNotes &m_notes;
};

/// Notes that what is said of a tool has no effect.
void noteForeignTool(ManifestNotes &notes, const std::string &place, const std::string &id);

} // namespace spettro
