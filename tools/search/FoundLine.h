#pragma once

#include <QByteArray>

namespace spettro {

/// A matching line of a file, as LineSearch and ripgrep find it.
struct FoundLine
{
    QByteArray path;          ///< From the folder that was searched, components separated by `/`.
    qsizetype lineNumber = 0; ///< From 1.
    qsizetype column = 0;     ///< Of the first match, from 1, in bytes.
    qsizetype length = 0;     ///< Of the first match, in bytes.
    QByteArray line;          ///< Without its line end.

    bool operator==(const FoundLine &) const = default;
};

} // namespace spettro
