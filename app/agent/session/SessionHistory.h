#pragma once

#include "app/llm/ModelReply.h"
#include "tools/Json.h"

#include <chrono>
#include <optional>

namespace spettro {

/// How far a goal has come, over all runs that have worked on it.
struct GoalProgress
{
    QByteArray goal;
    int iterations = 0;
    std::chrono::milliseconds time{0};
    Usage usage;
    bool isComplete = false;

    bool operator==(const GoalProgress &) const = default;
};

/// What the records of a session say of where it stands. The types of records:
///
/// | type       | members                                                                       |
/// |------------|-------------------------------------------------------------------------------|
/// | run        | a Spettro takes the session up: model, bounds, permission                     |
/// | goal       | text: what is to be reached from here on                                      |
/// | iteration  | number, time_ms so far, checkpoint: the turn that `sessions undo` knows       |
/// | message    | role, parts: added to the conversation                                        |
/// | call       | id, tool: it begins                                                           |
/// | result     | id, tool, ok, and where it failed error, refused                              |
/// | approval   | tool, what, answer: a person was asked                                        |
/// | usage      | input, cached_input, output, estimated: of one request                        |
/// | compaction | messages: the conversation from here on, in place of all before; summary      |
/// | turn       | result, message: the agent's turn is over; on the disk                        |
/// | end        | result, message, time_ms, changed_files: the run is over                      |
///
/// Others, and those that lack something, are passed over.
class SessionHistory
{
public:
    void take(const Json &record);

    /// What the model is sent next, with calls that nobody answered as they are.
    const Conversation &conversation() const { return m_conversation; }

    /// The last goal; nothing where there is none.
    const std::optional<GoalProgress> &goal() const { return m_goal; }

    /// Records that were not understood.
    int unknownRecords() const { return m_unknown; }

private:
    bool takeKnown(const QByteArray &type, const Json &record);
    bool takeMessage(const Json &record);
    bool takeCompaction(const Json &record);
    void takeUsage(const Json &record);

    Conversation m_conversation;
    std::optional<GoalProgress> m_goal;
    int m_unknown = 0;
};

} // namespace spettro
