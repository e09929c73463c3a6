// Compound commands of the shell: choices, loops, functions and arithmetic statements.

#include "tools/permissions/ShellParser.h"

namespace spettro {

bool ShellParser::parseIf()
{
    if (!parseList() || !expect("then") || !parseList())
        return false;
    while (expect("elif")) {
        if (!parseList() || !expect("then") || !parseList())
            return false;
    }
    if (expect("else") && !parseList())
        return false;
    return expect("fi");
}

bool ShellParser::parseLoopBody()
{
    skipBlanks();
    m_pos += peek() == ';' ? 1 : 0;
    if (!skipNewlines())
        return false;
    if (expect("{"))
        return parseList() && expect("}");
    return expect("do") && parseList() && expect("done");
}

bool ShellParser::parseFor(bool isSelect)
{
    skipBlanks();
    const qsizetype begin = m_pos;
    if (!isSelect && startsWith("((")) {
        m_pos += 2;
        bool namesVariables = false;
        if (!readArithmetic(namesVariables))
            return false;
        addArithmetic(begin, true);
        return parseLoopBody();
    }
    const qsizetype length = nameLength(m_text.sliced(m_pos, m_end - m_pos));
    if (length == 0)
        return false;
    m_pos += length;
    if (!isAtEnd() && !isShellMeta(peek()))
        return false;
    addAssignment(m_text.sliced(begin, length).toByteArray(), begin);
    if (!skipNewlines())
        return false;
    if (!expect("in"))
        return parseLoopBody();
    for (;;) {
        skipBlanks();
        if (peek() == ';' || peek() == '\n')
            return parseLoopBody();
        Word word;
        if (!readWord(word))
            return false;
    }
}

bool ShellParser::parseCase()
{
    Word word;
    skipBlanks();
    if (!readWord(word) || !skipNewlines() || !expect("in"))
        return false;
    for (;;) {
        if (!skipNewlines())
            return false;
        if (expect("esac"))
            return true;
        m_pos += peek() == '(' ? 1 : 0;
        for (;;) {
            skipBlanks();
            if (!readWord(word))
                return false;
            skipBlanks();
            if (peek() != '|')
                break;
            ++m_pos;
        }
        if (peek() != ')')
            return false;
        ++m_pos;
        if (!parseList())
            return false;
        if (startsWith(";;&")) {
            m_pos += 3;
        } else if (startsWith(";;") || startsWith(";&")) {
            m_pos += 2;
        } else {
            return expect("esac");
        }
    }
}

/// Behind the keyword `function`.
bool ShellParser::parseFunction()
{
    skipBlanks();
    Word name;
    if (!readWord(name) || !name.isLiteral)
        return false;
    skipBlanks();
    if (peek() == '(') {
        ++m_pos;
        skipBlanks();
        if (peek() != ')')
            return false;
        ++m_pos;
    }
    return parseFunctionBody();
}

bool ShellParser::parseFunctionBody()
{
    ++m_depth;
    if (m_depth > MaximumShellNesting || !skipNewlines() || atCommandEnd() || !parseCommand())
        return false;
    --m_depth;
    return true;
}

bool ShellParser::parseArithmeticStatement()
{
    const qsizetype begin = m_pos;
    m_pos += 2;
    bool namesVariables = false;
    if (!readArithmetic(namesVariables))
        return false;
    addArithmetic(begin, false);
    return true;
}

} // namespace spettro
