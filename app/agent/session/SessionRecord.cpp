#include "app/agent/session/SessionRecord.h"

#include "app/agent/session/RecordText.h"

namespace spettro {

std::optional<SessionRecord> sessionRecordOf(const Json &record)
{
    if (record.at("type") != SessionRecordType) {
        return std::nullopt;
    }
    SessionRecord found;
    if (const auto workspace = record.find("workspace");
        workspace != record.end() && workspace->is_string()) {
        found.workspace = decodedPath(workspace->get<std::string>());
    }
    if (const auto version = record.find("version");
        version != record.end() && version->is_number_integer()) {
        found.version = version->get<int>();
    }
    return found;
}

} // namespace spettro
