// What begins with a backslash, outside of classes.

#include "tools/search/RegexTranslator.h"

#include "tools/search/RegexClasses.h"

namespace spettro {

namespace {

QString shorthand(char16_t letter, TextKind kind)
{
    RegexClass set(kind);
    set.addShorthand(letter);
    return set.expression(false);
}

} // namespace

void RegexTranslator::escape()
{
    if (m_reader.isAtEnd()) {
        m_reader.fail("the pattern ends with a single \\");
        return;
    }
    const QChar letter = m_reader.peek();
    switch (letter.unicode()) {
    case u'd':
    case u'D':
    case u'w':
    case u'W':
    case u's':
    case u'S':
        m_reader.skip();
        write(shorthand(letter.unicode(), m_reader.kind()));
        return;
    case u'p':
    case u'P':
        m_reader.skip();
        write(m_reader.takeProperty(letter == 'P'));
        return;
    case u'b':
    case u'B':
        m_reader.skip();
        write(wordBorder(letter == 'B', m_reader.kind()));
        return;
    case u'<':
    case u'>':
        m_reader.notRust(); // newer versions take it as grep does, older ones do not
        m_reader.skip();
        write(letter == '<' ? wordStart(m_reader.kind()) : wordEnd(m_reader.kind()));
        return;
    default:
        break;
    }
    if (const std::optional<char32_t> character = m_reader.takeEscapedCharacter()) {
        writeLiteral(*character);
    } else {
        m_reader.skip();
        foreignEscape(letter);
    }
}

void RegexTranslator::foreignEscape(QChar letter)
{
    m_reader.notRust();
    switch (letter.unicode()) {
    case u'Q':
        quoted();
        return;
    case u'E':
        return;
    case u'C':
        m_reader.fail("\\C is not supported");
        return;
    case u'A':
    case u'z':
    case u'Z':
    case u'G':
    case u'R':
    case u'X':
    case u'H':
    case u'V':
        m_reader.result().needsWholeText = true;
        break;
    default:
        break;
    }
    write('\\' + QString(letter));
    if (letter == 'c' && !m_reader.isAtEnd()) {
        write(m_reader.take(1));
    } else if (QStringView(u"gkoN").contains(letter) && QStringView(u"{<'").contains(m_reader.peek())) {
        const QChar closing = m_reader.peek() == '{' ? '}' : m_reader.peek() == '<' ? '>' : '\'';
        write(m_reader.take(1));
        write(m_reader.takeThrough(closing));
    }
}

void RegexTranslator::quoted()
{
    while (!m_reader.isAtEnd() && !m_reader.isAhead(u"\\E")) {
        writeLiteral(m_reader.takeCodePoint());
    }
    m_reader.take(2);
}

} // namespace spettro
