#include "tools/search/RegexReader.h"

#include "tools/search/RegexClasses.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr QStringView Meta = u"\\.+*?()|[]{}^$#&-~";

} // namespace

void RegexReader::fail(const QString &message)
{
    if (m_error.isEmpty()) {
        m_error = message;
    }
}

QChar RegexReader::peek(qsizetype distance) const
{
    const qsizetype position = m_position + distance;
    return position < m_in.size() ? m_in[position] : QChar();
}

QString RegexReader::take(qsizetype count)
{
    QString taken = m_in.sliced(m_position, std::min(count, m_in.size() - m_position)).toString();
    m_position += taken.size();
    return taken;
}

QString RegexReader::takeThrough(QChar closing)
{
    const qsizetype found = m_in.indexOf(closing, m_position);
    const qsizetype end = found < 0 ? m_in.size() : found + 1;
    return take(end - m_position);
}

char32_t RegexReader::takeCodePoint()
{
    const QChar first = m_in[m_position++];
    if (first.isHighSurrogate() && peek().isLowSurrogate()) {
        return QChar::surrogateToUcs4(first, m_in[m_position++]);
    }
    return first.unicode();
}

void RegexReader::goBack(qsizetype position)
{
    m_position = position;
    m_error.clear();
}

/// The code point behind `\x`, `\u` or `\U`.
char32_t RegexReader::takeHexadecimal(QChar letter)
{
    QString digits;
    if (peek() == '{') {
        const QString braced = takeThrough('}');
        if (!braced.endsWith('}')) {
            fail(QString("\\%1{ has no closing }").arg(letter));
            return 0;
        }
        digits = braced.sliced(1, braced.size() - 2);
    } else {
        const qsizetype count = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
        digits = take(count);
        if (digits.size() < count) {
            digits.clear();
        }
    }
    bool isNumber = false;
    const char32_t value = digits.toUInt(&isNumber, 16);
    if (!isNumber || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        fail(QString("\\%1 needs the number of a character in hexadecimal").arg(letter));
        return 0;
    }
    return value;
}

std::optional<char32_t> RegexReader::takeEscapedCharacter()
{
    const QChar letter = peek();
    switch (letter.unicode()) {
    case u'n':
        skip();
        return U'\n';
    case u'r':
        skip();
        return U'\r';
    case u't':
        skip();
        return U'\t';
    case u'f':
        skip();
        return U'\f';
    case u'v':
        skip();
        return U'\v';
    case u'a':
        skip();
        return U'\a';
    case u'x':
    case u'u':
    case u'U':
        skip();
        return takeHexadecimal(letter);
    default:
        break;
    }
    if (letter.unicode() < 0x80 && letter.isLetterOrNumber()) {
        return {};
    }
    if (!Meta.contains(letter)) {
        notRust(); // newer versions of Rust's regex take it, older ones do not
    }
    return takeCodePoint();
}

QString RegexReader::takeProperty(bool isNegated)
{
    QString name;
    if (peek() == '{') {
        const QString braced = takeThrough('}');
        name = braced.endsWith('}') ? braced.sliced(1, braced.size() - 2) : QString();
    } else {
        name = peek();
        skip();
    }
    if (name.startsWith('^')) {
        isNegated = !isNegated;
        name.remove(0, 1);
    }
    m_result.hasCaseProperty = m_result.hasCaseProperty || isCaseProperty(name);
    const std::optional<QString> expression = propertyExpression(name, isNegated, m_kind);
    if (!expression) {
        fail("\\p needs the name of a property of characters");
    }
    return expression.value_or(QString());
}

} // namespace spettro
