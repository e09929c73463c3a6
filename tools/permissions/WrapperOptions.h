#pragma once

#include "tools/permissions/CommandFacts.h"

#include <utility>

namespace spettro {

/// The options of a wrapper in front of the command. Everything else makes it uncertain.
struct WrapperOptions
{
    const char *program;
    CommandFacts::Kind kind;
    const char *flags;           ///< Letters without a value.
    const char *valued;          ///< Letters with one.
    QList<QByteArray> longFlags; ///< Without dashes.
    QList<QByteArray> longValued;
    int positionals = 0;           ///< Words between the options and the command.
    bool takesAssignments = false; ///< `name=value` words stand in front of the command.
};

/// The wrappers whose options are known.
const QList<WrapperOptions> &wrappers();

/// The options in front of a wrapper's command.
struct FoundOptions
{
    qsizetype next = 1; ///< Index of the first word behind them.
    QList<std::pair<QByteArray, SimpleCommand::Word>> values;
};

/// Reads the options of a wrapper; no value when one of them is not known for certain. `words` begins with the program.
std::optional<FoundOptions> readOptions(const WrapperOptions &known, const QList<SimpleCommand::Word> &words);

} // namespace spettro
