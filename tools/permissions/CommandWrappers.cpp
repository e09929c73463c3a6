// Programs that start the command they are given, and how to find it in their words.

#include "tools/permissions/CommandWrappers.h"

#include "tools/permissions/ProgramLists.h"
#include "tools/permissions/WrapperOptions.h"

namespace spettro {

namespace {

using Word = SimpleCommand::Word;
using Kind = CommandFacts::Kind;

void doubtOptions(CommandFacts &facts)
{
    facts.kind = Kind::Starting;
    facts.doubt =
        QStringLiteral("options of %1 that hide which command runs").arg(QString::fromUtf8(facts.program));
    // Only for rules that forbid: the command may begin at any word.
    facts.runsWords = true;
}

/// What `xargs` runs gets words that are not in the line.
QList<Word> wordsForXargs(QList<Word> words, const FoundOptions &found)
{
    QByteArray placeholder;
    for (const auto &[name, value] : found.values) {
        if (name == "I")
            placeholder = value.text;
    }
    if (placeholder.isEmpty()) {
        words.append(Word{"...", false});
        return words;
    }
    for (Word &word : words)
        word.isLiteral = word.isLiteral && !word.text.contains(placeholder);
    return words;
}

void lookThroughWrapper(CommandFacts &facts, const WrapperOptions &known, int depth)
{
    const bool isEnvDash = facts.program == "env" && facts.words.size() > 1 && facts.words[1].text == "-";
    QList<Word> words = facts.words;
    if (isEnvDash)
        words.removeAt(1);
    const std::optional<FoundOptions> found = readOptions(known, words);
    if (!found) {
        doubtOptions(facts);
        return;
    }
    qsizetype next = found->next;
    for (const auto &[name, value] : found->values) {
        if (name == "C" || name == "chdir" || name == "D")
            facts.folders.append(value);
    }
    while (known.takesAssignments && next < words.size() && words[next].text.indexOf('=') > 0) {
        const QByteArray text = words[next].text;
        const qsizetype sign = text.indexOf('=');
        facts.assignments.append({text.first(sign), Word{text.sliced(sign + 1), words[next].isLiteral}});
        if (!words[next].isLiteral) {
            doubtOptions(facts);
            return;
        }
        ++next;
    }
    for (int i = 0; i < known.positionals; ++i, ++next) {
        if (next < words.size() && !words[next].isLiteral) {
            doubtOptions(facts);
            return;
        }
    }
    facts.kind = known.kind;
    if (next >= words.size()) {
        // Without a command most of them do something of their own.
        facts.kind = Kind::Plain;
        return;
    }
    QList<Word> rest = words.sliced(next);
    if (facts.program == "xargs")
        rest = wordsForXargs(rest, *found);
    facts.inner.append(factsOfWords(rest, depth + 1));
}

void lookIntoText(CommandFacts &facts, const QByteArray &text, int depth)
{
    const std::optional<QList<CommandFacts>> inner = factsOfText(text, depth + 1);
    if (!inner) {
        facts.kind = Kind::Starting;
        facts.doubt = QStringLiteral("the text that %1 runs cannot be read with certainty")
                          .arg(QString::fromUtf8(facts.program));
        return;
    }
    facts.inner = *inner;
}

/// `bash [options] -c text`.
void lookThroughShell(CommandFacts &facts, int depth)
{
    bool hasText = false;
    qsizetype i = 1;
    for (; i < facts.words.size(); ++i) {
        const Word &word = facts.words[i];
        const bool isLong = word.text == "--norc" || word.text == "--noprofile" || word.text == "--posix"
                            || word.text == "--login";
        if (isLong)
            continue;
        if (!word.isLiteral || word.text.startsWith("--")) {
            doubtOptions(facts);
            return;
        }
        if (word.text.size() < 2 || (word.text[0] != '-' && word.text[0] != '+'))
            break;
        for (const char letter : word.text.sliced(1)) {
            if (!QByteArrayView("abcefhiklmnpuvxCEo").contains(letter)) {
                doubtOptions(facts);
                return;
            }
        }
        hasText = hasText || (word.text[0] == '-' && word.text.contains('c'));
        i += word.text.contains('o') ? 1 : 0;
    }
    if (!hasText)
        return;
    if (i >= facts.words.size() || !facts.words[i].isLiteral) {
        doubtOptions(facts);
        return;
    }
    facts.kind = Kind::Wrapper;
    lookIntoText(facts, facts.words[i].text, depth);
}

void lookThroughEval(CommandFacts &facts, int depth)
{
    QByteArray text;
    for (const Word &word : facts.words.sliced(1)) {
        if (!word.isLiteral) {
            doubtOptions(facts);
            return;
        }
        text += word.text + ' ';
    }
    facts.kind = Kind::Wrapper;
    lookIntoText(facts, text, depth);
}

/// `trap text signal..`
void lookThroughTrap(CommandFacts &facts, int depth)
{
    if (facts.words.size() < 3 || facts.words[1].text.startsWith('-'))
        return;
    facts.kind = Kind::Starting;
    if (!facts.words[1].isLiteral) {
        doubtOptions(facts);
        return;
    }
    lookIntoText(facts, facts.words[1].text, depth);
}

void lookThroughFind(CommandFacts &facts, int depth)
{
    QList<Word> command;
    bool isInCommand = false;
    for (const Word &word : facts.words) {
        const bool isEnd = word.text == ";" || (word.text == "+" && !command.isEmpty());
        if (isInCommand && isEnd) {
            facts.inner.append(factsOfWords(command, depth + 1));
            command.clear();
            isInCommand = false;
        } else if (isInCommand) {
            command.append(Word{word.text, word.isLiteral && !word.text.contains("{}")});
        } else if (word.text == "-exec" || word.text == "-execdir" || word.text == "-ok"
                   || word.text == "-okdir") {
            isInCommand = true;
        }
    }
    if (isInCommand)
        facts.inner.append(factsOfWords(command, depth + 1));
    facts.kind = facts.inner.isEmpty() ? Kind::Plain : Kind::Starting;
}

/// Options between `git` and its command.
void lookThroughGit(CommandFacts &facts, int depth)
{
    static const QList<QByteArray> harmless{"--no-pager",          "-P",
                                            "--no-optional-locks", "--literal-pathspecs",
                                            "--icase-pathspecs",   "--glob-pathspecs",
                                            "--no-replace-objects"};
    static const QList<QByteArray> valued{"-c",          "--exec-path",  "--git-dir",      "--work-tree",
                                          "--namespace", "--config-env", "--super-prefix", "--attr-source"};
    facts.kind = Kind::Wrapper;
    qsizetype i = 1;
    for (; i < facts.words.size() && facts.words[i].text.startsWith('-'); ++i) {
        const QByteArray &option = facts.words[i].text;
        if (option == "-C" && i + 1 < facts.words.size()) {
            ++i;
            facts.folders.append(facts.words[i]);
        } else if (!facts.words[i].isLiteral || !harmless.contains(option)) {
            facts.kind = Kind::Starting;
            facts.runsCode = true;
            i += valued.contains(option) ? 1 : 0;
        }
    }
    if (i == 1 || i >= facts.words.size()) {
        facts.kind = Kind::Plain;
        return;
    }
    facts.runsCode = facts.kind == Kind::Starting;
    facts.inner.append(factsOfWords(QList<Word>{facts.words.first()} + facts.words.sliced(i), depth + 1));
}

} // namespace

void lookThrough(CommandFacts &facts, int depth)
{
    const QByteArray &program = facts.program;
    const bool onlyAsks = program == "command" && facts.words.size() > 1
                          && (facts.words[1].text == "-v" || facts.words[1].text == "-V");
    if (onlyAsks)
        return;
    for (const WrapperOptions &known : wrappers()) {
        if (program == known.program) {
            lookThroughWrapper(facts, known, depth);
            return;
        }
    }
    if (isShell(program)) {
        lookThroughShell(facts, depth);
    } else if (program == "eval") {
        lookThroughEval(facts, depth);
    } else if (program == "trap") {
        lookThroughTrap(facts, depth);
    } else if (program == "find" || program == "gfind") {
        lookThroughFind(facts, depth);
    } else if (program == "git") {
        lookThroughGit(facts, depth);
    }
}

} // namespace spettro
