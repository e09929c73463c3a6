#pragma once

#include "tools/permissions/ShellSyntax.h"

namespace spettro {

/// The parser behind `parseShell`: recursive descent over the bytes, one pass, without going back. Every function
/// that returns bool says whether it is certain; after the first false nothing is read any more.
class ShellParser
{
public:
    /// `depth` counts the nesting around this text.
    ShellParser(QByteArrayView text, int depth) : m_text(text), m_end(text.size()), m_depth(depth) {}

    /// Reads the whole text.
    bool parse();

    QList<SimpleCommand> &commands() { return m_commands; }

private:
    using Word = SimpleCommand::Word;

    struct HereDocument
    {
        QByteArray delimiter;
        bool isQuoted = false;
        bool stripsTabs = false;
    };

    enum class Quoting { None, Double, HereDocument };

    // Lists and pipelines (ShellParser.cpp).
    bool parseList();
    bool parsePipeline();
    bool parseCommand();
    bool parseCompound(QByteArrayView keyword);
    bool parseCoprocess();
    bool atCommandEnd() const;
    bool skipNewlines();
    bool expect(QByteArrayView keyword);
    QByteArrayView peekKeyword() const;

    // Compound commands (ShellCompound.cpp).
    bool parseIf();
    bool parseLoopBody();
    bool parseFor(bool isSelect);
    bool parseCase();
    bool parseFunction();
    bool parseFunctionBody();
    bool parseArithmeticStatement();

    // `[[ .. ]]` (ShellConditions.cpp).
    bool parseCondition();
    bool parseConditionOperand(SimpleCommand &command);
    bool atConditionEnd() const;

    // Simple commands and redirections (ShellSimple.cpp).
    bool parseSimple();
    bool parseAssignment(SimpleCommand &command, bool &isAssignment);
    bool parseArray();
    bool parseRedirection(SimpleCommand &command, bool &isRedirection);
    bool parseTrailingRedirections();
    bool announceHereDocument(const SimpleCommand::Redirection &redirection, QByteArrayView source);
    bool readHereDocuments();
    bool readHereDocument(const HereDocument &document);

    // Words (ShellWords.cpp).
    bool readWord(Word &word);
    bool readWordPart(Word &word, bool isAtStart);
    bool readSingleQuoted(Word &word);
    bool readAnsiQuoted(Word &word);
    bool readEscape(Word &word);
    bool readDoubleQuoted(Word &word);
    bool readExpandedText(Word &word);
    void skipBlanks();
    void keepSource(Word &word, qsizetype begin) const;

    // Expansions (ShellExpansions.cpp).
    bool readDollar(Word &word, Quoting quoting);
    bool readParameter(Quoting quoting);
    bool readSubstitution();
    bool readBackquotes(Quoting quoting);
    bool readArithmetic(bool &namesVariables);
    void addArithmetic(qsizetype begin, bool isLiteral);
    void addAssignment(const QByteArray &name, qsizetype begin);

    char peek(qsizetype ahead = 0) const { return m_pos + ahead < m_end ? m_text[m_pos + ahead] : '\0'; }
    bool isAtEnd() const { return m_pos >= m_end; }
    bool startsWith(QByteArrayView text) const
    {
        return m_text.sliced(m_pos, m_end - m_pos).startsWith(text);
    }

    QByteArrayView m_text;
    qsizetype m_pos = 0;
    qsizetype m_end;
    int m_depth;
    QList<SimpleCommand> m_commands;
    QList<HereDocument> m_hereDocuments; ///< Announced, their bodies begin at the next newline.
    qsizetype m_firstHereDocument = 0;
};

bool isDigit(char byte);

/// Whether the byte may begin the name of a variable.
bool isNameStart(char byte);

/// Whether the byte ends an unquoted word.
bool isShellMeta(char byte);

/// The length of the variable name at the beginning of a text, 0 when there is none.
qsizetype nameLength(QByteArrayView text);

} // namespace spettro
