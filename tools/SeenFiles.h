#pragma once

#include "tools/ToolResult.h"

#include <QByteArray>
#include <QHash>
#include <QRandomGenerator>

#include <cstddef>
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
    /// Enough to tell contents apart; seeded at random, so that nobody can aim at an equal one.
    struct Fingerprint
    {
        std::size_t hash = 0;
        qsizetype size = 0;

        bool operator==(const Fingerprint &) const = default;
    };

    Fingerprint fingerprintOf(QByteArrayView content) const
    {
        return {qHash(content, m_seed), content.size()};
    }

    const std::size_t m_seed = QRandomGenerator::system()->generate64();
    mutable std::mutex m_mutex;
    QHash<QByteArray, Fingerprint> m_seen;
};

} // namespace spettro
