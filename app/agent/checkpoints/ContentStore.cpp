#include "app/agent/checkpoints/ContentStore.h"

#include "app/agent/session/PrivateFiles.h"

#include <QCryptographicHash>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spettro {

using sandbox::Descriptor;

ToolOutcome<ContentStore> ContentStore::open(int folder, const QByteArray &folderPath,
                                             const CheckpointLimits &limits)
{
    const QByteArray path = folderPath + "/contents";
    ToolOutcome<Descriptor> file = openPrivateFile(folder, "contents", path, O_RDWR | O_CREAT);
    if (!file) {
        return file.error();
    }
    struct stat status;
    if (::fstat(file->number(), &status) != 0) {
        return pathError("read", path, errno);
    }
    // What a kill has left at the end without a record of it stays; nothing ever lies on top of an old content.
    return ContentStore(std::move(file).value(), path, limits, status.st_size);
}

void ContentStore::remember(const FileState &state)
{
    if (state.exists && state.place) {
        m_places.insert(state.sha256, *state.place);
        m_end =
            std::max(m_end, *state.place + state.size); // where the file was cut, places stay what they are
    }
}

bool ContentStore::takes(const FileState &state) const
{
    return m_places.contains(state.sha256)
           || (state.size <= m_limits.largestFile && m_end + state.size <= m_limits.largestStore);
}

ToolOutcome<qint64> ContentStore::add(const FileState &state, QByteArrayView content)
{
    if (const auto known = m_places.constFind(state.sha256); known != m_places.constEnd()) {
        return *known;
    }
    int error = writeAt(m_file.number(), content, m_end);
    if (error == 0 && ::fdatasync(m_file.number()) != 0) {
        error = errno;
    }
    if (error != 0) {
        // Gives the space back; where that fails, the next content is written over it.
        return ::ftruncate(m_file.number(), m_end) == 0 ? pathError("write", m_path, error)
                                                        : pathError("write", m_path, errno);
    }
    const qint64 place = m_end;
    m_end += content.size();
    m_places.insert(state.sha256, place);
    return place;
}

ToolOutcome<QByteArray> ContentStore::read(const FileState &state) const
{
    QByteArray content;
    if (const int error = readAt(m_file.number(), *state.place, state.size, &content)) {
        return pathError("read", m_path, error);
    }
    if (QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex() != state.sha256) {
        return ToolError{"its saved content is lost or damaged", EIO};
    }
    return content;
}

} // namespace spettro
