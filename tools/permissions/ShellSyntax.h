#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QList>

#include <optional>

namespace spettro {

/// One simple command of a command line, found in whatever nesting.
struct SimpleCommand
{
    /// One word after quote removal; an expansion stays in it as it is written.
    struct Word
    {
        QByteArray text;
        bool isLiteral = true; ///< False: the shell makes something else of it ($x, $(..), a glob, {a,b}, ~).

        bool operator==(const Word &) const = default;
    };

    /// `name=value` in front of a command. The variable of `for`, `select`, `${x:=y}` is one as well.
    struct Assignment
    {
        QByteArray name; ///< With its subscript, if any: `a[1]`.
        Word value;
    };

    struct Redirection
    {
        QByteArray op; ///< One of `<` `>` `>>` `>|` `<>` `<&` `>&` `&>` `&>>` `<<` `<<-` `<<<`.
        QByteArray fd; ///< Digits or `{name}` in front of the operator; empty when there are none.
        Word target;   ///< For a here-document its delimiter.
    };

    QList<Assignment> assignments;
    QList<Word> words; ///< Empty for mere assignments and for the redirections of a compound command.
    QList<Redirection> redirections;
    qsizetype begin = 0; ///< Bytes [begin, end) of the line; inside backquotes the range of these.
    qsizetype end = 0;
};

/// The longest command line that is read, in bytes.
inline constexpr qsizetype MaximumCommandLine = qsizetype{1024} * 1024;

/// How deep constructs may nest.
inline constexpr int MaximumShellNesting = 64;

/// Every simple command of a bash command line, in the order in which they begin: in lists, pipelines, groups,
/// compound commands, function bodies, command and process substitutions, double quotes and here-documents.
/// `[[ .. ]]` is a command `[[`; arithmetic that names variables is a command `((` (not literal as a statement,
/// because other shells take `((x))` for two subshells). No value: the line is not certain to mean what this
/// parser would say (broken, too deep, too long, with NUL, or read in different ways by different shells).
/// Time is linear in the length.
std::optional<QList<SimpleCommand>> parseShell(QByteArrayView commandLine);

} // namespace spettro
