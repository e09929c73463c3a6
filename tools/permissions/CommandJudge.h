#pragma once

#include "tools/permissions/CommandFacts.h"

#include <QStringList>

namespace spettro {

/// Whether a command line does nothing but read: every command in it is of a list of reading programs, with
/// options that neither write nor start programs, without assignments (but language and time zone) and
/// without redirections into files. Anything that is not certain is false. What a repository's own
/// configuration makes git start (fsmonitor, textconv, filters) is not seen here: see README.md.
bool onlyReads(QByteArrayView commandLine);

/// The same for one command with everything that it starts.
bool onlyReads(const CommandFacts &facts);

/// Short reasons for a warning beside the question whether a command may run; text for a person only, nothing is
/// forbidden by it. Empty when nothing catches the eye, which does not mean that the command is harmless.
QStringList dangers(QByteArrayView commandLine);

/// Whether assignments and redirections of the command itself neither write nor change what runs.
bool isHarmlessAround(const CommandFacts &facts);

/// Whether a word names a usual place of keys and passwords.
bool namesSecrets(const QList<SimpleCommand::Word> &words);

/// The first words of a reading command which say that whatever follows also reads, apart from options that
/// `runsCode` knows: `git log`, `ls`. Empty when there are none.
QByteArray readingPrefix(const CommandFacts &facts);

/// Whether the command deletes, overwrites or throws away: such a command is allowed by its exact text only.
bool deletes(const CommandFacts &facts);

} // namespace spettro
