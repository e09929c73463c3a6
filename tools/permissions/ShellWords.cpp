// Words of the shell: quotes and escapes.

#include "tools/permissions/ShellParser.h"

namespace spettro {

namespace {

int hexValue(char byte)
{
    const char lower = static_cast<char>(byte | 0x20);
    if (isDigit(byte))
        return byte - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

bool isNameStart(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

bool isShellMeta(char byte)
{
    return QByteArrayView(" \t\n|&;()<>").contains(byte);
}

qsizetype nameLength(QByteArrayView text)
{
    if (text.isEmpty() || !isNameStart(text[0]))
        return 0;
    qsizetype length = 1;
    while (length < text.size() && (isNameStart(text[length]) || isDigit(text[length])))
        ++length;
    return length;
}

void ShellParser::keepSource(Word &word, qsizetype begin) const
{
    word.text += m_text.sliced(begin, m_pos - begin);
    word.isLiteral = false;
}

void ShellParser::skipBlanks()
{
    while (!isAtEnd()) {
        if (peek() == ' ' || peek() == '\t') {
            ++m_pos;
        } else if (peek() == '\\' && peek(1) == '\n') {
            m_pos += 2;
        } else {
            break;
        }
    }
    if (peek() == '#') {
        while (!isAtEnd() && peek() != '\n')
            ++m_pos;
    }
}

/// Reads up to the next byte that ends a word. False when there is no word.
bool ShellParser::readWord(Word &word)
{
    const qsizetype begin = m_pos;
    bool isInBraces = false;
    while (!isAtEnd()) {
        const char byte = peek();
        const bool isProcess = (byte == '<' || byte == '>') && peek(1) == '(';
        if (isShellMeta(byte) && !isProcess)
            break;
        // A brace expansion needs a comma or dots; `{}` and `@{u}` stay as they are.
        if (byte == '{')
            isInBraces = true;
        if (isInBraces && (byte == ',' || (byte == '.' && peek(1) == '.')))
            word.isLiteral = false;
        if (!readWordPart(word, m_pos == begin))
            return false;
    }
    return m_pos > begin;
}

bool ShellParser::readWordPart(Word &word, bool isAtStart)
{
    const char byte = peek();
    const qsizetype begin = m_pos;
    switch (byte) {
    case '\\':
        return readEscape(word);
    case '\'':
        return readSingleQuoted(word);
    case '"':
        return readDoubleQuoted(word);
    case '$':
        return readDollar(word, Quoting::None);
    case '`':
        if (!readBackquotes(Quoting::None))
            return false;
        keepSource(word, begin);
        return true;
    case '<':
    case '>':
        ++m_pos;
        if (!readSubstitution())
            return false;
        keepSource(word, begin);
        return true;
    case '*':
    case '?':
        word.isLiteral = false;
        break;
    case '[':
        // Alone it is the program of that name.
        if (!isAtStart || (m_pos + 1 < m_end && !isShellMeta(peek(1))))
            word.isLiteral = false;
        break;
    case '~':
        // At the start of a word, and behind = and : where an assignment may be meant.
        if (isAtStart || word.text.endsWith('=') || word.text.endsWith(':'))
            word.isLiteral = false;
        break;
    case '=':
        // zsh replaces =name by the path of that program.
        if (isAtStart && isNameStart(peek(1)))
            word.isLiteral = false;
        break;
    default:
        break;
    }
    word.text += byte;
    ++m_pos;
    return true;
}

bool ShellParser::readEscape(Word &word)
{
    if (m_pos + 1 >= m_end)
        return false;
    if (peek(1) != '\n')
        word.text += peek(1);
    m_pos += 2;
    return true;
}

bool ShellParser::readSingleQuoted(Word &word)
{
    ++m_pos;
    const qsizetype begin = m_pos;
    while (!isAtEnd() && peek() != '\'')
        ++m_pos;
    if (isAtEnd())
        return false;
    word.text += m_text.sliced(begin, m_pos - begin);
    ++m_pos;
    return true;
}

/// `$'..'`, at the first byte behind the quote. Not certain: `\'`, which ends the quotes in shells that do not know
/// them; `\u` and `\c`, which depend on the locale or the shell; NUL, which cuts the text.
bool ShellParser::readAnsiQuoted(Word &word)
{
    static constexpr QByteArrayView names("abeEfnrtv\\\"?");
    static constexpr QByteArrayView values("\a\b\x1B\x1B\f\n\r\t\v\\\"?");
    while (!isAtEnd() && peek() != '\'') {
        const char byte = peek();
        ++m_pos;
        if (byte != '\\') {
            word.text += byte;
            continue;
        }
        const char escape = peek();
        if (const qsizetype index = names.indexOf(escape); index >= 0 && escape != '\0') {
            ++m_pos;
            word.text += values[index];
            continue;
        }
        const bool isHex = escape == 'x';
        m_pos += isHex ? 1 : 0;
        const int base = isHex ? 16 : 8;
        int value = 0;
        int digits = 0;
        for (; digits < (isHex ? 2 : 3); ++digits, ++m_pos) {
            const int digit = hexValue(peek());
            if (digit < 0 || digit >= base)
                break;
            value = value * base + digit;
        }
        if (digits == 0 || (value & 0xFF) == 0)
            return false;
        word.text += static_cast<char>(value & 0xFF);
    }
    if (isAtEnd())
        return false;
    ++m_pos;
    return true;
}

bool ShellParser::readDoubleQuoted(Word &word)
{
    ++m_pos;
    while (!isAtEnd() && peek() != '"') {
        const qsizetype begin = m_pos;
        if (peek() == '\\') {
            if (m_pos + 1 >= m_end)
                return false;
            if (!QByteArrayView("$`\"\\\n").contains(peek(1)))
                word.text += '\\';
            if (peek(1) != '\n')
                word.text += peek(1);
            m_pos += 2;
        } else if (peek() == '$') {
            if (!readDollar(word, Quoting::Double))
                return false;
        } else if (peek() == '`') {
            if (!readBackquotes(Quoting::Double))
                return false;
            keepSource(word, begin);
        } else {
            word.text += peek();
            ++m_pos;
        }
    }
    if (isAtEnd())
        return false;
    ++m_pos;
    return true;
}

/// The body of a here-document whose delimiter is not quoted, up to `m_end`.
bool ShellParser::readExpandedText(Word &word)
{
    while (!isAtEnd()) {
        if (peek() == '\\') {
            m_pos += 2;
        } else if (peek() == '$') {
            if (!readDollar(word, Quoting::HereDocument))
                return false;
        } else if (peek() == '`') {
            if (!readBackquotes(Quoting::HereDocument))
                return false;
        } else {
            ++m_pos;
        }
    }
    return true;
}

} // namespace spettro
