#include "tools/search/LineSearch.h"

#include "tools/search/LineSearchRun.h"
#include "tools/search/RegexTranslation.h"

#include <QStringDecoder>

namespace spettro {

namespace {

/// PCRE2 counts steps from every place where a match could begin and gives up at so many: a few milliseconds.
constexpr const char *Preamble = "(*LF)(*LIMIT_MATCH=500000)";

QString compiled(QRegularExpression &expression, const QString &pattern, LetterCase letterCase)
{
    QRegularExpression::PatternOptions options = QRegularExpression::MultilineOption;
    if (letterCase == LetterCase::Ignore) {
        options |= QRegularExpression::CaseInsensitiveOption;
    }
    expression = QRegularExpression(QString(Preamble) + pattern, options);
    if (!expression.isValid()) {
        return "the pattern is no regular expression: " + expression.errorString();
    }
    expression.optimize();
    return {};
}

/// UTF-8 of a content that begins with the byte order mark of UTF-16; nothing for every other.
std::optional<QByteArray> fromUtf16(QByteArrayView content)
{
    const bool isLittle = content.startsWith("\xFF\xFE");
    if (!isLittle && !content.startsWith("\xFE\xFF")) {
        return {};
    }
    QStringDecoder decoder(isLittle ? QStringDecoder::Utf16LE : QStringDecoder::Utf16BE,
                           QStringDecoder::Flag::ConvertInitialBom);
    const QString text = decoder.decode(content.sliced(2));
    QByteArray bytes = text.toUtf8();
    if (content.size() % 2 != 0) {
        bytes += "\xEF\xBF\xBD"; // half a unit is left
    }
    return bytes;
}

} // namespace

std::variant<LineSearch, QString> LineSearch::create(const QByteArray &pattern, PatternSyntax syntax,
                                                     LetterCase letterCase)
{
    if (pattern.size() > MaximumPattern) {
        return QString("the pattern is longer than %1 bytes").arg(MaximumPattern);
    }
    if (pattern.contains('\0')) {
        return QString("the pattern contains a NUL byte");
    }
    LineSearch search;
    const bool isUtf8 = QByteArrayView(pattern).isValidUtf8();
    if (syntax == PatternSyntax::FixedString && letterCase == LetterCase::Distinguish && !pattern.isEmpty()) {
        search.m_literal = pattern;
        search.m_needsOwnEngine = !isUtf8 || pattern.contains('\n') || pattern.contains('\r');
    } else if (!isUtf8) {
        return QString("the pattern is not UTF-8");
    } else if (const QString error = search.addRegex(pattern, syntax, letterCase); !error.isEmpty()) {
        return error;
    }
    search.m_matcher = QByteArrayMatcher(search.m_literal);
    return search;
}

QString LineSearch::addRegex(const QByteArray &pattern, PatternSyntax syntax, LetterCase letterCase)
{
    const QString text = syntax == PatternSyntax::FixedString
                             ? QRegularExpression::escape(QString::fromUtf8(pattern))
                             : QString::fromUtf8(pattern);
    const auto forAscii = translateRegex(text, TextKind::Ascii);
    const auto forUnicode = translateRegex(text, TextKind::Unicode);
    if (const QString *error = std::get_if<QString>(&forUnicode)) {
        return *error;
    }
    const RegexTranslation &translation = std::get<RegexTranslation>(forUnicode);
    // Ripgrep lets \p{Lu} take lower case when case is ignored, PCRE2 does not.
    const bool isCaseUnclear = translation.hasCaseProperty && letterCase == LetterCase::Ignore;
    m_needsOwnEngine = !translation.isKnownToRust || isCaseUnclear;
    if (syntax == PatternSyntax::FixedString) {
        // The escapes are not part of what the caller would give to ripgrep.
        m_needsOwnEngine = pattern.contains('\n') || pattern.contains('\r');
    }
    m_needsWholeText = translation.needsWholeText;
    if (translation.literal && letterCase == LetterCase::Distinguish) {
        m_literal = translation.literal->toUtf8();
    }
    QString error = compiled(m_forUnicode, translation.pattern, letterCase);
    if (error.isEmpty()) {
        error = compiled(m_forAscii, std::get<RegexTranslation>(forAscii).pattern, letterCase);
    }
    if (error.isEmpty() && translation.hasLineEnd && m_forAscii.match(QString()).hasMatch()) {
        m_needsOwnEngine = true; // ripgrep 13 crashes where `$` with --crlf is an empty match
    }
    return error;
}

SearchReport LineSearch::search(QByteArrayView content, const Callback &callback,
                                const std::function<bool()> &isCancelled) const
{
    const std::optional<QByteArray> decoded = fromUtf16(content);
    if (decoded) {
        content = *decoded;
    } else if (content.startsWith("\xEF\xBB\xBF")) {
        content = content.sliced(3);
    }
    return Run(*this, content, callback, isCancelled).run();
}

} // namespace spettro
