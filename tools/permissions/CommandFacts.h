#pragma once

#include "tools/permissions/ShellSyntax.h"

#include <QString>

namespace spettro {

/// What is known of one command of a line, with the commands that it starts.
struct CommandFacts
{
    using Word = SimpleCommand::Word;

    enum class Kind {
        Plain,    ///< Nothing that its arguments name as a command is known to run.
        Wrapper,  ///< Only starts its inner commands (`env`, `timeout`, `bash -c`, `git -C x`).
        Starting, ///< Starts inner commands and matters itself (`sudo`, `find -exec`, `git -c`).
    };

    QByteArray program; ///< Lower case, without folder and `.exe`; empty when only the shell knows it.
    QList<Word> words;  ///< As written, after quote removal.
    QList<SimpleCommand::Assignment> assignments; ///< In front of it, and those of `env` and `sudo`.
    QList<SimpleCommand::Redirection> redirections;
    Kind kind = Kind::Plain;
    QList<CommandFacts> inner;
    QString doubt;          ///< Why it is not certain what runs; empty when it is.
    QList<Word> folders;    ///< Folders that it goes to (`cd x`, `env -C x`, `git -C x`).
    bool runsCode = false;  ///< Its arguments or files decide what runs (A70): an interpreter, a runner.
    bool runsWords = false; ///< Any of its words may be the start of a command (`flock f cmd`, `ssh h cmd`).
};

/// The commands of a line, with wrappers looked through and literal shell texts (`bash -c '..'`, `eval ..`)
/// read. No value when the line itself cannot be read with certainty.
std::optional<QList<CommandFacts>> commandFacts(QByteArrayView commandLine);

} // namespace spettro
