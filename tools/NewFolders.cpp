#include "tools/NewFolders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace spettro {

NewFolders::~NewFolders()
{
    while (!m_isKept && !m_made.empty()) {
        const Folder folder = std::move(m_made.back());
        m_made.pop_back();
        if (folder.isNew) {
            ::unlinkat(last(), folder.name.constData(),
                       AT_REMOVEDIR); // fails, rightly, where others have put something
        }
    }
}

int NewFolders::make(const QList<QByteArray> &names)
{
    for (const QByteArray &name : names) {
        const bool isNew = ::mkdirat(last(), name.constData(), 0777) == 0;
        if (!isNew && errno != EEXIST) { // made by another call meanwhile: as good
            return errno;
        }
        sandbox::Descriptor folder(
            ::openat(last(), name.constData(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        const int error = folder ? 0 : errno;
        m_made.push_back({name, std::move(folder), isNew});
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

} // namespace spettro
