#include "tools/permissions/CommandPattern.h"

#include "tools/permissions/ProgramLists.h"
#include "tools/text/GlobProgram.h"

#include <algorithm>

namespace spettro {

namespace {

using Word = SimpleCommand::Word;

} // namespace

std::optional<CommandPattern> CommandPattern::parse(QByteArrayView text)
{
    CommandPattern pattern;
    Glob word;
    bool isInWord = false;
    char quote = '\0';
    for (qsizetype i = 0; i <= text.size(); ++i) {
        const char byte = i < text.size() ? text[i] : '\0';
        const bool isEnd = i == text.size();
        if (!isEnd && byte == '\0')
            return std::nullopt;
        if (isEnd && quote != '\0')
            return std::nullopt;
        if (quote != '\0') {
            if (byte == quote) {
                quote = '\0';
            } else {
                i += quote == '"' && byte == '\\' && i + 1 < text.size() ? 1 : 0;
                word.append(Byte{text[i]});
            }
        } else if (isEnd || byte == ' ' || byte == '\t') {
            if (isInWord)
                pattern.m_words.append(word);
            word.clear();
            isInWord = false;
        } else if (byte == '\'' || byte == '"') {
            quote = byte;
            isInWord = true;
        } else if (byte == '\\') {
            ++i;
            if (i == text.size())
                return std::nullopt;
            word.append(Byte{text[i]});
            isInWord = true;
        } else if (QByteArrayView("|&;<>()$`\n").contains(byte)) {
            return std::nullopt;
        } else {
            word.append(Byte{byte, byte == '*' || byte == '?'});
            isInWord = true;
        }
    }
    if (pattern.m_words.isEmpty())
        return std::nullopt;
    if (pattern.m_words.last() == Glob{Byte{'*', true}}) {
        pattern.m_words.removeLast();
        pattern.m_hasRest = true;
    }
    return pattern;
}

QByteArray CommandPattern::exactText(const QList<Word> &words)
{
    QByteArray text;
    for (const Word &word : words) {
        if (!text.isEmpty())
            text += ' ';
        const bool isPlain =
            !word.text.isEmpty() && std::all_of(word.text.begin(), word.text.end(), [](char byte) {
                return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
                       || (byte >= '0' && byte <= '9') || QByteArrayView("_-./=:,+@%").contains(byte);
            });
        QByteArray quoted = word.text;
        text += isPlain ? quoted : '\'' + quoted.replace("'", "'\\''") + '\'';
    }
    return text;
}

bool CommandPattern::isExact(const Glob &glob)
{
    return std::none_of(glob.begin(), glob.end(), [](const Byte &byte) { return byte.isWild; });
}

bool CommandPattern::isExact() const
{
    return !m_hasRest
           && std::all_of(m_words.begin(), m_words.end(), [](const Glob &glob) { return isExact(glob); });
}

bool CommandPattern::matchesGlob(const Glob &glob, const QByteArray &text)
{
    GlobProgram program;
    for (const Byte &byte : glob) {
        if (!byte.isWild) {
            program.addByte(byte.value);
        } else if (byte.value == '*') {
            program.addStarStar();
        } else {
            program.addAnyUnitOrSlash();
        }
    }
    return program.matches(text);
}

bool CommandPattern::covers(const CommandFacts &facts) const
{
    const QList<Word> &words = facts.words;
    if (words.size() < m_words.size() || (!m_hasRest && words.size() > m_words.size()))
        return false;
    for (qsizetype i = 0; i < m_words.size(); ++i) {
        if (!words[i].isLiteral || !matchesGlob(m_words[i], words[i].text))
            return false;
    }
    return isExact() || (!facts.runsCode && facts.kind == CommandFacts::Kind::Plain);
}

CommandPattern::Match CommandPattern::matches(const QList<Word> &words) const
{
    if (matchesEverything())
        return Match::Yes;
    if (words.isEmpty())
        return Match::No;
    for (qsizetype i = 0; i < m_words.size(); ++i) {
        if (i >= words.size())
            return Match::No;
        if (!words[i].isLiteral) {
            // It may become any number of words.
            return Match::Maybe;
        }
        Glob glob = m_words[i];
        QByteArray text = words[i].text;
        if (i == 0) {
            const bool hasFolder =
                std::any_of(glob.begin(), glob.end(), [](Byte byte) { return byte.value == '/'; });
            text = hasFolder ? text.toLower() : programName(text);
            for (Byte &byte : glob) {
                if (byte.value >= 'A' && byte.value <= 'Z')
                    byte.value = static_cast<char>(byte.value | 0x20);
            }
        }
        if (!matchesGlob(glob, text))
            return Match::No;
    }
    return Match::Yes;
}

} // namespace spettro
