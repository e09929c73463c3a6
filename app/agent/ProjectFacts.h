#pragma once

#include "tools/ToolSession.h"

#include <stop_token>

namespace spettro {

/// What a model is told of a project before it begins.
struct ProjectFacts
{
    struct Instructions
    {
        QByteArray file;
        QByteArray text;
    };

    QList<Instructions> instructions; ///< Of `AGENTS.md` and `SPETTRO.md`, where they are.
    QByteArray repository;            ///< Branch, changes and last commits; empty where nothing is known.
    QByteArray prompt;                ///< The text of the prompt file, where one was asked for.
    QList<QByteArray> warnings;       ///< What was left out, for the operator.
    QByteArray problem;               ///< Why the prompt file cannot be read; empty where it can.
};

/// Reads them by the ways that tools have: files through the guard, the repository by git under the session's bounds.
/// Without bounds git is not asked, since what a repository configures would run by opening it. To be called on a file
/// thread; takes at most two seconds. `promptFile` is relative to the workspace, and may be empty.
ProjectFacts readProjectFacts(ToolSession &session, const QByteArray &promptFile,
                              const std::stop_token &stop);

} // namespace spettro
