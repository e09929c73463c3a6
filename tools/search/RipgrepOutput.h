#pragma once

#include "tools/search/FoundLine.h"
#include "tools/search/GlobPattern.h"
#include "tools/search/LineSearch.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QList>
#include <QString>

#include <optional>
#include <variant>

namespace spettro {

/// Whether the `.gitignore` files of the folders above the one where ripgrep runs count.
enum class ParentRules {
    Disregard, ///< It runs at the top of a repository, or in none.
    Honour,    ///< It runs in a folder below the top of a repository.
};

/// What ripgrep is to search. The process has to be started in the folder of the search.
struct RipgrepRequest
{
    QByteArray pattern; ///< One that needs no engine of our own, see LineSearch.
    QByteArray path;    ///< Where below the folder; empty for all of it.
    PatternSyntax syntax = PatternSyntax::Regex;
    LetterCase letterCase = LetterCase::Distinguish;
    ParentRules parentRules = ParentRules::Disregard;
};

/// What ripgrep said.
struct RipgrepResult
{
    QList<FoundLine> lines;        ///< In ripgrep's order, no more than the limit.
    QList<QByteArray> binaryFiles; ///< Files with a NUL byte in which something matches.
    qsizetype leftOutLines = 0;    ///< Matching lines beyond the limit.
    bool isComplete = false; ///< Ripgrep came to its end; else it was ended, and what there is, is good.
};

/// The arguments that make ripgrep give what TreeWalk and LineSearch give, without the program's name.
QList<QByteArray> ripgrepArguments(const RipgrepRequest &request);

/// Reads what ripgrep wrote with these arguments, or says what is wrong with it. A glob is applied here and not by
/// ripgrep, whose `--glob` overrules `.gitignore`.
std::variant<RipgrepResult, QString> parseRipgrepOutput(QByteArrayView output,
                                                        const std::optional<GlobPattern> &glob,
                                                        qsizetype limit);

} // namespace spettro
