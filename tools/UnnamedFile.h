#pragma once

#include "sandbox/linux/Descriptor.h"

#include <QByteArray>

#include <sys/stat.h>

namespace spettro {

/// A new file in a folder that has no name until its content is complete (`O_TMPFILE`; on file systems without that, a
/// hidden name from the start). What is not published leaves nothing behind. Each function returns 0 or the error
/// number.
class UnnamedFile
{
public:
    /// `folder` belongs to the caller and has to outlive this.
    explicit UnnamedFile(int folder) : m_folder(folder) {}
    ~UnnamedFile();
    UnnamedFile(const UnnamedFile &) = delete;
    UnnamedFile &operator=(const UnnamedFile &) = delete;

    /// Creates the file with what the umask, or the folder's default access list, leaves of `mode`.
    int create(mode_t mode);

    /// Writes all of the content.
    int write(QByteArrayView content);

    /// Brings content and attributes to the disk.
    int sync();

    int descriptor() const { return m_file.number(); }

    /// Gives the file its name; a file of that name is an error (EEXIST).
    int publish(const QByteArray &name);

    /// Puts the file in the place of the one called `name`, which has to be the one that `expected` describes, unchanged
    /// (else ESTALE, and that file keeps its place).
    int publishOver(const QByteArray &name, const struct stat &expected);

private:
    int link();

    int m_folder = -1;
    sandbox::Descriptor m_file;
    QByteArray m_hiddenName; ///< Empty as long as there is no name.
};

} // namespace spettro
