// What a pattern consists of; RegexGroups.cpp and RegexEscapes.cpp have the larger parts.

#include "tools/search/RegexTranslator.h"

#include "tools/search/RegexClassReader.h"
#include "tools/search/RegexClasses.h"

namespace spettro {

namespace {

bool isAsciiDigit(QChar character)
{
    return character >= '0' && character <= '9';
}

} // namespace

std::variant<RegexTranslation, QString> RegexTranslator::run()
{
    while (!m_reader.hasFailed() && !m_reader.isAtEnd()) {
        step();
    }
    if (m_reader.hasFailed()) {
        return m_reader.error();
    }
    if (m_reader.result().hasCaseProperty && m_ignoresCase) {
        m_reader.notRust();
    }
    if (m_isLiteral) {
        m_reader.result().literal = m_literal;
    }
    return m_reader.result();
}

/// Writes an expression that can be repeated.
void RegexTranslator::write(const QString &expression)
{
    m_reader.result().pattern += expression;
    m_isLiteral = false;
    m_canRepeat = true;
}

void RegexTranslator::writeLiteral(char32_t value)
{
    const QString text = QString::fromUcs4(&value, 1);
    m_literal += text;
    if (value == U'\n') {
        m_reader.result().needsWholeText = true;
    }
    if (value == U'\n' || value == U'\r' || value == U'\0') {
        m_reader.notRust();
    }
    const bool isPlain = value > 0x7F || QChar(static_cast<char16_t>(value)).isLetterOrNumber();
    m_reader.result().pattern += isPlain ? text : QString("\\x{%1}").arg(value, 0, 16);
    m_canRepeat = true;
}

void RegexTranslator::step()
{
    const QChar character = m_reader.peek();
    if (m_isVerbose && (character == '#' || character.isSpace())) {
        skipVerbose();
        return;
    }
    switch (character.unicode()) {
    case u'\\':
        m_reader.skip();
        escape();
        break;
    case u'[':
        write(RegexClassReader(m_reader).read());
        break;
    case u'.':
        m_reader.skip();
        write(anyCharacter(m_reader.kind()));
        break;
    case u'^':
        m_reader.skip();
        write("^");
        break;
    case u'$':
        m_reader.skip();
        // Ripgrep takes `\r\n` off a line and then lets `$` match before one more `\r`.
        write("(?=\\r?(?:\\r?\\n|\\z))");
        m_reader.result().hasLineEnd = true;
        break;
    case u'(':
        group();
        break;
    case u')':
        m_reader.skip();
        write(")");
        break;
    case u'|':
        m_reader.skip();
        write("|");
        m_canRepeat = false;
        break;
    case u'*':
    case u'+':
    case u'?':
        m_reader.skip();
        quantifier(character);
        break;
    case u'{':
        braces();
        break;
    default:
        writeLiteral(m_reader.takeCodePoint());
    }
}

void RegexTranslator::skipVerbose()
{
    if (m_reader.peek() == '#') {
        m_reader.takeThrough('\n');
    } else {
        m_reader.skip();
    }
}

void RegexTranslator::quantifier(const QString &text)
{
    if (!m_canRepeat) {
        m_reader.fail(QString("nothing stands before %1 that could be repeated").arg(text));
        return;
    }
    write(text);
    if (m_reader.peek() == '?') {
        m_reader.skip();
        write("?");
    }
    if (m_reader.peek() == '+' || m_reader.peek() == '*' || m_reader.peek() == '?') {
        m_reader.notRust(); // possessive, or a repeated repetition
    }
}

void RegexTranslator::braces()
{
    qsizetype length = 1;
    const auto digits = [&] {
        const qsizetype begin = length;
        while (isAsciiDigit(m_reader.peek(length))) {
            ++length;
        }
        return length > begin;
    };
    bool isRepetition = m_canRepeat && digits();
    if (isRepetition && m_reader.peek(length) == ',') {
        ++length;
        digits();
    }
    isRepetition = isRepetition && m_reader.peek(length) == '}';
    if (!isRepetition) {
        m_reader.notRust(); // a literal brace for PCRE2 and for whoever wrote it, an error for Rust
        m_reader.skip();
        writeLiteral(U'{');
        return;
    }
    quantifier(m_reader.take(length + 1));
}

std::variant<RegexTranslation, QString> translateRegex(QStringView pattern, TextKind kind)
{
    return RegexTranslator(pattern, kind).run();
}

} // namespace spettro
