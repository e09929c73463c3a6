#pragma once

#include "tools/Json.h"

#include <QByteArray>
#include <QList>

#include <variant>

namespace spettro {

/// What a scripted model says, in TOML:
///
///     title = "..."                        # shown wherever the model's name is
///     [[turn]]
///     after = "failed"                     # optional: played only where the last result was "ok" or "failed"
///     after_output = "0 failed"            # optional: only where the last result's output contains this
///     say = "I look at the test first."    # what it says
///     calls = [ { tool = "file-read", input = { path = "calc.cpp" } } ]
///
/// Turns are played in their order; those whose condition does not hold are left out. After the last one the model has
/// nothing more to say.
struct ModelScript
{
    enum class After { Anything, Success, Failure };

    struct Call
    {
        QByteArray tool;
        Json input;
    };

    struct Turn
    {
        After after = After::Anything;
        QByteArray afterOutput; ///< Empty: any.
        QByteArray say;
        QList<Call> calls;
    };

    QByteArray title;
    QList<Turn> turns;
};

/// Reads a script. An error names the place, as `NAME:LINE:COLUMN: why`.
std::variant<ModelScript, QByteArray> readModelScript(const QByteArray &toml, const QByteArray &name);

} // namespace spettro
