#pragma once

#include "sandbox/policy/Policy.h"

#include <chrono>
#include <climits>
#include <optional>
#include <string>
#include <vector>

namespace spettro {

/// What the operator asks for.
enum class Verb { Goal, Exec, Call, Doctor, Explain, Accept };

/// How an answer is written.
enum class OutputFormat { Text, Json };

/// The flags that decide the policy, as they were typed.
struct PolicyFlags
{
    std::optional<std::string> mode;
    std::optional<std::string> network;
    std::vector<std::string> writableDirs;
    std::vector<std::string> readableDirs;
    std::vector<std::string> allowedVariables;
    bool allowSteering = false;
    std::string workspace; ///< `--cwd`; empty for the current folder.
    bool trustManifest = false;
    bool allowHomeWorkspace = false;
    int landlockAbiLimit = INT_MAX; ///< Test switch: lowers the Landlock ABI that Spettro believes in.
};

/// What `call` is to do.
struct CallFlags
{
    std::string tool;
    std::string input;  ///< The JSON text, or `-` for standard input.
    bool list = false;  ///< Print the tools instead.
    bool lines = false; ///< Calls come one a line from standard input, as one session.
};

/// The model that is to be asked.
struct ModelFlags
{
    std::string provider; ///< One of `createModel`'s table.
    std::string model;    ///< Of the scripted one: the file with its script; empty for the tour.
    std::string baseUrl;  ///< Where another server speaks the provider's protocol; empty for its own.
};

/// What a goal run is to do, and where it stops at the latest.
struct GoalFlags
{
    std::string objective;
    int maxIterations = 50;
    double maxMinutes = 240;
    long long maxTokens = 0; ///< 0: no limit.
    bool json = false;       ///< One JSON line for each event.
    bool quiet = false;      ///< Only how it ended.
};

/// A command line that was understood.
struct CommandLine
{
    Verb verb = Verb::Exec;
    PolicyFlags policy;
    std::vector<std::string> command; ///< What stands behind `--`.
    std::chrono::milliseconds timeout{0};
    OutputFormat format = OutputFormat::Text;
    CallFlags call;
    GoalFlags goal;
    ModelFlags model;
    std::string permission;            ///< `ask-first`, `restricted`, `yolo`, or empty where not said.
    std::vector<std::string> question; ///< Of `explain`: `read PATH`, `connect HOST:PORT`...
};

/// Either a command line to carry out, or the exit code of a process that has said all there is to say
/// (`--help`, `--version`, a usage error).
struct ParsedCommandLine
{
    std::optional<CommandLine> commandLine;
    int exitCode = 0;
};

/// Reads the arguments of `main()`. Help goes to standard output, errors to standard error.
ParsedCommandLine parseCommandLine(int argc, const char *const *argv);

} // namespace spettro
