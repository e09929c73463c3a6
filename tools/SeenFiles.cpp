#include "tools/SeenFiles.h"

#include <QCryptographicHash>

namespace spettro {

void SeenFiles::remember(const QByteArray &realPath, QByteArrayView content)
{
    const QByteArray hash = hashOf(content);
    const std::scoped_lock lock(m_mutex);
    m_hashes.insert(realPath, hash);
}

bool SeenFiles::hasChanged(const QByteArray &realPath, QByteArrayView content) const
{
    QByteArray seen;
    {
        const std::scoped_lock lock(m_mutex);
        seen = m_hashes.value(realPath);
    }
    return !seen.isEmpty() && seen != hashOf(content);
}

QByteArray SeenFiles::hashOf(QByteArrayView content)
{
    QCryptographicHash hash(
        QCryptographicHash::Sha1); // the quickest of Qt 6.4; nobody gains by a collision here
    hash.addData(content);
    return hash.result();
}

} // namespace spettro
