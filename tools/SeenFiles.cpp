#include "tools/SeenFiles.h"

#include <optional>

namespace spettro {

void SeenFiles::remember(const QByteArray &realPath, QByteArrayView content)
{
    const Fingerprint fingerprint = fingerprintOf(content);
    const std::scoped_lock lock(m_mutex);
    m_seen.insert(realPath, fingerprint);
}

bool SeenFiles::hasChanged(const QByteArray &realPath, QByteArrayView content) const
{
    std::optional<Fingerprint> seen;
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto entry = m_seen.constFind(realPath); entry != m_seen.constEnd()) {
            seen = *entry;
        }
    }
    return seen && *seen != fingerprintOf(content);
}

} // namespace spettro
