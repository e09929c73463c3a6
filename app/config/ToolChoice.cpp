#include "app/config/ToolChoice.h"

#include "app/config/KnownTools.h"
#include "sandbox/policy/Text.h"

#include <algorithm>

namespace spettro {

using namespace sandbox;

ToolChoice::ToolChoice(const std::vector<ReadTool> &tools, ManifestNotes &notes) : m_notes(notes)
{
    for (const ReadTool &read : tools) {
        m_tools.emplace(read.tool.id, &read);
    }
}

MaybeError ToolChoice::choose(const ReadAgent &read, ManifestAgent &target)
{
    std::vector<std::string> listed;
    if (read.allowedTools) {
        if (MaybeError error = chooseListed(read, listed)) {
            return error;
        }
    } else {
        listed.assign(OwnTools.begin(), OwnTools.end());
    }
    std::vector<std::string> chosen;
    for (const std::string &id : listed) {
        if (mayUse(read, id)) {
            chosen.push_back(id);
        } else if (read.allowedTools) {
            m_notes.warn(read.agent.place, "the agent " + text::quoted(read.agent.id)
                                               + " may not use the tool " + text::quoted(id)
                                               + " that it lists, by 'permitted_actions' or 'primary_only'");
        }
    }
    if (read.allowedTools || chosen.size() < OwnTools.size()) {
        target.allowedTools = std::move(chosen);
    }
    return std::nullopt;
}

MaybeError ToolChoice::chooseListed(const ReadAgent &read, std::vector<std::string> &chosen)
{
    for (const Sourced<std::string> &id : *read.allowedTools) {
        if (isOwnTool(id.value)) {
            if (std::find(chosen.begin(), chosen.end(), id.value) == chosen.end()) {
                chosen.push_back(id.value);
            }
        } else if (isForeignTool(id.value) || m_tools.contains(id.value)) {
            noteForeignTool(m_notes, id.origin.place, id.value);
        } else {
            return Error{ErrorKind::Usage, id.origin.place + ": unknown tool " + text::quoted(id.value), 0};
        }
    }
    return std::nullopt;
}

bool ToolChoice::mayUse(const ReadAgent &read, std::string_view id) const
{
    const auto found = m_tools.find(id);
    const bool isPrimaryOnly = found != m_tools.end() && found->second->primaryOnly;
    if (isPrimaryOnly && !read.isPrimary) {
        return false;
    }
    return read.actions.empty()
           || (found != m_tools.end()
               && std::any_of(read.actions.begin(), read.actions.end(),
                              [&](const Sourced<std::string> &action) {
                                  return found->second->actions.contains(action.value);
                              }));
}

void noteForeignTool(ManifestNotes &notes, const std::string &place, const std::string &id)
{
    notes.warn(place, "what is said of the tool " + text::quoted(id) + " has no effect");
}

} // namespace spettro
