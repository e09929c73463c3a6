#pragma once

#include "tools/Json.h"

#include <QByteArray>

#include <optional>

namespace spettro {

/// Type and name of the record that a session begins with.
inline constexpr const char *SessionRecordType = "session";

/// The type of the record that names a goal: `text`.
inline constexpr const char *GoalRecordType = "goal";

/// The name of the log in a session's folder.
inline constexpr const char *SessionLogName = "log.jsonl";

/// What a record of type `session` says.
struct SessionRecord
{
    std::optional<QByteArray> workspace; ///< The real path.
    std::optional<int> version;
};

/// Nothing for records of other types; members of another kind than expected count as absent.
std::optional<SessionRecord> sessionRecordOf(const Json &record);

} // namespace spettro
