// The conditions of the shell between `[[` and `]]`.

#include "tools/permissions/ShellParser.h"

#include <QList>

namespace spettro {

namespace {

const QList<QByteArrayView> &binaryTests()
{
    static const QList<QByteArrayView> tests{"=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
                                             "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    return tests;
}

} // namespace

bool ShellParser::atConditionEnd() const
{
    return isAtEnd() || peek() == ')' || startsWith("&&") || startsWith("||") || peekKeyword() == "]]";
}

/// Behind `[[`. Only operands of the known forms: shells without the keyword would run what stands behind `||`.
bool ShellParser::parseCondition()
{
    SimpleCommand command;
    command.begin = m_pos - 2;
    command.words.append(Word{"[["});
    int parentheses = 0;
    for (;;) {
        if (!skipNewlines())
            return false;
        if (expect("!")) {
            command.words.append(Word{"!"});
            continue;
        }
        if (peek() == '(') {
            ++m_pos;
            ++parentheses;
            command.words.append(Word{"("});
            continue;
        }
        if (atConditionEnd() || !parseConditionOperand(command) || !skipNewlines())
            return false;
        while (peek() == ')' && parentheses > 0) {
            ++m_pos;
            --parentheses;
            command.words.append(Word{")"});
            if (!skipNewlines())
                return false;
        }
        if (startsWith("&&") || startsWith("||")) {
            command.words.append(Word{m_text.sliced(m_pos, 2).toByteArray()});
            m_pos += 2;
            continue;
        }
        if (parentheses > 0 || !expect("]]"))
            return false;
        command.words.append(Word{"]]"});
        command.end = m_pos;
        m_commands.append(command);
        return true;
    }
}

bool ShellParser::parseConditionOperand(SimpleCommand &command)
{
    Word word;
    if (!readWord(word))
        return false;
    command.words.append(word);
    skipBlanks();
    if (atConditionEnd())
        return true;
    if (peek() == '<' || peek() == '>') {
        command.words.append(Word{QByteArray(1, peek())});
        ++m_pos;
    } else if (binaryTests().contains(peekKeyword())) {
        command.words.append(Word{peekKeyword().toByteArray()});
        m_pos += peekKeyword().size();
    } else if (word.text.size() != 2 || word.text[0] != '-') {
        return false;
    }
    skipBlanks();
    Word operand;
    if (!readWord(operand))
        return false;
    command.words.append(operand);
    return true;
}

} // namespace spettro
