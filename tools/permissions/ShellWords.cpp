// Words of the shell: quotes, escapes and expansions.

#include "tools/permissions/ShellParser.h"

namespace spettro {

namespace {

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

bool isNameStart(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

int hexValue(char byte)
{
    const char lower = static_cast<char>(byte | 0x20);
    if (isDigit(byte))
        return byte - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

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

/// Everything that begins with a dollar sign.
bool ShellParser::readDollar(Word &word, Quoting quoting)
{
    const qsizetype begin = m_pos;
    ++m_pos;
    const char next = peek();
    if (quoting == Quoting::None && next == '\'') {
        ++m_pos;
        return readAnsiQuoted(word);
    }
    if (quoting == Quoting::None && next == '"') {
        // Translated by the locale's messages: only the shell knows the text.
        word.isLiteral = false;
        return readDoubleQuoted(word);
    }
    // An old form of arithmetic, text in other shells; a joined line, which may hide `$(`.
    if (next == '[' || (next == '\\' && peek(1) == '\n'))
        return false;
    bool isCertain = true;
    if (next == '(' && peek(1) == '(') {
        m_pos += 2;
        bool namesVariables = false;
        isCertain = readArithmetic(namesVariables);
        if (isCertain && namesVariables)
            addArithmetic(begin, true);
    } else if (next == '(') {
        isCertain = readSubstitution();
    } else if (next == '{') {
        isCertain = readParameter(quoting);
    } else if (const qsizetype length = nameLength(m_text.sliced(m_pos, m_end - m_pos)); length > 0) {
        m_pos += length;
    } else if (next != '\0' && (isDigit(next) || QByteArrayView("@*#?$!-").contains(next))) {
        ++m_pos;
    } else {
        word.text += '$';
        return true;
    }
    if (!isCertain)
        return false;
    keepSource(word, begin);
    return true;
}

/// `${..}`, at the opening brace.
bool ShellParser::readParameter(Quoting quoting)
{
    ++m_depth;
    const qsizetype begin = m_pos;
    ++m_pos;
    // `${ list; }` runs commands in newer shells.
    if (m_depth > MaximumShellNesting || isAtEnd()
        || !(isNameStart(peek()) || isDigit(peek()) || QByteArrayView("@*#?$!-").contains(peek())))
        return false;
    const qsizetype name = nameLength(m_text.sliced(m_pos, m_end - m_pos));
    const QByteArrayView behind = m_text.sliced(m_pos + name, m_end - m_pos - name);
    if (name > 0 && (behind.startsWith(":=") || behind.startsWith('=')))
        addAssignment(m_text.sliced(m_pos, name).toByteArray(), begin);
    Word ignored;
    while (!isAtEnd() && peek() != '}') {
        bool isCertain = true;
        switch (peek()) {
        case '\\':
            isCertain = readEscape(ignored);
            break;
        case '\'':
            // Inside double quotes a quote here or only a byte, depending on the operator and the shell.
            isCertain = quoting == Quoting::None && readSingleQuoted(ignored);
            break;
        case '"':
            isCertain = readDoubleQuoted(ignored);
            break;
        case '$':
            isCertain = readDollar(ignored, quoting);
            break;
        case '`':
            isCertain = readBackquotes(quoting);
            break;
        case '<':
        case '>':
            // Process substitution happens here as well.
            isCertain = peek(1) != '(';
            ++m_pos;
            break;
        case '{':
            // Shells disagree on whether such braces must match.
            isCertain = false;
            break;
        default:
            ++m_pos;
        }
        if (!isCertain)
            return false;
    }
    // `${x@P}` runs the substitutions that a value contains.
    if (isAtEnd() || m_text.sliced(begin, m_pos - begin).endsWith("@P"))
        return false;
    ++m_pos;
    --m_depth;
    return true;
}

/// `( list )` of a command or process substitution, at the parenthesis.
bool ShellParser::readSubstitution()
{
    ++m_depth;
    ++m_pos;
    if (m_depth > MaximumShellNesting)
        return false;
    const QList<HereDocument> outer = m_hereDocuments;
    m_hereDocuments.clear();
    // A here-document that is announced outside begins at a newline inside in some shells only.
    const qsizetype begin = m_pos;
    if (!parseList() || peek() != ')' || !m_hereDocuments.isEmpty())
        return false;
    if (!outer.isEmpty() && m_text.sliced(begin, m_pos - begin).contains('\n'))
        return false;
    m_hereDocuments = outer;
    ++m_pos;
    --m_depth;
    return true;
}

bool ShellParser::readBackquotes(Quoting quoting)
{
    const qsizetype begin = m_pos;
    ++m_pos;
    QByteArray inner;
    while (!isAtEnd() && peek() != '`') {
        const bool isEscape = peek() == '\\' && m_pos + 1 < m_end;
        if (isEscape && peek(1) == '"' && quoting == Quoting::HereDocument)
            return false;
        const bool isRemoved =
            isEscape
            && (QByteArrayView("$`\\").contains(peek(1)) || (quoting == Quoting::Double && peek(1) == '"'));
        m_pos += isRemoved ? 1 : 0;
        inner += peek();
        ++m_pos;
        if (isEscape && !isRemoved) {
            inner += peek();
            ++m_pos;
        }
    }
    if (isAtEnd() || m_depth >= MaximumShellNesting)
        return false;
    ++m_pos;
    ShellParser parser(inner, m_depth + 1);
    if (!parser.parse())
        return false;
    for (SimpleCommand &command : parser.commands()) {
        command.begin = begin;
        command.end = m_pos;
        m_commands.append(std::move(command));
    }
    return true;
}

/// Behind `((`, up to and with `))`. Only what every shell ends at the same place.
bool ShellParser::readArithmetic(bool &namesVariables)
{
    int parentheses = 0;
    Word ignored;
    char previous = '\0';
    ++m_depth;
    if (m_depth > MaximumShellNesting)
        return false;
    while (!isAtEnd()) {
        const char byte = peek();
        if (byte == ')' && parentheses == 0) {
            if (peek(1) != ')')
                return false;
            m_pos += 2;
            --m_depth;
            return true;
        }
        if (byte == '$' || byte == '`') {
            namesVariables = true;
            if (!(byte == '$' ? readDollar(ignored, Quoting::Double) : readBackquotes(Quoting::Double)))
                return false;
            previous = '$';
            continue;
        }
        if (QByteArrayView("'\"\\{}").contains(byte) || (byte == '#' && !isDigit(previous)))
            return false;
        namesVariables = namesVariables || isNameStart(byte);
        parentheses += byte == '(' ? 1 : byte == ')' ? -1 : 0;
        previous = byte;
        ++m_pos;
    }
    return false;
}

void ShellParser::addArithmetic(qsizetype begin, bool isLiteral)
{
    SimpleCommand command;
    command.words.append(Word{"((", isLiteral});
    command.words.append(Word{m_text.sliced(begin, m_pos - begin).toByteArray(), false});
    command.begin = begin;
    command.end = m_pos;
    m_commands.append(command);
}

void ShellParser::addAssignment(const QByteArray &name, qsizetype begin)
{
    SimpleCommand command;
    command.assignments.append({name, Word{{}, false}});
    command.begin = begin;
    command.end = m_pos;
    m_commands.append(command);
}

} // namespace spettro
