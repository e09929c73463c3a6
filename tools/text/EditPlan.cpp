#include "tools/text/EditPlan.h"

#include "tools/text/LineEndings.h"
#include "tools/text/TextReplacement.h"

#include <algorithm>

namespace spettro {

namespace {

using Encoding = TextFormat::Encoding;

constexpr QByteArrayView Mark("\xEF\xBB\xBF", 3);

bool isAscii(QByteArrayView text)
{
    return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<quint8>(byte) < 0x80; });
}

/// Whether content of this format is its own text, so that it can be shared instead of converted.
bool isOwnText(const TextFormat &format)
{
    const bool isUtf16 = format.encoding == Encoding::Utf16Le || format.encoding == Encoding::Utf16Be;
    return !isUtf16 && !format.hasByteOrderMark;
}

/// Why this edit cannot be tried at all; empty when it can.
QString judge(const TextEdit &edit, QByteArrayView body, Encoding encoding)
{
    if (encoding == Encoding::EightBit && !(isAscii(edit.oldText) && isAscii(edit.newText))) {
        return QStringLiteral(
            "the file is not UTF-8 and its encoding is not known, so characters outside ASCII can be "
            "neither found nor written; use only ASCII text in the edit");
    }
    if (!QByteArrayView(edit.oldText).isValidUtf8() || !QByteArrayView(edit.newText).isValidUtf8()) {
        return QStringLiteral("the old or the new text is not valid UTF-8");
    }
    if (edit.oldText.isEmpty() && !body.isEmpty()) {
        return QStringLiteral(
            "the old text is empty, which is only allowed in an empty file; name the text to replace");
    }
    if (edit.oldText == edit.newText) {
        return QStringLiteral("the old and the new text are the same");
    }
    if (edit.expectedReplacements && *edit.expectedReplacements < 1) {
        return QStringLiteral("the expected number of replacements must be at least 1");
    }
    return {};
}

/// The mark is not part of the text: neither the old text nor a new one that repeats the mark may name it.
TextEdit withoutMark(TextEdit edit, const TextFormat &format)
{
    const bool isNamed = edit.oldText.startsWith(Mark);
    if (isNamed) {
        edit.oldText.remove(0, Mark.size());
    }
    if ((isNamed || format.hasByteOrderMark) && edit.newText.startsWith(Mark)) {
        edit.newText.remove(0, Mark.size());
    }
    return edit;
}

/// Where places of a text are after replacements in it; those inside a replaced part move to its beginning.
void movePlaces(QList<qsizetype> &places, const QList<Splice> &splices)
{
    qsizetype shift = 0;
    auto splice = splices.begin();
    for (qsizetype &place : places) {
        for (; splice != splices.end() && splice->replaced.end <= place; ++splice) {
            shift += splice->inserted.size() - (splice->replaced.end - splice->replaced.start);
        }
        const bool isInside = splice != splices.end() && splice->replaced.start < place;
        place = (isInside ? splice->replaced.start : place) + shift;
    }
}

void addPlaces(QList<qsizetype> &places, const QList<Splice> &splices)
{
    movePlaces(places, splices);
    qsizetype shift = 0;
    for (const Splice &splice : splices) {
        places.append(splice.replaced.start + shift);
        shift += splice.inserted.size() - (splice.replaced.end - splice.replaced.start);
    }
    std::sort(places.begin(), places.end());
}

QByteArray spliced(QByteArrayView body, const QList<Splice> &splices)
{
    qsizetype size = body.size();
    for (const Splice &splice : splices) {
        size += splice.inserted.size() - (splice.replaced.end - splice.replaced.start);
    }
    QByteArray out;
    out.reserve(size);
    qsizetype copied = 0;
    for (const Splice &splice : splices) {
        out.append(body.sliced(copied, splice.replaced.start - copied));
        out.append(splice.inserted);
        copied = splice.replaced.end;
    }
    return out.append(body.sliced(copied));
}

EditResult failure(const QString &why, qsizetype index, qsizetype count)
{
    if (count == 1) {
        return {std::nullopt, QStringLiteral("Nothing was changed: %1.").arg(why)};
    }
    return {std::nullopt,
            QStringLiteral("Nothing was changed. Edit %1 of %2: %3.").arg(index + 1).arg(count).arg(why)};
}

} // namespace

EditResult applyEdits(const QByteArray &content, const QList<TextEdit> &edits)
{
    const TextFormat format = detectTextFormat(content);
    if (format.encoding == Encoding::Binary) {
        return failure(QStringLiteral("this is a binary file, not text"), 0, 1);
    }
    if (edits.isEmpty()) {
        return failure(QStringLiteral("there are no edits"), 0, 1);
    }
    QByteArray body = isOwnText(format) ? content : toUtf8(content, format);
    const TextLines lines(body);
    EditOutcome outcome;
    QList<qsizetype> places;
    for (qsizetype i = 0; i < edits.size(); ++i) {
        const TextEdit edit = withoutMark(edits.at(i), format);
        if (const QString why = judge(edit, body, format.encoding); !why.isEmpty()) {
            return failure(why, i, edits.size());
        }
        const ReplacementPlan plan = planReplacement(body, edit, lines);
        if (!plan.error.isEmpty()) {
            return failure(plan.error, i, edits.size());
        }
        QByteArray changed = spliced(body, plan.splices);
        if (changed == body) {
            return failure(
                QStringLiteral("the old and the new text differ only in what the file decides (line endings, "
                               "indentation)"),
                i, edits.size());
        }
        addPlaces(places, plan.splices);
        body = std::move(changed);
        outcome.weakestMatch = std::max(outcome.weakestMatch, plan.match);
    }
    std::optional<QByteArray> encoded = isOwnText(format) ? body : fromUtf8(body, format);
    if (!encoded) {
        return failure(QStringLiteral("the result is not valid UTF-8"), 0, 1);
    }
    outcome.content = std::move(*encoded);
    outcome.replacements = static_cast<int>(places.size());
    outcome.lines = lineNumbers(body, places, lines.lineEnd());
    return {std::move(outcome), {}};
}

} // namespace spettro
