#include "app/agent/checkpoints/CheckpointEntry.h"

#include "app/agent/session/RecordText.h"

#include <algorithm>

namespace spettro {

bool CheckpointEntry::explains(const FileState &state) const
{
    return before.hasContentOf(state)
           || std::any_of(after.begin(), after.end(),
                          [&state](const FileState &written) { return written.hasContentOf(state); });
}

Json toJson(const CheckpointEntry &entry)
{
    Json after = Json::array();
    for (const FileState &state : entry.after) {
        after.push_back(toJson(state));
    }
    return {{"turn", entry.turn},
            {"path", encodedPath(entry.path)},
            {"before", toJson(entry.before)},
            {"after", std::move(after)},
            {"folders", entry.newFolders}};
}

std::optional<CheckpointEntry> checkpointEntryOf(const Json &json)
{
    const bool hasAll = json.is_object() && json.contains("turn") && json.at("turn").is_number_integer()
                        && json.contains("path") && json.at("path").is_string() && json.contains("before")
                        && json.contains("after") && json.at("after").is_array() && json.contains("folders")
                        && json.at("folders").is_number_integer();
    if (!hasAll) {
        return std::nullopt;
    }
    CheckpointEntry entry;
    entry.turn = json.at("turn").get<int>();
    entry.path = decodedPath(json.at("path").get<std::string>());
    entry.newFolders = json.at("folders").get<int>();
    const std::optional<FileState> before = fileStateOf(json.at("before"));
    if (!before || !entry.path.startsWith('/')) {
        return std::nullopt;
    }
    entry.before = *before;
    for (const Json &state : json.at("after")) {
        const std::optional<FileState> after = fileStateOf(state);
        if (!after) {
            return std::nullopt;
        }
        entry.after.append(*after);
    }
    return entry;
}

} // namespace spettro
