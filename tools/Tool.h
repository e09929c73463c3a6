#pragma once

#include "tools/ScopeGuard.h"
#include "tools/permissions/PermissionRules.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace spettro {

class ToolSession;

/// A path that a call wants, as its input names it.
struct ScopeWish
{
    QByteArray path;
    Access access = Access::Read;
};

/// What a call works with while it runs.
struct RunContext
{
    ToolSession &session;
    std::stop_token stop;              ///< The call was cancelled: end soon.
    std::optional<ScopeHandle> handle; ///< What was opened for the call's wish.
    /// Takes the output of a command as it comes, in any thread; may be empty.
    std::function<void(const QByteArray &)> outputArrived;
};

/// One call of a tool whose input has been read: what it needs first, then what it does.
class ToolTask
{
public:
    virtual ~ToolTask() = default;

    /// The path that it works on; nothing for calls that name none.
    virtual std::optional<ScopeWish> wish() const { return std::nullopt; }

    /// The command line that it runs; empty for all but shell tools.
    virtual QByteArray command() const { return {}; }

    /// Does it. Called once, on a thread of file tools; may block.
    virtual ToolResult run(RunContext &context) = 0;
};

/// A tool as the model sees it.
class Tool
{
public:
    virtual ~Tool() = default;

    virtual QByteArray name() const = 0;
    virtual QByteArray description() const = 0;

    /// The JSON Schema of the input, of the kinds that `checkInput` knows.
    virtual Json schema() const = 0;

    /// Fields of the input that may hold NUL characters: file contents.
    virtual QList<QByteArray> rawFields() const { return {}; }

    /// What calls do, for permission rules. Calls that change files are carried out one after the other, in the order in
    /// which they came.
    virtual PermissionRequest::Kind kind() const = 0;

    /// Makes a task from an input that the schema allows. An error names the field.
    virtual ToolOutcome<std::unique_ptr<ToolTask>> read(const Json &input) const = 0;
};

} // namespace spettro
