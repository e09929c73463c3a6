#pragma once

#include "app/agent/checkpoints/FileState.h"
#include "sandbox/linux/Descriptor.h"
#include "tools/ToolResult.h"

#include <QHash>

namespace spettro {

/// How much is kept of old contents, in bytes.
struct CheckpointLimits
{
    qint64 largestFile = qint64{64} * 1024 * 1024;
    qint64 largestStore = qint64{1024} * 1024 * 1024; ///< All contents of a session.
};

/// The file `contents`: the contents of files, one behind the other, each once (by its hash). It only grows, and is
/// written through a descriptor that is open from the start. Not thread-safe.
class ContentStore
{
public:
    static ToolOutcome<ContentStore> open(int folder, const QByteArray &folderPath,
                                          const CheckpointLimits &limits);

    /// A content that was saved in an earlier life of the session.
    void remember(const FileState &state);

    /// Whether the content is there or within the limits.
    bool takes(const FileState &state) const;

    /// Saves a content, which `takes` has to be true for, and brings it to the disk. Returns its place. After an error
    /// nothing has changed.
    ToolOutcome<qint64> add(const FileState &state, QByteArrayView content);

    /// The content; an error where it is not there any more, or is not what it was.
    ToolOutcome<QByteArray> read(const FileState &state) const;

private:
    ContentStore(sandbox::Descriptor file, const QByteArray &path, const CheckpointLimits &limits, qint64 end)
        : m_file(std::move(file)), m_path(path), m_limits(limits), m_end(end)
    {}

    sandbox::Descriptor m_file;
    QByteArray m_path;
    CheckpointLimits m_limits;
    QHash<QByteArray, qint64> m_places; ///< By hash.
    qint64 m_end = 0;
};

} // namespace spettro
