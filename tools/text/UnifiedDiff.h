#pragma once

#include <QByteArray>
#include <QByteArrayView>

#include <limits>

namespace spettro {

/// What leads from `before` to `after`, as `diff -u` and `patch` write and read it, with three lines of
/// context and the names a/path and b/path (in C quotes where the path has control characters, quotes or
/// backslashes). Empty when they are equal. The lines are the bytes of the files, not made safe for a
/// terminal.
///
/// Lines that do not fit into `limit` bytes are left out: from the first of them on, a last line `... N more
/// lines` (which itself is not counted) stands for the rest.
QByteArray unifiedDiff(QByteArrayView before, QByteArrayView after, QByteArrayView path,
                       qsizetype limit = std::numeric_limits<qsizetype>::max());

} // namespace spettro
