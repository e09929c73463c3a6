#include "tools/permissions/CommandFacts.h"

#include "tools/permissions/CommandWrappers.h"
#include "tools/permissions/ProgramLists.h"

namespace spettro {

namespace {

using Word = SimpleCommand::Word;

/// The folder that cd and its kin go to: without one it is home, with an option or `+1` only the shell knows.
QList<Word> foldersOf(const CommandFacts &facts)
{
    if (facts.program == "popd")
        return {Word{"-", false}};
    if (facts.program != "cd" && facts.program != "pushd" && facts.program != "chdir")
        return {};
    qsizetype i = 1;
    while (i < facts.words.size() && (facts.words[i].text == "-P" || facts.words[i].text == "-L"))
        ++i;
    i += i < facts.words.size() && facts.words[i].text == "--" ? 1 : 0;
    if (i + 1 != facts.words.size())
        return {Word{"~", false}};
    const Word &folder = facts.words[i];
    return {
        Word{folder.text, folder.isLiteral && !folder.text.startsWith('-') && !folder.text.startsWith('+')}};
}

} // namespace

CommandFacts factsOfWords(const QList<Word> &words, int depth)
{
    CommandFacts facts;
    facts.words = words;
    if (words.isEmpty())
        return facts;
    if (!words.first().isLiteral) {
        facts.doubt = QStringLiteral("the name of the program is known to the shell only");
        return facts;
    }
    facts.program = programName(words.first().text);
    facts.folders = foldersOf(facts);
    facts.runsCode = runsCode(facts.program, words);
    facts.runsWords = runsWords(facts.program);
    if (depth > MaximumWrappers) {
        facts.doubt = QStringLiteral("too many commands that start commands");
        return facts;
    }
    lookThrough(facts, depth);
    return facts;
}

std::optional<QList<CommandFacts>> factsOfText(QByteArrayView text, int depth)
{
    const std::optional<QList<SimpleCommand>> commands = parseShell(text);
    if (!commands)
        return std::nullopt;
    QList<CommandFacts> list;
    for (const SimpleCommand &command : *commands) {
        CommandFacts facts = factsOfWords(command.words, depth);
        facts.assignments = command.assignments + facts.assignments;
        facts.redirections = command.redirections;
        list.append(facts);
    }
    return list;
}

std::optional<QList<CommandFacts>> commandFacts(QByteArrayView commandLine)
{
    return factsOfText(commandLine, 0);
}

} // namespace spettro
