#include "tools/GuardedFile.h"

#include "tools/FileAttributes.h"
#include "tools/NewFolders.h"
#include "tools/UnnamedFile.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spettro {

using namespace sandbox;

namespace {

constexpr mode_t OpenToAll = 0666;
constexpr mode_t OwnerOnly = 0600; // what replaces a file is never more open than that file
constexpr mode_t AnyoneWrites = S_IWUSR | S_IWGRP | S_IWOTH;

Descriptor openExisting(const ScopeHandle &target)
{
    return Descriptor(::openat(*target.descriptor, target.name.constData(),
                               O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

ToolOutcome<QByteArray> readFrom(int file, const QByteArray &shownPath)
{
    struct stat status;
    if (::fstat(file, &status) != 0) {
        return pathError("read", shownPath, errno);
    }
    if (status.st_size > LargestFile) {
        return pathError("read", shownPath, EFBIG);
    }
    // One byte more shows a file that grows; files that give no size (of /sys) are read until they end.
    QByteArray content;
    constexpr qsizetype LeastPiece = 65536;
    for (;;) {
        const qsizetype before = content.size();
        content.resize(std::max<qsizetype>(static_cast<qsizetype>(status.st_size) + 1, before + LeastPiece));
        const ssize_t count =
            ::read(file, content.data() + before, static_cast<std::size_t>(content.size() - before));
        content.resize(before + std::max<ssize_t>(count, 0));
        if (count < 0 && errno != EINTR) {
            return pathError("read", shownPath, errno);
        }
        if (count == 0) {
            return content;
        }
        if (content.size() > LargestFile) {
            return pathError("read", shownPath, EFBIG);
        }
    }
}

/// The steps of `replaceFile`; each returns 0 or the error number.
class Replacement
{
public:
    Replacement(const ScopeHandle &target, std::optional<mode_t> modeOfNew)
        : m_target(target), m_modeOfNew(modeOfNew), m_folders(*target.descriptor)
    {}

    int carryOut(QByteArrayView content)
    {
        if (m_target.existing && (m_target.existing->st_mode & AnyoneWrites) == 0) {
            return EACCES;
        }
        if (const int error = m_folders.make(m_target.missing)) {
            return error;
        }
        const Descriptor folder(::openat(m_folders.last(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        UnnamedFile file(m_folders.last());
        int error = file.create(m_target.existing || m_modeOfNew ? OwnerOnly : OpenToAll);
        if (error == 0) {
            error = file.write(content);
        }
        if (error == 0) {
            error = takeAttributes(file.descriptor()); // behind the content: write(2) takes set-id bits away
        }
        if (error == 0) {
            error = file.sync();
        }
        if (error == 0) {
            error = m_target.existing ? file.publishOver(m_target.name, *m_target.existing)
                                      : file.publish(m_target.name);
        }
        if (error == 0) {
            m_folders.keep();
            ::fsync(folder.number()); // of a folder that may not be read there is no descriptor to sync
        }
        return error;
    }

    const WriteReport &report() const { return m_report; }

private:
    int takeAttributes(int file)
    {
        if (!m_target.existing) {
            m_report.created = true;
            // Without a mode the kernel has given it those of a new file.
            return m_modeOfNew && ::fchmod(file, *m_modeOfNew) != 0 ? errno : 0;
        }
        m_report.otherNames = m_target.existing->st_nlink - 1;
        const Descriptor old = openExisting(m_target);
        return old ? copyAttributes(old.number(), *m_target.existing, file, &m_report.lostOwner) : errno;
    }

    const ScopeHandle &m_target;
    std::optional<mode_t> m_modeOfNew;
    NewFolders m_folders;
    WriteReport m_report;
};

} // namespace

ToolOutcome<QByteArray> readAll(const ScopeHandle &file)
{
    return readFrom(*file.descriptor, file.shownPath);
}

ToolOutcome<std::optional<QByteArray>> readExisting(const ScopeHandle &target)
{
    if (!target.existing) {
        return std::optional<QByteArray>();
    }
    const Descriptor file = openExisting(target);
    if (!file) {
        return pathError("open", target.shownPath, errno);
    }
    ToolOutcome<QByteArray> content = readFrom(file.number(), target.shownPath);
    if (!content) {
        return content.error();
    }
    return std::optional(std::move(content).value());
}

ToolOutcome<WriteReport> replaceFile(const ScopeHandle &target, QByteArrayView content,
                                     std::optional<mode_t> modeOfNew)
{
    Replacement replacement(target, modeOfNew);
    const int error = replacement.carryOut(content);
    if (error == ESTALE || (error == EEXIST && !target.existing)) {
        return ToolError{"write " + target.shownPath
                             + ": the file was changed by someone else meanwhile; read it again",
                         error};
    }
    if (error != 0) {
        return pathError("write", target.shownPath, error);
    }
    return replacement.report();
}

} // namespace spettro
