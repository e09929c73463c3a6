// What a person should notice in a command.

#include "tools/permissions/CommandJudge.h"
#include "tools/permissions/ProgramLists.h"

#include <QSet>

#include <algorithm>

namespace spettro {

namespace {

using Word = SimpleCommand::Word;
using Names = QSet<QByteArray>;

bool hasWord(const CommandFacts &facts, const Names &words)
{
    return std::any_of(facts.words.begin(), facts.words.end(),
                       [&](const Word &word) { return words.contains(word.text); });
}

/// An option letter, alone or in a cluster, or one of the long names.
bool hasOption(const CommandFacts &facts, char letter, const Names &longNames)
{
    return hasWord(facts, longNames)
           || std::any_of(facts.words.begin() + 1, facts.words.end(), [&](const Word &word) {
                  return word.text.startsWith('-') && !word.text.startsWith("--")
                         && word.text.contains(letter);
              });
}

bool isRecursive(const CommandFacts &facts)
{
    return hasOption(facts, 'r', {"--recursive"}) || hasOption(facts, 'R', {});
}

/// Folders whose loss ends the day: the root, its children, home folders.
bool isPreciousFolder(const Word &word)
{
    static const Names exact{"~",   "$HOME",   "${HOME}", "*",    "/*",   ".",    "..",    "./*",   "./",
                             "~/*", "$HOME/*", "/home",   "/usr", "/etc", "/var", "/root", "/Users"};
    QByteArray text = word.text;
    while (text.size() > 1 && text.endsWith('/'))
        text.chop(1);
    return text == "/" || exact.contains(text);
}

bool isGit(const CommandFacts &facts, const char *command)
{
    return facts.program == "git" && facts.words.size() > 1 && facts.words[1].text == command;
}

bool losesGitWork(const CommandFacts &facts)
{
    return (isGit(facts, "reset") && hasWord(facts, {"--hard"}))
           || (isGit(facts, "clean") && hasOption(facts, 'f', {"--force"}))
           || (isGit(facts, "branch") && hasOption(facts, 'D', {"--delete"}))
           || (isGit(facts, "stash") && hasWord(facts, {"drop", "clear"}))
           || (isGit(facts, "checkout") && hasWord(facts, {"--", ".", "-f", "--force"}))
           || (isGit(facts, "restore"));
}

bool forcesPush(const CommandFacts &facts)
{
    return isGit(facts, "push")
           && (hasOption(facts, 'f', {"--force", "--mirror", "--delete", "-d"})
               || std::any_of(facts.words.begin(), facts.words.end(), [](const Word &word) {
                      return word.text.startsWith('+') || word.text.startsWith("--force-");
                  }));
}

bool isDevice(const QByteArray &path)
{
    return path.startsWith("/dev/") && path != "/dev/null" && path != "/dev/stdout" && path != "/dev/stderr"
           && path != "/dev/tty" && !path.startsWith("/dev/fd/");
}

bool writesDevice(const CommandFacts &facts)
{
    const bool byRedirection =
        std::any_of(facts.redirections.begin(), facts.redirections.end(), [](const auto &redirection) {
            return redirection.op.contains('>') && isDevice(redirection.target.text);
        });
    return byRedirection
           || (facts.program == "dd"
               && std::any_of(facts.words.begin(), facts.words.end(), [](const Word &word) {
                      return word.text.startsWith("of=") && isDevice(word.text.sliced(3));
                  }));
}

void addDangersOfWords(const CommandFacts &facts, QStringList &found)
{
    static const Names asAnother{"sudo", "doas", "su", "pkexec", "run0", "runuser"};
    static const Names disks{"mkswap", "fdisk", "sfdisk",     "parted",
                             "wipefs", "shred", "blkdiscard", "cryptsetup"};
    static const Names power{"shutdown", "reboot", "poweroff", "halt"};
    const QByteArray &program = facts.program;
    if (asAnother.contains(program))
        found << QStringLiteral("runs as another user (%1)").arg(QString::fromUtf8(program));
    if (program == "rm" && isRecursive(facts)) {
        const bool isPrecious = std::any_of(facts.words.begin() + 1, facts.words.end(), isPreciousFolder);
        found << (isPrecious ? QStringLiteral("deletes everything in a whole folder tree such as / or ~")
                             : QStringLiteral("deletes folders with everything in them"));
    }
    if (program == "find" && hasWord(facts, {"-delete"}))
        found << QStringLiteral("deletes every file that is found");
    if (program.startsWith("mkfs") || disks.contains(program))
        found << QStringLiteral("changes a disk (%1)").arg(QString::fromUtf8(program));
    if (forcesPush(facts))
        found << QStringLiteral("overwrites or deletes history on a remote");
    if (losesGitWork(facts))
        found << QStringLiteral("throws away work that is not committed");
    if (program == "chmod" && hasWord(facts, {"777", "0777", "a+rwx", "a+w", "o+w", "ugo+rwx"}))
        found << QStringLiteral("lets every user change files");
    if ((program == "chmod" || program == "chown") && isRecursive(facts)
        && std::any_of(facts.words.begin() + 1, facts.words.end(), isPreciousFolder))
        found << QStringLiteral("changes the rights of a whole folder tree");
    if (power.contains(program))
        found << QStringLiteral("stops the machine");
    if ((program == "kill" || program == "killall5") && hasWord(facts, {"-1"}))
        found << QStringLiteral("ends every process");
}

void addDangers(const CommandFacts &facts, QStringList &found)
{
    if (!facts.words.isEmpty())
        addDangersOfWords(facts, found);
    if (writesDevice(facts))
        found << QStringLiteral("writes to a device");
    if (!facts.doubt.isEmpty())
        found << facts.doubt;
    for (const auto &assignment : facts.assignments) {
        if (assignment.name.startsWith("LD_") || assignment.name.startsWith("DYLD_"))
            found << QStringLiteral("loads foreign code into a program (%1)")
                         .arg(QString::fromUtf8(assignment.name));
        if (assignment.name == "PATH" || assignment.name == "IFS" || assignment.name == "BASH_ENV")
            found
                << QStringLiteral("changes which programs run (%1)").arg(QString::fromUtf8(assignment.name));
    }
    for (const CommandFacts &inner : facts.inner)
        addDangers(inner, found);
}

bool downloads(const CommandFacts &facts)
{
    static const Names programs{"curl", "wget", "fetch"};
    return programs.contains(facts.program) || std::any_of(facts.inner.begin(), facts.inner.end(), downloads);
}

/// A shell or interpreter that has no script but its input or a substitution.
bool runsItsInput(const CommandFacts &facts)
{
    static const Names interpreters{"python", "python3", "perl", "ruby", "node",
                                    "php",    "source",  ".",    "eval"};
    const bool isInterpreter = isShell(facts.program) || interpreters.contains(facts.program);
    const bool hasScript =
        std::any_of(facts.words.begin() + std::min<qsizetype>(1, facts.words.size()), facts.words.end(),
                    [](const Word &word) {
                        return word.isLiteral && !word.text.startsWith('-') && word.text != "/dev/stdin";
                    });
    return (isInterpreter && !hasScript) || std::any_of(facts.inner.begin(), facts.inner.end(), runsItsInput);
}

/// Bytes that do not show, move the cursor or turn the direction of text.
bool hasHiddenCharacters(QByteArrayView text)
{
    for (qsizetype i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F)
            return true;
    }
    const QString decoded = QString::fromUtf8(text);
    return std::any_of(decoded.begin(), decoded.end(), [](QChar character) {
        return character.category() == QChar::Other_Format
               || (character.category() == QChar::Other_Control && character.unicode() >= 0x7F);
    });
}

} // namespace

