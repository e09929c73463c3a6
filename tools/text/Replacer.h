#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace spettro {

/// `inserted` with the line endings of the text that it replaces: its first ending becomes the first one of
/// `replaced` and so on, further ones the last one of `replaced`. Where that has none they become
/// `otherwise`; where that is empty too they stay. Endings are LF and CRLF, and CR where `lineEnd` is '\r'.
QByteArray withEndingsOf(const QByteArray &inserted, QByteArrayView replaced, QByteArrayView otherwise,
                         char lineEnd);

/// `inserted`, moved by the indentation by which the lines of `replaced` differ from those of `wanted` (the
/// same lines, as somebody wrote them down, with LF), if one text is the difference in all of them that are
/// not blank and the lines of `inserted` can be moved by it; otherwise as it is. `lineEnd` is that of
/// `replaced`.
QByteArray reindented(const QByteArray &inserted, QByteArrayView wanted, QByteArrayView replaced,
                      char lineEnd);

} // namespace spettro
