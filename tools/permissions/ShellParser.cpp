// Lists, pipelines and compound commands of the shell.

#include "tools/permissions/ShellParser.h"

#include <QList>

#include <algorithm>

namespace spettro {

namespace {

using Keywords = QList<QByteArrayView>;

bool contains(const Keywords &keywords, QByteArrayView word)
{
    return !word.isEmpty() && std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

const Keywords &closingKeywords()
{
    static const Keywords keywords{"then", "elif", "else", "fi", "do", "done", "esac", "}"};
    return keywords;
}

const Keywords &compoundKeywords()
{
    static const Keywords keywords{"{",  "if",   "while", "until",  "for", "select",
                                   "[[", "case", "((",    "coproc", "(",   "function"};
    return keywords;
}

const Keywords &binaryTests()
{
    static const Keywords tests{"=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
                                "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    return tests;
}

constexpr qsizetype LongestKeyword = 8;

} // namespace

bool ShellParser::parse()
{
    if (!parseList() || !isAtEnd() || !m_hereDocuments.isEmpty())
        return false;
    std::stable_sort(
        m_commands.begin(), m_commands.end(),
        [](const SimpleCommand &left, const SimpleCommand &right) { return left.begin < right.begin; });
    return true;
}

/// The unquoted word at the position if it is short enough for a keyword.
QByteArrayView ShellParser::peekKeyword() const
{
    qsizetype length = 0;
    while (m_pos + length < m_end && length <= LongestKeyword && !isShellMeta(m_text[m_pos + length]))
        ++length;
    return length > LongestKeyword ? QByteArrayView() : m_text.sliced(m_pos, length);
}

bool ShellParser::expect(QByteArrayView keyword)
{
    if (peekKeyword() != keyword)
        return false;
    m_pos += keyword.size();
    return true;
}

/// Whether a list of commands ends here.
bool ShellParser::atCommandEnd() const
{
    return isAtEnd() || peek() == ')' || startsWith(";;") || startsWith(";&")
           || contains(closingKeywords(), peekKeyword());
}

bool ShellParser::skipNewlines()
{
    for (;;) {
        skipBlanks();
        if (peek() != '\n')
            return true;
        if (m_hereDocuments.isEmpty()) {
            ++m_pos;
        } else if (!readHereDocuments()) {
            return false;
        }
    }
}

/// Commands up to the end, a closing parenthesis, the end of a case or a keyword that closes something.
bool ShellParser::parseList()
{
    for (;;) {
        if (!skipNewlines())
            return false;
        if (atCommandEnd())
            return true;
        if (!parsePipeline())
            return false;
        while (startsWith("&&") || startsWith("||")) {
            m_pos += 2;
            if (!skipNewlines() || atCommandEnd() || !parsePipeline())
                return false;
        }
        if (startsWith(";;") || startsWith(";&"))
            return true;
        if (peek() == ';' || peek() == '&') {
            ++m_pos;
        } else if (peek() != '\n') {
            return atCommandEnd();
        }
    }
}

bool ShellParser::parsePipeline()
{
    for (;;) {
        skipBlanks();
        if (expect("!"))
            continue;
        if (expect("time")) {
            skipBlanks();
            expect("-p");
            skipBlanks();
            // Other options belong to a program of that name, which shells without the keyword run.
            if (peek() == '-')
                return false;
            if (atCommandEnd() || peek() == '\n' || peek() == ';')
                return true;
            continue;
        }
        if (atCommandEnd() || !parseCommand())
            return false;
        skipBlanks();
        if (peek() != '|' || peek(1) == '|')
            return true;
        m_pos += peek(1) == '&' ? 2 : 1;
        if (!skipNewlines())
            return false;
    }
}

bool ShellParser::parseCommand()
{
    const QByteArrayView keyword = peek() == '(' ? (peek(1) == '(' ? "((" : "(") : peekKeyword();
    if (!contains(compoundKeywords(), keyword))
        return parseSimple();
    ++m_depth;
    if (m_depth > MaximumShellNesting || !parseCompound(keyword) || !parseTrailingRedirections())
        return false;
    --m_depth;
    return true;
}

bool ShellParser::parseCompound(QByteArrayView keyword)
{
    if (keyword == "((")
        return parseArithmeticStatement();
    m_pos += keyword.size();
    if (keyword == "(") {
        if (!parseList() || peek() != ')')
            return false;
        ++m_pos;
        return true;
    }
    if (keyword == "{")
        return parseList() && expect("}");
    if (keyword == "if")
        return parseIf();
    if (keyword == "while" || keyword == "until")
        return parseList() && expect("do") && parseList() && expect("done");
    if (keyword == "for" || keyword == "select")
        return parseFor(keyword == "select");
    if (keyword == "case")
        return parseCase();
    if (keyword == "[[")
        return parseCondition();
    return keyword == "coproc" ? parseCoprocess() : parseFunction();
}

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

bool ShellParser::parseCoprocess()
{
    skipBlanks();
    // A name may stand in front of a compound command.
    const qsizetype begin = m_pos;
    if (!contains(compoundKeywords(), peekKeyword())) {
        m_pos += nameLength(m_text.sliced(m_pos, m_end - m_pos));
        skipBlanks();
        if (peek() != '(' && !contains(compoundKeywords(), peekKeyword()))
            m_pos = begin;
    }
    return !atCommandEnd() && parseCommand();
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
    } else if (contains(binaryTests(), peekKeyword())) {
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
