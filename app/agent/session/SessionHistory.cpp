#include "app/agent/session/SessionHistory.h"

#include "app/agent/session/MessageRecord.h"
#include "app/agent/session/SessionRecord.h"

#include <algorithm>
#include <array>

namespace spettro {

namespace {

/// Those that are for people alone.
constexpr std::array OnlyShown{SessionRecordType, "run", "call", "result", "approval", "turn"};

std::string textIn(const Json &record, const char *name)
{
    const auto member = record.find(name);
    return member != record.end() && member->is_string() ? member->get<std::string>() : std::string();
}

qint64 numberIn(const Json &record, const char *name)
{
    const auto member = record.find(name);
    return member != record.end() && member->is_number_integer() ? member->get<qint64>() : 0;
}

} // namespace

void SessionHistory::take(const Json &record)
{
    const QByteArray type = QByteArray::fromStdString(textIn(record, "type"));
    if (!takeKnown(type, record)) {
        ++m_unknown;
    }
}

bool SessionHistory::takeKnown(const QByteArray &type, const Json &record)
{
    if (type == "message") {
        return takeMessage(record);
    }
    if (type == "compaction") {
        return takeCompaction(record);
    }
    if (type == GoalRecordType) {
        m_goal = GoalProgress{QByteArray::fromStdString(textIn(record, "text")), 0, {}, {}, false};
        return true;
    }
    if (type == "usage") {
        takeUsage(record);
        return true;
    }
    if (type == "iteration" || type == "end") {
        if (m_goal) {
            m_goal->iterations = std::max(m_goal->iterations, static_cast<int>(numberIn(record, "number")));
            m_goal->time = std::max(m_goal->time, std::chrono::milliseconds(numberIn(record, "time_ms")));
            m_goal->isComplete = type == "end" && textIn(record, "result") == "complete";
        }
        return true;
    }
    return std::find(OnlyShown.begin(), OnlyShown.end(), type) != OnlyShown.end();
}

bool SessionHistory::takeMessage(const Json &record)
{
    std::optional<Message> message = messageOf(record);
    if (!message) {
        return false;
    }
    m_conversation.append(*std::move(message));
    return true;
}

bool SessionHistory::takeCompaction(const Json &record)
{
    const auto messages = record.find("messages");
    if (messages == record.end() || !messages->is_array()) {
        return false;
    }
    Conversation conversation;
    for (const Json &json : *messages) {
        std::optional<Message> message = messageOf(json);
        if (!message) {
            return false; // rather the long conversation than one with holes
        }
        conversation.append(*std::move(message));
    }
    m_conversation = std::move(conversation);
    return true;
}

void SessionHistory::takeUsage(const Json &record)
{
    if (!m_goal) {
        return;
    }
    m_goal->usage.input += numberIn(record, "input");
    m_goal->usage.cachedInput += numberIn(record, "cached_input");
    m_goal->usage.output += numberIn(record, "output");
    const auto estimated = record.find("estimated");
    const bool isKnown = estimated == record.end() || *estimated != true;
    m_goal->usage.isKnown = m_goal->usage.isKnown || isKnown;
}

} // namespace spettro
