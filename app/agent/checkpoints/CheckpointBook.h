#pragma once

#include "app/agent/checkpoints/CheckpointLog.h"
#include "app/agent/checkpoints/ContentStore.h"
#include "tools/ScopeGuard.h"

namespace spettro {

/// Records and contents together: the folder `checkpoints` of a session. Not thread-safe.
class CheckpointBook
{
public:
    static ToolOutcome<CheckpointBook> open(int sessionFolder, const QByteArray &sessionPath,
                                            const CheckpointLimits &limits);

    /// Records that `target` is about to get `after` in place of `before` (nothing: no file), and saves `before` unless
    /// this turn has done so already or it is over the limits. On the disk when it returns.
    std::optional<ToolError> save(int turn, const ScopeHandle &target,
                                  const std::optional<QByteArray> &before,
                                  const std::optional<QByteArray> &after);

    const CheckpointHistory &history() const { return m_log.history(); }
    CheckpointLog &log() { return m_log; }
    const ContentStore &contents() const { return m_contents; }

private:
    CheckpointBook(CheckpointLog log, ContentStore contents)
        : m_log(std::move(log)), m_contents(std::move(contents))
    {}

    CheckpointLog m_log;
    ContentStore m_contents;
};

} // namespace spettro