bool deletes(const CommandFacts &facts)
{
    static const Names programs{"rm",     "rmdir", "unlink", "shred",   "truncate", "dd",
                                "wipefs", "mv",    "kill",   "killall", "pkill"};
    return programs.contains(facts.program) || forcesPush(facts) || losesGitWork(facts)
           || (facts.program == "find" && hasWord(facts, {"-delete"}))
           || std::any_of(facts.inner.begin(), facts.inner.end(),
                          [](const auto &inner) { return deletes(inner); });
}

QStringList dangers(QByteArrayView commandLine)
{
    QStringList found;
    if (hasHiddenCharacters(commandLine))
        found << QStringLiteral("contains characters that do not show");
    QByteArray dense = commandLine.toByteArray();
    dense.replace(" ", "").replace("\t", "");
    if (dense.contains(":(){:|:&};:"))
        found << QStringLiteral("starts itself without end");
    const std::optional<QList<CommandFacts>> facts = commandFacts(commandLine);
    if (!facts) {
        found << QStringLiteral("cannot be read with certainty");
        return found;
    }
    for (const CommandFacts &one : *facts)
        addDangers(one, found);
    if (std::any_of(facts->begin(), facts->end(), downloads)
        && std::any_of(facts->begin(), facts->end(), runsItsInput))
        found << QStringLiteral("runs what it downloads");
    found.removeDuplicates();
    return found;
}

} // namespace spettro
