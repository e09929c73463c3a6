// Simple commands of the shell: assignments, words, redirections and here-documents.

#include "tools/permissions/ShellParser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spettro {

namespace {

// Longer operators in front of those they begin with.
constexpr std::array Operators{"<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">", "&>>", "&>"};

/// Commands whose arguments may be `name=(words)`.
bool takesArrays(QByteArrayView program)
{
    return program == "declare" || program == "typeset" || program == "local" || program == "readonly"
           || program == "export";
}

bool isSubscript(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
           || QByteArrayView("_@*$").contains(byte);
}

} // namespace

bool ShellParser::parseSimple()
{
    SimpleCommand command;
    command.begin = m_pos;
    for (;;) {
        command.end = m_pos;
        skipBlanks();
        bool isDone = false;
        if (!parseRedirection(command, isDone))
            return false;
        if (isDone)
            continue;
        const bool isProcess = (peek() == '<' || peek() == '>') && peek(1) == '(';
        if (isAtEnd() || (isShellMeta(peek()) && !isProcess))
            break;
        if (command.words.isEmpty() && !parseAssignment(command, isDone))
            return false;
        if (isDone)
            continue;
        const qsizetype begin = m_pos;
        Word word;
        if (!readWord(word))
            return false;
        command.words.append(word);
        if (command.words.size() == 1) {
            // A joined line may hide a keyword or an assignment.
            if (m_text.sliced(begin, m_pos - begin).contains("\\\n"))
                return false;
            const qsizetype end = m_pos;
            skipBlanks();
            if (peek() == '(') {
                ++m_pos;
                skipBlanks();
                if (peek() != ')' || !word.isLiteral || !command.assignments.isEmpty()
                    || !command.redirections.isEmpty())
                    return false;
                ++m_pos;
                return parseFunctionBody();
            }
            m_pos = end;
        } else if (peek() == '(') {
            if (!word.text.endsWith('=') || !takesArrays(command.words.first().text))
                return false;
            command.words.last().isLiteral = false;
            if (!parseArray())
                return false;
        }
    }
    if (command.words.isEmpty() && command.assignments.isEmpty() && command.redirections.isEmpty())
        return false;
    m_commands.append(command);
    return true;
}

bool ShellParser::parseAssignment(SimpleCommand &command, bool &isAssignment)
{
    const qsizetype name = nameLength(m_text.sliced(m_pos, m_end - m_pos));
    qsizetype length = name;
    if (name > 0 && peek(name) == '[') {
        ++length;
        while (isSubscript(peek(length)))
            ++length;
        // A subscript with blanks or quotes in it looks like words, and may be an assignment.
        if (peek(length) != ']')
            return false;
        ++length;
    }
    const qsizetype sign = length + (peek(length) == '+' ? 1 : 0);
    if (name == 0 || peek(sign) != '=')
        return name == length;
    SimpleCommand::Assignment assignment{m_text.sliced(m_pos, length).toByteArray(), {}};
    m_pos += sign + 1;
    if (peek() == '(') {
        assignment.value.isLiteral = false;
        if (!parseArray())
            return false;
    } else {
        const bool isProcess = (peek() == '<' || peek() == '>') && peek(1) == '(';
        if (!isAtEnd() && (!isShellMeta(peek()) || isProcess) && !readWord(assignment.value))
            return false;
    }
    command.assignments.append(assignment);
    isAssignment = true;
    return true;
}

/// `( words )` behind `name=`, at the parenthesis.
bool ShellParser::parseArray()
{
    ++m_pos;
    for (;;) {
        if (!m_hereDocuments.isEmpty() || !skipNewlines())
            return false;
        if (peek() == ')') {
            ++m_pos;
            return isAtEnd() || isShellMeta(peek());
        }
        Word word;
        if (!readWord(word))
            return false;
    }
}

bool ShellParser::parseRedirection(SimpleCommand &command, bool &isRedirection)
{
    qsizetype fd = 0;
    while (peek(fd) >= '0' && peek(fd) <= '9')
        ++fd;
    if (peek() == '{') {
        const qsizetype name = nameLength(m_text.sliced(m_pos + 1, m_end - m_pos - 1));
        fd = name > 0 && peek(name + 1) == '}' ? name + 2 : 0;
    }
    const QByteArrayView rest = m_text.sliced(m_pos + fd, m_end - m_pos - fd);
    QByteArrayView op;
    for (const QByteArrayView candidate : Operators) {
        if (rest.startsWith(candidate) && (fd == 0 || candidate[0] != '&')) {
            op = candidate;
            break;
        }
    }
    if (op.isEmpty() || (op.size() == 1 && peek(fd + 1) == '('))
        return true;
    SimpleCommand::Redirection redirection;
    redirection.op = op.toByteArray();
    redirection.fd = m_text.sliced(m_pos, fd).toByteArray();
    m_pos += fd + op.size();
    skipBlanks();
    const qsizetype begin = m_pos;
    if (!readWord(redirection.target))
        return false;
    if ((op == "<<" || op == "<<-")
        && !announceHereDocument(redirection, m_text.sliced(begin, m_pos - begin)))
        return false;
    command.redirections.append(redirection);
    isRedirection = true;
    return true;
}

bool ShellParser::announceHereDocument(const SimpleCommand::Redirection &redirection, QByteArrayView source)
{
    for (const char byte : source) {
        if (QByteArrayView("$`<>\n").contains(byte))
            return false;
    }
    HereDocument document{redirection.target.text, false, redirection.op == "<<-"};
    for (const char byte : source)
        document.isQuoted = document.isQuoted || QByteArrayView("'\"\\").contains(byte);
    if (m_hereDocuments.isEmpty())
        m_firstHereDocument = m_pos;
    m_hereDocuments.append(document);
    return true;
}

/// The bodies of the announced here-documents, at the newline in front of the first.
bool ShellParser::readHereDocuments()
{
    // With a newline in between, shells disagree on where the first body begins.
    if (m_text.sliced(m_firstHereDocument, m_pos - m_firstHereDocument).contains('\n'))
        return false;
    ++m_pos;
    const QList<HereDocument> documents = std::exchange(m_hereDocuments, {});
    for (const HereDocument &document : documents) {
        if (!readHereDocument(document))
            return false;
    }
    return true;
}

bool ShellParser::readHereDocument(const HereDocument &document)
{
    const qsizetype begin = m_pos;
    bool isJoined = false;
    for (;;) {
        const qsizetype lineBegin = m_pos;
        if (isAtEnd())
            return false;
        const qsizetype newline = m_text.indexOf('\n', m_pos);
        const qsizetype lineEnd = newline < 0 || newline > m_end ? m_end : newline;
        m_pos = lineEnd;
        QByteArrayView line = m_text.sliced(lineBegin, lineEnd - lineBegin);
        while (document.stripsTabs && line.startsWith('\t'))
            line = line.sliced(1);
        if (line == document.delimiter) {
            if (isJoined)
                return false;
            if (document.isQuoted)
                return true;
            const qsizetype end = std::exchange(m_end, lineBegin);
            m_pos = begin;
            Word ignored;
            const bool isCertain = readExpandedText(ignored);
            m_end = end;
            m_pos = lineEnd;
            return isCertain;
        }
        // Some shells end the document here when it stands in a substitution.
        if (line.startsWith(document.delimiter) && line.sliced(document.delimiter.size()).startsWith(')'))
            return false;
        qsizetype backslashes = 0;
        while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\')
            ++backslashes;
        isJoined = !document.isQuoted && backslashes % 2 == 1;
        m_pos = std::min(lineEnd + 1, m_end);
    }
}

/// Redirections behind a compound command: a command of their own, without words.
bool ShellParser::parseTrailingRedirections()
{
    SimpleCommand command;
    skipBlanks();
    command.begin = m_pos;
    for (;;) {
        command.end = m_pos;
        skipBlanks();
        bool isRedirection = false;
        if (!parseRedirection(command, isRedirection))
            return false;
        if (!isRedirection)
            break;
    }
    if (!command.redirections.isEmpty())
        m_commands.append(command);
    return true;
}

std::optional<QList<SimpleCommand>> parseShell(QByteArrayView commandLine)
{
    if (commandLine.size() > MaximumCommandLine || commandLine.contains('\0'))
        return std::nullopt;
    ShellParser parser(commandLine, 0);
    if (!parser.parse())
        return std::nullopt;
    return parser.commands();
}

} // namespace spettro
