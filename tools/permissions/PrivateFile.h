#pragma once

#include <QByteArray>
#include <QString>

#include <optional>
#include <variant>

namespace spettro {

/// Files that only their owner may read, in a folder that only the owner may enter. Errors are texts that name the
/// file and the reason.
class PrivateFile
{
public:
    using Text = std::variant<QByteArray, QString>; ///< The content, or the error.

    explicit PrivateFile(QByteArray path) : m_path(std::move(path)) {}

    /// The content, at most `limit` bytes; null when there is no file. An error when it is a link, no regular
    /// file, longer, of another user, or writable by others.
    Text read(qsizetype limit) const;

    /// Replaces the content in one step; on the disk when this returns. The file has mode 0600 from its first byte.
    /// The error, if any.
    std::optional<QString> write(const QByteArray &content) const;

    /// Creates the folder of the file with mode 0700 where it is missing, its parents as well. An error when the
    /// folder is a link, of another user or open to others.
    std::optional<QString> makeFolder() const;

private:
    QByteArray m_path;
};

/// Excludes other processes (and other objects of this one) while it lives, by a lock file beside the file.
class PrivateFileLock
{
public:
    /// Waits until the lock is free. Nothing is locked when there is an `error`.
    explicit PrivateFileLock(const QByteArray &path);
    ~PrivateFileLock();
    PrivateFileLock(const PrivateFileLock &) = delete;
    PrivateFileLock &operator=(const PrivateFileLock &) = delete;

    const std::optional<QString> &error() const { return m_error; }

private:
    int m_file = -1;
    std::optional<QString> m_error;
};

} // namespace spettro
