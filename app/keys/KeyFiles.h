#pragma once

#include "sandbox/policy/Result.h"

#include <QByteArray>

#include <optional>

namespace spettro {

/// Keys in files that only the operator can read: `keys/NAME` in the state folder, mode 0600 from its first moment on. A file or folder
/// that is a link, belongs to somebody else or is open to others is an error that names it, never the key.
class KeyFiles
{
public:
    /// `stateFolder`: `~/.spettro`. Reading makes nothing.
    explicit KeyFiles(QByteArray stateFolder);

    /// The key, or nothing where none is kept.
    sandbox::Result<std::optional<QByteArray>> read(const QByteArray &name) const;

    /// Keeps a key, whole or not at all, also where the machine stops.
    sandbox::Result<bool> write(const QByteArray &name, const QByteArray &key) const;

    /// Whether there was one to remove.
    sandbox::Result<bool> remove(const QByteArray &name) const;

    QByteArray pathOf(const QByteArray &name) const { return m_stateFolder + "/keys/" + name; }

private:
    QByteArray m_stateFolder;
};

} // namespace spettro
