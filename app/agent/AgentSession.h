#pragma once

#include "app/agent/checkpoints/CheckpointStore.h"
#include "app/agent/session/SessionHistory.h"
#include "app/agent/session/SessionStore.h"

#include <memory>

namespace spettro {

/// A session while it is worked in: what it holds so far, its log, and its checkpoints. It belongs to this process.
class AgentSession
{
public:
    /// Whether a session may be gone on with in a folder that is not its own.
    enum class Elsewhere { Refused, Allowed };

    /// A new one, in a workspace given by its real path.
    static ToolOutcome<std::unique_ptr<AgentSession>> begin(const SessionStore &store,
                                                            const QByteArray &workspace);

    /// Goes on with a session, or with the last one of the workspace where `id` is empty. What it did there it would do
    /// in the wrong project elsewhere: so it is only moved where that is allowed.
    static ToolOutcome<std::unique_ptr<AgentSession>> resume(const SessionStore &store, const QByteArray &id,
                                                             const QByteArray &workspace,
                                                             Elsewhere elsewhere);

    SessionLog &log() { return m_log; }
    CheckpointStore &checkpoints() { return *m_checkpoints; }

    /// As it was when the session was opened.
    const SessionHistory &history() const { return m_history; }

private:
    static ToolOutcome<std::unique_ptr<AgentSession>> open(SessionLog log, SessionHistory history);

    AgentSession(SessionLog log, std::unique_ptr<CheckpointStore> checkpoints, SessionHistory history);

    SessionLog m_log;
    std::unique_ptr<CheckpointStore> m_checkpoints;
    SessionHistory m_history;
};

} // namespace spettro
