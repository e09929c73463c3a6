#include "app/keys/KeyFiles.h"

#include "app/agent/session/PrivateFiles.h"
#include "app/keys/KeyText.h"
#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qint64 LargestFile = qint64{16} * 1024;

Error usageError(const ToolError &error)
{
    return {ErrorKind::Usage, error.message.toStdString(), error.number};
}

Error usageError(const char *act, const QByteArray &path, int number)
{
    return systemError(ErrorKind::Usage, std::string(act) + ' ' + path.toStdString(), number);
}

/// Of the file that is to replace one.
QByteArray freshName(const QByteArray &name)
{
    return '.' + name + ".new";
}

/// The folder `keys`.
Result<Descriptor> openFolder(const QByteArray &stateFolder, IfMissing ifMissing)
{
    if (ifMissing == IfMissing::Make && ::mkdir(stateFolder.constData(), S_IRWXU) != 0 && errno != EEXIST) {
        return usageError("mkdir", stateFolder, errno);
    }
    const Descriptor parent(::open(stateFolder.constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!parent) {
        return usageError("open", stateFolder, errno);
    }
    ToolOutcome<Descriptor> folder =
        openPrivateFolder(parent.number(), "keys", stateFolder + "/keys", ifMissing);
    if (!folder) {
        return usageError(folder.error());
    }
    return std::move(folder).value();
}

/// Writes a new file beside the one that it is to replace. Returns the error number, 0 for none.
int writeNew(int folder, const QByteArray &name, const QByteArray &bytes)
{
    if (::unlinkat(folder, name.constData(), 0) != 0 && errno != ENOENT) { // what a killed one left
        return errno;
    }
    const Descriptor file(::openat(folder, name.constData(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file) {
        return errno;
    }
    if (const int error = writeAt(file.number(), bytes, 0)) {
        return error;
    }
    return ::fsync(file.number()) == 0 ? 0 : errno;
}

} // namespace

KeyFiles::KeyFiles(QByteArray stateFolder) : m_stateFolder(std::move(stateFolder)) {}

Result<std::optional<QByteArray>> KeyFiles::read(const QByteArray &name) const
{
    const Result<Descriptor> folder = openFolder(m_stateFolder, IfMissing::Fail);
    if (!folder) {
        return folder.error().nativeCode == ENOENT ? Result<std::optional<QByteArray>>(std::nullopt)
                                                   : folder.error();
    }
    const ToolOutcome<Descriptor> file = openPrivateFile(folder->number(), name, pathOf(name), O_RDONLY);
    if (!file) {
        return file.error().number == ENOENT ? Result<std::optional<QByteArray>>(std::nullopt)
                                             : usageError(file.error());
    }
    QByteArray text;
    if (const int error = readAt(file->number(), 0, LargestFile, &text)) {
        return usageError("read", pathOf(name), error);
    }
    Result<QByteArray> key = keyFrom(text);
    if (!key) {
        return Error{ErrorKind::Usage, pathOf(name).toStdString() + ": " + key.error().message, 0};
    }
    return std::optional<QByteArray>(std::move(key).value());
}

Result<bool> KeyFiles::write(const QByteArray &name, const QByteArray &key) const
{
    const Result<Descriptor> folder = openFolder(m_stateFolder, IfMissing::Make);
    if (!folder) {
        return folder.error();
    }
    if (const std::optional<ToolError> error = lockFile(folder->number(), m_stateFolder + "/keys")) {
        return usageError(*error);
    }
    const QByteArray fresh = freshName(name);
    int error = writeNew(folder->number(), fresh, key + '\n');
    if (error == 0
        && ::renameat(folder->number(), fresh.constData(), folder->number(), name.constData()) != 0) {
        error = errno;
    }
    if (error != 0) {
        ::unlinkat(folder->number(), fresh.constData(), 0);
        return usageError("write", pathOf(name), error);
    }
    ::fsync(folder->number()); // of no use on some file systems, which then need none
    return true;
}

Result<bool> KeyFiles::remove(const QByteArray &name) const
{
    const Result<Descriptor> folder = openFolder(m_stateFolder, IfMissing::Fail);
    if (!folder) {
        return folder.error().nativeCode == ENOENT ? Result<bool>(false) : folder.error();
    }
    ::unlinkat(folder->number(), freshName(name).constData(), 0);
    if (::unlinkat(folder->number(), name.constData(), 0) != 0) {
        return errno == ENOENT ? Result<bool>(false) : usageError("remove", pathOf(name), errno);
    }
    ::fsync(folder->number());
    return true;
}

} // namespace spettro
