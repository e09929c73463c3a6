// What the shell replaces in words: parameters, substitutions and arithmetic.

#include "tools/permissions/ShellParser.h"

namespace spettro {

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
