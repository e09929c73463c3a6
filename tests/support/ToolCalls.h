#pragma once

#include "tests/support/Fixture.h"

#include <nlohmann/json.hpp>

/// What tests of `spettro call` share.
namespace spettro::test {

using Json = nlohmann::ordered_json;

/// What one call gave.
struct CallResult
{
    int exitCode = -1; ///< Of `spettro`; -1 for a call of a `CallSession`.
    Json json;         ///< Null where the output was not one line of JSON.
    QByteArray line;   ///< The output as it came.
    QByteArray errors; ///< Standard error.

    bool ok() const { return json.is_object() && json.value("ok", false); }
    QByteArray output() const;
    QByteArray error() const;
};

/// All of a result in one line, for the message of a failed check.
QByteArray describe(const CallResult &result);

/// The default policy of these tests.
inline const QStringList WorkspaceOnly{"--sandbox", "workspace-write", "--sandbox-net", "none"};

/// `spettro call TOOL - FLAGS`, started in the workspace (or `options.folder`), with the input by standard input.
CallResult call(const Fixture &fixture, const char *tool, const Json &input,
                const QStringList &flags = WorkspaceOnly, RunOptions options = {});

/// `spettro call --lines FLAGS`: several calls in one session.
class CallSession
{
public:
    explicit CallSession(const Fixture &fixture, const QStringList &flags = WorkspaceOnly,
                         const RunOptions &options = {});

    /// Ends the session by closing its input; waits for it.
    ~CallSession();

    /// Makes a call and waits for its result.
    CallResult call(const char *tool, const Json &input, int timeLimit = 60'000);

    /// Sends a line as it is, and waits for one back.
    CallResult sendLine(const QByteArray &line, int timeLimit = 60'000);

    QProcess &process() { return m_process; }

private:
    QProcess m_process;
};

} // namespace spettro::test
