// Commands that only read.

#include "tools/permissions/CommandJudge.h"
#include "tools/permissions/ProgramLists.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace spettro {

namespace {

using Word = SimpleCommand::Word;
using Names = QSet<QByteArray>;

/// What a reading program must not be given.
struct Reader
{
    QByteArrayView shortOptions;
    QList<QByteArray> longOptions;
    qsizetype maximumOperands = -1; ///< Words that are no options; -1 for any number.

    bool takesAnything() const
    {
        return shortOptions.isEmpty() && longOptions.isEmpty() && maximumOperands < 0;
    }
};

const QHash<QByteArray, Reader> &readers()
{
    static const QHash<QByteArray, Reader> table = [] {
        QHash<QByteArray, Reader> made;
        const QByteArray harmless =
            "ls cat head tail wc grep egrep fgrep stat du df pwd echo true false : test [ [[ cut tr diff cmp "
            "comm nl tac "
            "rev basename dirname realpath readlink which type id whoami uname seq arch nproc groups md5sum "
            "sha1sum sha256sum sha512sum cksum od hexdump strings fold fmt expand unexpand paste join column "
            "sleep";
        for (const QByteArray &name : harmless.split(' '))
            made.insert(name, {});
        made.insert("file", {"Cz", {"compile", "uncompress"}});
        made.insert("rg", {"z", {"pre", "hostname-bin", "search-zip"}});
        made.insert("sort", {"oT", {"output", "compress-program", "temporary-directory"}});
        made.insert("uniq", {"", {}, 1});
        made.insert("tree", {"oR", {}});
        made.insert("printf", {"v", {}});
        made.insert("test", {"vR", {}});
        made.insert("[", {"vR", {}});
        return made;
    }();
    return table;
}

bool areLiteral(const QList<Word> &words)
{
    return std::all_of(words.begin(), words.end(), [](const Word &word) { return word.isLiteral; });
}

bool dateReads(const QList<Word> &words)
{
    static const Names valued{"-d", "--date", "-r", "--reference"};
    static const Names flags{"-u", "--utc", "--universal", "-R", "--rfc-email", "-I", "-Iseconds", "-Idate"};
    for (qsizetype i = 1; i < words.size(); ++i) {
        const QByteArray &text = words[i].text;
        if (valued.contains(text)) {
            ++i;
        } else if (!text.startsWith('+') && !flags.contains(text) && !text.startsWith("--date=")
                   && !text.startsWith("--iso-8601")) {
            return false;
        }
    }
    return areLiteral(words);
}

bool findReads(const QList<Word> &words)
{
    return !runsCode("find", words);
}

/// Only printing by line numbers and plain patterns: a script may write files and run programs.
bool sedReads(const QList<Word> &words)
{
    static const QRegularExpression script(QStringLiteral(
        "^(([0-9]+|\\$|/[^/\\\\]*/)(,([0-9]+|\\$|\\+[0-9]+|/[^/\\\\]*/))?)?[pq=](;[0-9]+q)?$"));
    static const Names flags{"-n", "-E", "-r", "-nE", "-En", "-nr", "--quiet", "--silent"};
    qsizetype i = 1;
    while (i < words.size() && flags.contains(words[i].text))
        ++i;
    if (i >= words.size() || !areLiteral(words))
        return false;
    const bool isQuiet = i > 1;
    const bool isScript = script.match(QString::fromLatin1(words[i].text)).hasMatch();
    return isQuiet && isScript && std::none_of(words.begin() + i + 1, words.end(), [](const Word &word) {
               return word.text.startsWith('-');
           });
}

bool conditionReads(const QList<Word> &words)
{
    // Comparing numbers evaluates the operands, and so runs what a subscript in them says.
    static const Names evaluating{"-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    return areLiteral(words) && std::none_of(words.begin(), words.end(), [](const Word &word) {
               return evaluating.contains(word.text);
           });
}

bool folderReads(const QList<Word> &folders)
{
    return std::all_of(folders.begin(), folders.end(), [](const Word &folder) {
        const QList<QByteArray> parts = folder.text.split('/');
        return folder.isLiteral && !folder.text.isEmpty() && !folder.text.startsWith('/')
               && !parts.contains("..");
    });
}

/// Whether all words behind the git command are among those.
bool areAmong(const QList<Word> &words, const Names &known)
{
    return std::all_of(words.begin(), words.end(),
                       [&](const Word &word) { return known.contains(word.text); });
}

/// Commands of git that read whatever their arguments, apart from the options that `runsCode` knows.
bool isReadingGit(const QByteArray &command)
{
    static const Names commands{"status",     "log",       "diff",         "show",        "blame",
                                "annotate",   "grep",      "ls-files",     "ls-tree",     "rev-list",
                                "rev-parse",  "describe",  "shortlog",     "merge-base",  "name-rev",
                                "show-ref",   "diff-tree", "for-each-ref", "whatchanged", "cat-file",
                                "range-diff", "cherry",    "count-objects"};
    return commands.contains(command);
}

