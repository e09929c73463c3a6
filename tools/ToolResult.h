#pragma once

#include "sandbox/policy/Result.h"
#include "tools/Json.h"

#include <QByteArray>
#include <QMetaType>

namespace spettro {

/// Why a call failed, in words for the model: valid UTF-8, never about how commands are kept in bounds.
struct ToolError
{
    QByteArray message;
    int number = 0; ///< The system's error number behind it; 0 where there is none.

    bool operator==(const ToolError &) const = default;
};

/// A value, or why there is none.
template<typename T>
using ToolOutcome = sandbox::Result<T, ToolError>;

/// `ACT PATH: REASON`, e.g. `open src/x: Permission denied`; the path is shown with odd bytes escaped.
ToolError pathError(const char *act, QByteArrayView path, int number);

/// What one call of a tool gave.
struct ToolResult
{
    bool ok = false;
    QByteArray output;           ///< Valid UTF-8.
    QByteArray error;            ///< Empty where ok.
    Json facts = Json::object(); ///< More members of the result: `exit_code`, `truncated`...
    /// The policy could not be enforced: nothing was run. For the operator; the model is only told that it failed.
    QByteArray refusal;
    /// It did not begin: a rule, a person, or the rights on its path did not let it. For the operator.
    bool wasRefused = false;

    static ToolResult success(QByteArray output);
    static ToolResult failure(const ToolError &error);
    static ToolResult refused(const ToolError &error);

    /// `{"ok", "output", "error"?, ...facts}` as a model gets it.
    Json json() const;
};

} // namespace spettro

Q_DECLARE_METATYPE(spettro::ToolResult)
