#pragma once

#include "tools/permissions/CommandFacts.h"

namespace spettro {

/// How many commands may start one another before it is no longer certain what runs.
inline constexpr int MaximumWrappers = 12;

/// The facts of a command of these words; `depth` counts the commands around it.
CommandFacts factsOfWords(const QList<SimpleCommand::Word> &words, int depth);

/// The facts of a shell text that a command of that depth runs; no value when it cannot be read.
std::optional<QList<CommandFacts>> factsOfText(QByteArrayView text, int depth);

/// Finds what a command starts: sets kind, inner, assignments, folders and doubt.
void lookThrough(CommandFacts &facts, int depth);

} // namespace spettro
