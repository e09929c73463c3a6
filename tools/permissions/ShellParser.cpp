// Lists and pipelines of the shell.

#include "tools/permissions/ShellParser.h"

#include <QList>

#include <algorithm>

namespace spettro {

namespace {

using Keywords = QList<QByteArrayView>;

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
           || closingKeywords().contains(peekKeyword());
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
    if (!compoundKeywords().contains(keyword))
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

bool ShellParser::parseCoprocess()
{
    skipBlanks();
    // A name may stand in front of a compound command.
    const qsizetype begin = m_pos;
    if (!compoundKeywords().contains(peekKeyword())) {
        m_pos += nameLength(m_text.sliced(m_pos, m_end - m_pos));
        skipBlanks();
        if (peek() != '(' && !compoundKeywords().contains(peekKeyword()))
            m_pos = begin;
    }
    return !atCommandEnd() && parseCommand();
}

} // namespace spettro
