#include "tools/text/TextFormat.h"

#include "tools/text/LineEndings.h"
#include "tools/text/Utf16.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace spettro {

namespace {

using Encoding = TextFormat::Encoding;

constexpr QByteArrayView Utf8Mark("\xEF\xBB\xBF", 3);
constexpr QByteArrayView Utf16LeMark("\xFF\xFE", 2);
constexpr QByteArrayView Utf16BeMark("\xFE\xFF", 2);

// The beginning of a file decides about its kind in these bytes.
constexpr qsizetype HeadSize = 8000;
// More control bytes than one of these are no text; a few are always allowed where the rest is valid UTF-8.
constexpr qsizetype BytesPerControl = 32;
constexpr qsizetype AllowedControls = 2;
constexpr qsizetype BytesPerControlInEightBit = 100;

// Formats that may be short of NUL bytes. They count only where the bytes are not plain UTF-8 anyway.
constexpr std::array<std::string_view, 13> Signatures{
    std::string_view("\x7F"
                     "ELF"),
    "\x89PNG",
    "\xFF\xD8\xFF",
    "GIF87a",
    "GIF89a",
    "%PDF-",
    "PK\x03\x04",
    "PK\x05\x06",
    "\x1F\x8B",
    "\xCA\xFE\xBA\xBE",
    "BZh",
    "\xFD"
    "7zXZ",
    "SQLite format 3",
};

bool hasSignature(QByteArrayView content)
{
    const std::string_view bytes(content.data(), static_cast<std::size_t>(content.size()));
    return std::any_of(Signatures.begin(), Signatures.end(),
                       [bytes](std::string_view signature) { return bytes.starts_with(signature); });
}

bool isCrowded(const ByteCounts &counts, qsizetype size)
{
    return counts.control > AllowedControls + size / BytesPerControl;
}

bool isTextDespiteControls(QByteArrayView content, const ByteCounts &counts)
{
    const QByteArrayView head = content.first(std::min(content.size(), HeadSize));
    return !hasSignature(content) && !isCrowded(counts, content.size())
           && !isCrowded(countBytes(head), head.size());
}

/// What bytes without UTF-16 in them are.
Encoding encodingOf(QByteArrayView content, const ByteCounts &counts)
{
    if (content.isValidUtf8()) {
        return counts.control == 0 || isTextDespiteControls(content, counts) ? Encoding::Utf8
                                                                             : Encoding::Binary;
    }
    const bool isText = counts.nul == 0 && counts.control * BytesPerControlInEightBit <= content.size()
                        && !hasSignature(content);
    return isText ? Encoding::EightBit : Encoding::Binary;
}

TextFormat utf16Format(QByteArrayView text, ByteOrder order, bool hasByteOrderMark)
{
    const std::optional<QString> units = decodeUtf16(text, order);
    // A NUL character is no text, and FF FE 00 00 begins UTF-32.
    if (!units || units->contains(QChar(u'\0'))) {
        return {Encoding::Binary, false, TextFormat::LineEnding::None};
    }
    const Encoding encoding = order == ByteOrder::Little ? Encoding::Utf16Le : Encoding::Utf16Be;
    return {encoding, hasByteOrderMark, lineEndingOf(countBytes(units->toUtf8()))};
}

ByteOrder byteOrderOf(Encoding encoding)
{
    return encoding == Encoding::Utf16Le ? ByteOrder::Little : ByteOrder::Big;
}

QByteArrayView markOf(const TextFormat &format)
{
    if (!format.hasByteOrderMark) {
        return {};
    }
    switch (format.encoding) {
    case Encoding::Utf16Le:
        return Utf16LeMark;
    case Encoding::Utf16Be:
        return Utf16BeMark;
    case Encoding::Utf8:
    case Encoding::EightBit:
    case Encoding::Binary:
        break;
    }
    return Utf8Mark;
}

bool isUtf16(const TextFormat &format)
{
    return format.encoding == Encoding::Utf16Le || format.encoding == Encoding::Utf16Be;
}

} // namespace

TextFormat detectTextFormat(QByteArrayView content)
{
    if (content.startsWith(Utf16LeMark)) {
        return utf16Format(content.sliced(2), ByteOrder::Little, true);
    }
    if (content.startsWith(Utf16BeMark)) {
        return utf16Format(content.sliced(2), ByteOrder::Big, true);
    }
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        if (looksLikeUtf16(content, order)) {
            return utf16Format(content, order, false);
        }
    }
    const bool hasMark = content.startsWith(Utf8Mark);
    const QByteArrayView text = hasMark ? content.sliced(Utf8Mark.size()) : content;
    const ByteCounts counts = countBytes(text);
    const Encoding encoding = encodingOf(text, counts);
    if (encoding == Encoding::Binary) {
        return {encoding, false, TextFormat::LineEnding::None};
    }
    return {encoding, hasMark, lineEndingOf(counts)};
}

QByteArray toUtf8(QByteArrayView content, const TextFormat &format)
{
    const QByteArrayView text = content.sliced(markOf(format).size());
    if (!isUtf16(format)) {
        return text.toByteArray();
    }
    return decodeUtf16(text, byteOrderOf(format.encoding)).value_or(QString()).toUtf8();
}

std::optional<QByteArray> fromUtf8(QByteArrayView utf8, const TextFormat &format)
{
    QByteArray content = markOf(format).toByteArray();
    if (!isUtf16(format)) {
        return content.append(utf8);
    }
    const std::optional<QString> units = decodeUtf8Strictly(utf8);
    if (!units) {
        return std::nullopt;
    }
    return content.append(encodeUtf16(*units, byteOrderOf(format.encoding)));
}

QString lineEndingName(TextFormat::LineEnding ending)
{
    switch (ending) {
    case TextFormat::LineEnding::Lf:
        return QStringLiteral("LF");
    case TextFormat::LineEnding::CrLf:
        return QStringLiteral("CRLF");
    case TextFormat::LineEnding::Cr:
        return QStringLiteral("CR");
    case TextFormat::LineEnding::Mixed:
        return QStringLiteral("mixed");
    case TextFormat::LineEnding::None:
        break;
    }
    return QStringLiteral("none");
}

} // namespace spettro
