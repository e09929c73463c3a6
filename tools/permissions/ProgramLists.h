#pragma once

#include "tools/permissions/CommandFacts.h"

/// What is known of programs by their names. Names are normalised: see `programName`.
namespace spettro {

/// `/usr/bin/Python3.11` gives `python3.11`, `rm.exe` gives `rm`.
QByteArray programName(const QByteArray &word);

/// Whether the arguments, or files that they name, decide what runs: interpreters, package runners, build tools,
/// remote shells, editors, and options of other programs that start some or write where the words do not show it.
/// `words` begins with the program.
bool runsCode(const QByteArray &program, const QList<SimpleCommand::Word> &words);

/// Whether any word may begin a command line of its own, in a syntax that is not looked at.
bool runsWords(const QByteArray &program);

/// A shell that takes `-c` and a text like bash's.
bool isShell(const QByteArray &program);

/// Whether a word may be one of the options. `shortOptions` are letters, also looked for in clusters;
/// `longOptions` are names without dashes, also matched by their abbreviations.
bool mayHaveOption(const QList<SimpleCommand::Word> &words, QByteArrayView shortOptions,
                   const QList<QByteArray> &longOptions);

/// Whether the word names that program as found in PATH or a folder of the system, not one beside the files.
bool isSystemProgram(const QByteArray &program, const QByteArray &word);

/// Whether the variable changes nothing but language, time zone, colours and width of the output.
bool isHarmlessVariable(const QByteArray &name);

/// Whether a redirection writes no file and reads no network.
bool isHarmlessRedirection(const SimpleCommand::Redirection &redirection);

} // namespace spettro
