#pragma once

#include "sandbox/policy/Policy.h"

#include <chrono>
#include <climits>
#include <optional>
#include <string>
#include <vector>

namespace spettro {

/// What the operator asks for.
enum class Verb { Goal, Exec, Call, Doctor, Explain, Accept, Sessions, Connect, Models };

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
    std::string provider;        ///< One of `createModel`'s table.
    std::string model;           ///< Of the scripted one: the file with its script; empty for the tour.
    std::string baseUrl;         ///< Where another server speaks the provider's protocol; empty for its own.
    long long contextTokens = 0; ///< How much the model takes in at once; 0 where not said.
};

/// Which session is gone on with.
struct ResumeFlags
{
    std::optional<std::string> id;   ///< Empty: the last one of this folder. Nothing: a new session.
    bool isAllowedElsewhere = false; ///< A session that belongs to another folder may go on in this one.
};

/// What `sessions` is to do.
struct SessionsFlags
{
    enum class Act { List, Show, Remove, Undo };

    Act act = Act::List;
    std::string id;        ///< Of `undo`: empty for the last session of this folder.
    int fromTurn = 0;      ///< Of `undo`: this turn and all after it; 0 for the last one.
    bool force = false;    ///< Of `undo`: files that others have changed since are taken back as well.
    bool showOnly = false; ///< Of `undo`: only say what would be done.
};

/// What `connect` is to do.
struct ConnectFlags
{
    bool remove = false;  ///< Forget the key.
    bool useFile = false; ///< Keep it in the file below `~/.spettro`, not in the desktop's key store.
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
    bool steer = false; ///< Lines of standard input are messages for the model, also where it is no terminal.
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
    ResumeFlags resume;
    SessionsFlags sessions;
    ConnectFlags connect;
    std::string agent;                 ///< One of the manifest's; empty for its default.
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
