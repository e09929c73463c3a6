#pragma once

#include "tools/Tool.h"
#include "tools/search/FoundLine.h"
#include "tools/search/GlobPattern.h"
#include "tools/search/LineSearch.h"

namespace spettro {

/// What `grep` is to find.
struct GrepRequest
{
    QByteArray pattern;
    PatternSyntax syntax = PatternSyntax::Regex;
    LetterCase letterCase = LetterCase::Distinguish;
    std::optional<GlobPattern> glob; ///< Only in files whose path from the folder fits.
    qsizetype limit = 0;             ///< How many lines at most.
};

/// What was found.
struct GrepFindings
{
    QList<FoundLine> lines;
    QList<QByteArray> binaryFiles; ///< In which something matches.
    qsizetype leftOut = 0;         ///< Matching lines beyond the limit.
    QList<QByteArray> tooCostly;   ///< Files in which the pattern took too long.
    bool isComplete = true;
    bool isCancelled = false;
};

/// Searches the folder or the file that the context holds with the engine of this program.
GrepFindings searchHere(const GrepRequest &request, const LineSearch &search, RunContext &context);

/// Searches the folder with ripgrep, which gives the same, under the session's policy. Nothing where there is no ripgrep or
/// it did not do it.
std::optional<GrepFindings> searchByRipgrep(const GrepRequest &request, RunContext &context);

} // namespace spettro
