#pragma once

#include "tools/ToolResult.h"

#include <QByteArray>
#include <QHash>

#include <mutex>

namespace spettro {

/// What the model last saw of each file in this session, by hash, so that what someone else has written since is not
/// overwritten unseen. Thread-safe.
class SeenFiles
{
public:
    /// The model has read or written the file (its real path) with this content.
    void remember(const QByteArray &realPath, QByteArrayView content);

    /// Whether the file has another content than the model has seen; never for files that it has not seen.
    bool hasChanged(const QByteArray &realPath, QByteArrayView content) const;

private:
    static QByteArray hashOf(QByteArrayView content);

    mutable std::mutex m_mutex;
    QHash<QByteArray, QByteArray> m_hashes;
};

} // namespace spettro
