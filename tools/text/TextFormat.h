#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <optional>

namespace spettro {

/// How the bytes of a file make a text.
struct TextFormat
{
    enum class Encoding {
        Utf8, ///< ASCII included.
        Utf16Le,
        Utf16Be,
        EightBit, ///< Text in some other encoding (Latin-1, GBK): only its ASCII characters are understood.
        Binary,   ///< Not a text.
    };
    /// What ends the lines. A lone CR counts as an ending only in a file that has no LF at all.
    enum class LineEnding { None, Lf, CrLf, Cr, Mixed };

    Encoding encoding = Encoding::Utf8;
    bool hasByteOrderMark = false;
    LineEnding lineEnding = LineEnding::None;

    bool operator==(const TextFormat &) const = default;
};

/// Looks at the whole content; README.md states the rules. Linear, some milliseconds for 10 MB.
TextFormat detectTextFormat(QByteArrayView content);

/// The text without its byte order mark, as UTF-8. Content in UTF-8, EightBit and Binary is returned byte for
/// byte (so that only the first is UTF-8 in truth). `format` must be the one that was detected for this
/// content.
QByteArray toUtf8(QByteArrayView content, const TextFormat &format);

/// The reverse of `toUtf8`, byte order mark included: `fromUtf8(toUtf8(c, f), f)` is `c`. Nothing when a text
/// that is to become UTF-16 is not valid UTF-8.
std::optional<QByteArray> fromUtf8(QByteArrayView utf8, const TextFormat &format);

/// "LF", "CRLF", "CR", "mixed" or "none", for people and models.
QString lineEndingName(TextFormat::LineEnding ending);

} // namespace spettro
