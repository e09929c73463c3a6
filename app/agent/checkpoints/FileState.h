#pragma once

#include "tools/Json.h"

#include <QByteArray>

#include <optional>

#include <sys/stat.h>

namespace spettro {

/// A file at one moment, or that there was none.
struct FileState
{
    bool exists = false;
    QByteArray sha256; ///< Of the content, in hexadecimal.
    qint64 size = 0;   ///< Bytes.
    mode_t mode = 0;   ///< The permission bits.
    std::optional<qint64>
        place; ///< Where the content lies in the ContentStore; nothing where it was not saved.

    /// `status` may be absent: of a content that is only planned.
    static FileState of(const std::optional<QByteArray> &content, const std::optional<struct stat> &status);

    bool hasContentOf(const FileState &other) const
    {
        return exists == other.exists && sha256 == other.sha256;
    }

    bool operator==(const FileState &) const = default;
};

/// `null` for no file.
Json toJson(const FileState &state);

/// Nothing where it is no such JSON.
std::optional<FileState> fileStateOf(const Json &json);

} // namespace spettro