bool gitReads(const QList<Word> &words)
{
    static const Names branch{"-a",
                              "-r",
                              "-v",
                              "-vv",
                              "-av",
                              "-avv",
                              "--list",
                              "--all",
                              "--remotes",
                              "--verbose",
                              "--show-current",
                              "--no-color"};
    static const Names remote{"-v", "--verbose"};
    static const Names lists{"-l", "--list"};
    if (words.size() < 2 || !areLiteral(words) || runsCode("git", words))
        return false;
    const QByteArray &command = words[1].text;
    const QList<Word> rest = words.sliced(2);
    const auto firstIs = [&](const char *word) { return !rest.isEmpty() && rest.first().text == word; };
    if (command == "branch")
        return areAmong(rest, branch);
    if (command == "remote")
        return areAmong(rest, remote) || (firstIs("get-url") && rest.size() == 2);
    if (command == "tag")
        return areAmong(rest, lists)
               || (rest.size() == 2 && lists.contains(rest[0].text) && !rest[1].text.startsWith('-'));
    if (command == "stash" || command == "worktree")
        return firstIs("list") && rest.size() == 1;
    // %G asks the program that the configuration names for signatures.
    return isReadingGit(command) && std::none_of(rest.begin(), rest.end(), [](const Word &word) {
               return word.text.contains("%G");
           });
}

bool wordsRead(const CommandFacts &facts)
{
    const QByteArray &program = facts.program;
    const QList<Word> &words = facts.words;
    if (!isSystemProgram(program, words.first().text) || namesSecrets(words))
        return false;
    if (program == "cd")
        return folderReads(facts.folders);
    if (program == "command")
        return areLiteral(words) && words.size() > 1 && (words[1].text == "-v" || words[1].text == "-V");
    if (program == "date")
        return dateReads(words);
    if (program == "find")
        return findReads(words);
    if (program == "sed")
        return sedReads(words);
    if (program == "[[")
        return conditionReads(words);
    if (program == "git")
        return gitReads(words);
    const auto reader = readers().constFind(program);
    if (reader == readers().constEnd())
        return false;
    if (reader->takesAnything())
        return true;
    const auto operands = std::count_if(words.begin() + 1, words.end(),
                                        [](const Word &word) { return !word.text.startsWith('-'); });
    return areLiteral(words) && !mayHaveOption(words, reader->shortOptions, reader->longOptions)
           && (reader->maximumOperands < 0 || operands <= reader->maximumOperands);
}

} // namespace

bool namesSecrets(const QList<Word> &words)
{
    static const QList<QByteArray> marks{".ssh",    "id_rsa",    "id_ed25519",  "id_ecdsa",    ".gnupg",
                                         ".aws",    ".netrc",    ".kube",       ".pem",        ".pypirc",
                                         ".npmrc",  ".docker/",  "/etc/shadow", "/environ",    ".env",
                                         "keyring", ".git-cred", "/.config",    "credentials", "approvals/"};
    return std::any_of(words.begin(), words.end(), [](const Word &word) {
        const QByteArray text = word.text.toLower();
        return std::any_of(marks.begin(), marks.end(),
                           [&](const QByteArray &mark) { return text.contains(mark); });
    });
}

bool isHarmlessAround(const CommandFacts &facts)
{
    return std::all_of(facts.assignments.begin(), facts.assignments.end(),
                       [](const auto &assignment) { return isHarmlessVariable(assignment.name); })
           && std::all_of(facts.redirections.begin(), facts.redirections.end(), [](const auto &redirection) {
                  return isHarmlessRedirection(redirection) && !namesSecrets({redirection.target});
              });
}

QByteArray readingPrefix(const CommandFacts &facts)
{
    const QByteArray &program = facts.program;
    if (facts.kind != CommandFacts::Kind::Plain || facts.words.isEmpty() || !onlyReads(facts))
        return {};
    if (program == "git" && isReadingGit(facts.words[1].text))
        return facts.words[0].text + ' ' + facts.words[1].text;
    const auto reader = readers().constFind(program);
    const bool takesAnything = reader != readers().constEnd() && reader->takesAnything();
    const bool isKnown = program == "find" || program == "rg" || program == "sort";
    return (takesAnything && program != "[[") || isKnown ? facts.words[0].text : QByteArray();
}

bool onlyReads(const CommandFacts &facts)
{
    if (!facts.doubt.isEmpty() || !isHarmlessAround(facts) || facts.kind == CommandFacts::Kind::Starting
        || !folderReads(facts.folders))
        return false;
    if (facts.words.isEmpty())
        return facts.assignments.isEmpty();
    if (facts.kind == CommandFacts::Kind::Plain)
        return wordsRead(facts);
    return isSystemProgram(facts.program, facts.words.first().text)
           && std::all_of(facts.inner.begin(), facts.inner.end(),
                          [](const CommandFacts &inner) { return onlyReads(inner); });
}

bool onlyReads(QByteArrayView commandLine)
{
    const std::optional<QList<CommandFacts>> facts = commandFacts(commandLine);
    return facts && !facts->isEmpty()
           && std::all_of(facts->begin(), facts->end(),
                          [](const CommandFacts &one) { return onlyReads(one); });
}

} // namespace spettro
