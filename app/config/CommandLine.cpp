#include "app/config/CommandLine.h"

#include "sandbox/child/ExitCode.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace spettro {

namespace {

constexpr double LongestTimeout = 366.0 * 24 * 3600; // seconds; keeps the arithmetic of deadlines in range

constexpr const char *Footer = R"(
Examples:
  spettro --goal 'make the tests pass' --provider scripted --sandbox workspace-write --sandbox-net none
  spettro sessions undo
  spettro exec --sandbox workspace-write --sandbox-net none -- make test
  spettro exec --sandbox read-only -- git log
  spettro call file-write '{"path":"notes.txt","content":"x"}' --sandbox workspace-write
  spettro sandbox doctor --sandbox workspace-write --sandbox-net none
  spettro sandbox explain --sandbox workspace-write write ~/.bashrc

Exit codes of exec: the command's own; 128+N when signal N ended it; 127 command not found;
126 the policy cannot be enforced here and nothing was run; 124 time limit; 2 wrong usage.
Exit codes of call: 0 done; 1 the tool failed and the JSON says why; 126; 2.
Exit codes of --goal: 0 complete; 1 stalled, failed, interrupted or at a limit; 126; 2.)";

/// Option values in the form in which CLI11 can fill them in.
struct RawOptions
{
    CommandLine line;
    double timeoutSeconds = 0;
    bool json = false;
};

void addWorkspaceFlag(CLI::App &app, PolicyFlags &flags)
{
    app.add_option("--cwd", flags.workspace, "the workspace; the current folder if absent")
        ->type_name("DIR")
        ->type_size(1)
        ->allow_extra_args(false)
        ->check([](const std::string &path) { return std::string(path.empty() ? "the name is empty" : ""); });
}

void addPolicyFlags(CLI::App &app, PolicyFlags &flags)
{
    const auto once = [](CLI::Option *option) { option->type_size(1)->allow_extra_args(false); };
    once(app.add_option("--sandbox", flags.mode, "off, workspace-write or read-only")->type_name("MODE"));
    once(app.add_option("--sandbox-net", flags.network, "all, localhost, none or ports:N,N")
             ->type_name("NET"));
    once(app.add_option("--sandbox-allow-dir", flags.writableDirs,
                        "one more folder that may be written (repeatable)")
             ->type_name("DIR"));
    once(app.add_option("--sandbox-allow-read-dir", flags.readableDirs,
                        "one more folder that may be read (repeatable)")
             ->type_name("DIR"));
    once(app.add_option("--sandbox-allow-env", flags.allowedVariables,
                        "let one environment variable through that would be removed (repeatable)")
             ->type_name("NAME"));
    addWorkspaceFlag(app, flags);
    app.add_flag("--sandbox-allow-steering", flags.allowSteering,
                 "let file tools change .git, .vscode and other files that steer programs on the host");
    app.add_flag("--trust-manifest", flags.trustManifest,
                 "take what spettro.agents.toml widens, for this run");
    app.add_flag("--allow-home-workspace", flags.allowHomeWorkspace,
                 "let the home folder itself be the workspace");
    once(app.add_option("--test-landlock-abi", flags.landlockAbiLimit)->group("")); // not in the help
}

/// Adds a subcommand whose options are made only when it is the one that is used: a launch pays for no other.
void addVerb(CLI::App &parent, const char *name, const char *description, Verb verb, RawOptions &raw,
             void (*addOptions)(CLI::App &, RawOptions &))
{
    CLI::App *app = parent.add_subcommand(name, description);
    app->preparse_callback([app, verb, &raw, addOptions](std::size_t) {
        raw.line.verb = verb;
        addOptions(*app, raw);
    });
}

void addExecOptions(CLI::App &app, RawOptions &raw)
{
    addPolicyFlags(app, raw.line.policy);
    app.add_option("--timeout", raw.timeoutSeconds, "end the command after so many seconds (exit 124)")
        ->type_name("SECONDS");
}

void addPermissionFlag(CLI::App &app, RawOptions &raw)
{
    app.add_option("--permission", raw.line.permission,
                   "what is asked before it is done: ask-first, restricted or yolo")
        ->type_name("MODE")
        ->check(CLI::IsMember({"ask-first", "restricted", "yolo"}));
}

void addModelFlags(CLI::App &app, ModelFlags &flags)
{
    app.add_option("--provider", flags.provider,
                   "who is asked: anthropic, openai, openai-responses, openrouter, ollama, or scripted, "
                   "which plays a script")
        ->type_name("NAME");
    app.add_option("--base-url", flags.baseUrl,
                   "another server that speaks the provider's protocol, e.g. http://127.0.0.1:8080/v1")
        ->type_name("URL");
    app.add_option("--model", flags.model, "the model; for scripted the script's file")->type_name("NAME");
}

/// The flags of a session with a model, which stand without a verb.
void addSessionOptions(CLI::App &app, RawOptions &raw)
{
    GoalFlags &goal = raw.line.goal;
    raw.line.verb = Verb::Goal;
    addPolicyFlags(app, raw.line.policy);
    addPermissionFlag(app, raw);
    app.add_option("--goal", goal.objective, "work on this without a person until it is reached")
        ->type_name("TEXT");
    addModelFlags(app, raw.line.model);
    app.add_option("--context-tokens", raw.line.model.contextTokens,
                   "how many tokens the model takes in at once, where Spettro does not know")
        ->type_name("N")
        ->check(CLI::Range(1'000LL, 1'000'000'000LL));
    app.add_option("--agent", raw.line.agent, "an agent of spettro.agents.toml")->type_name("ID");
    app.add_option("--resume", raw.line.resume.id,
                   "go on with a session; the last one of this folder if absent")
        ->type_name("[ID]")
        ->expected(0, 1);
    app.add_flag("--resume-here", raw.line.resume.isAllowedElsewhere,
                 "go on in this folder with a session that belongs to another");
    app.add_option("--max-iterations", goal.maxIterations, "end after so many turns of the model")
        ->type_name("N")
        ->check(CLI::Range(1, 100'000));
    app.add_option("--max-minutes", goal.maxMinutes, "end after so many minutes")
        ->type_name("N")
        ->check(CLI::Range(0.01, 500'000.0));
    app.add_option("--max-tokens", goal.maxTokens, "end after so many tokens, in and out")
        ->type_name("N")
        ->check(CLI::Range(0LL, 1'000'000'000'000LL));
    app.add_flag("--json", goal.json, "one JSON line for each event");
    app.add_flag("--quiet", goal.quiet, "say only how it ended");
    app.add_flag(
        "--steer", goal.steer,
        "read messages for the model from standard input, one a line; on a terminal that is so anyway");
}

void addCallOptions(CLI::App &app, RawOptions &raw)
{
    CallFlags &call = raw.line.call;
    addPolicyFlags(app, raw.line.policy);
    app.add_option("tool", call.tool, "the tool's name, as --list shows it")->type_name("TOOL");
    app.add_option("input", call.input, "its input as a JSON object, or - to read that from standard input")
        ->type_name("JSON");
    addPermissionFlag(app, raw);
    app.add_flag("--list", call.list, "print the tools with the JSON Schemas of their inputs");
    app.add_flag("--lines", call.lines,
                 R"(one session of calls: a line {"tool":...,"input":{...}} each on standard input)");
}

void addDoctorOptions(CLI::App &app, RawOptions &raw)
{
    addPolicyFlags(app, raw.line.policy);
    app.add_flag("--json", raw.json, "for machines");
}

void addExplainOptions(CLI::App &app, RawOptions &raw)
{
    addPolicyFlags(app, raw.line.policy);
    app.add_flag("--json", raw.json, "for machines");
    app.add_option("question", raw.line.question, "read|write|exec PATH, or connect HOST:PORT")
        ->expected(0, 2);
}

void addAcceptOptions(CLI::App &app, RawOptions &raw)
{
    addWorkspaceFlag(app, raw.line.policy);
}

void addSessionAct(CLI::App &parent, const char *name, const char *description, SessionsFlags::Act act,
                   RawOptions &raw)
{
    CLI::App *app = parent.add_subcommand(name, description);
    app->add_option("id", raw.line.sessions.id, "as 'spettro sessions' lists it")
        ->type_name("ID")
        ->required(act != SessionsFlags::Act::Undo);
    app->parse_complete_callback([act, &raw] { raw.line.sessions.act = act; });
    if (act == SessionsFlags::Act::Undo) {
        addPolicyFlags(*app, raw.line.policy);
        app->add_option("--turn", raw.line.sessions.fromTurn, "take back this turn and all after it")
            ->type_name("N")
            ->check(CLI::Range(1, 1'000'000));
        app->add_flag("--force", raw.line.sessions.force, "also files that somebody else has changed since");
        app->add_flag("--dry-run", raw.line.sessions.showOnly, "only say what would be done");
    }
}

void addSessionsOptions(CLI::App &app, RawOptions &raw)
{
    app.add_flag("--json", raw.json, "for machines");
    app.require_subcommand(0, 1);
    addSessionAct(app, "show", "print a session as Markdown", SessionsFlags::Act::Show, raw);
    addSessionAct(app, "delete", "remove a session and what it has saved of files",
                  SessionsFlags::Act::Remove, raw);
    addSessionAct(app, "undo", "take back what the file tools changed in the last turn",
                  SessionsFlags::Act::Undo, raw);
}

void addConnectOptions(CLI::App &app, RawOptions &raw)
{
    app.add_option("provider", raw.line.model.provider, "whose key it is: anthropic, openai, openrouter ...")
        ->type_name("PROVIDER")
        ->required();
    app.add_option("--base-url", raw.line.model.baseUrl, "another server that speaks the provider's protocol")
        ->type_name("URL");
    app.add_flag("--remove", raw.line.connect.remove, "forget the key");
    app.add_flag("--file", raw.line.connect.useFile,
                 "keep the key in a file of ~/.spettro, not in the desktop's key store");
}

void addModelsOptions(CLI::App &app, RawOptions &raw)
{
    addModelFlags(app, raw.line.model);
    app.add_flag("--json", raw.json, "for machines");
}

void addVerbs(CLI::App &app, RawOptions &raw)
{
    addVerb(app, "exec", "run one command under the policy: exec [FLAGS] -- CMD ARG...", Verb::Exec, raw,
            addExecOptions);
    addVerb(app, "call", "make one call of a tool, as a model would: call TOOL JSON [FLAGS]", Verb::Call, raw,
            addCallOptions);
    addVerb(app, "sessions", "list, show, delete sessions; undo what they changed", Verb::Sessions, raw,
            addSessionsOptions);
    addVerb(app, "connect", "store the key of a provider and try it", Verb::Connect, raw, addConnectOptions);
    addVerb(app, "models", "list the models that a provider offers", Verb::Models, raw, addModelsOptions);
    CLI::App *box = app.add_subcommand("sandbox", "look into the sandbox: doctor, explain, accept");
    box->require_subcommand(1);
    addVerb(*box, "doctor", "attack the sandbox and tell which promises hold here", Verb::Doctor, raw,
            addDoctorOptions);
    addVerb(*box, "explain", "tell what the policy is, from where, and what it allows", Verb::Explain, raw,
            addExplainOptions);
    addVerb(*box, "accept", "accept what spettro.agents.toml widens, for this folder", Verb::Accept, raw,
            addAcceptOptions);
}

/// The position of the first `--`, or argc.
int endOfFlags(int argc, const char *const *argv)
{
    return static_cast<int>(std::find(argv, argv + argc, std::string_view("--")) - argv);
}

ParsedCommandLine usageError(const std::string &message)
{
    std::fprintf(stderr, "spettro: %s\nTry 'spettro --help'.\n", message.c_str());
    return {std::nullopt, sandbox::ExitUsage};
}

/// The help of the subcommand that was named last.
std::string helpOf(const CLI::App &app)
{
    const CLI::App *named = &app;
    std::string before;
    while (!named->get_subcommands().empty()) {
        before += (before.empty() ? "" : " ") + named->get_name();
        named = named->get_subcommands().front();
    }
    return named->help(before);
}

ParsedCommandLine answer(const CLI::App &app, const CLI::ParseError &error)
{
    if (error.get_exit_code() != 0) {
        return usageError(error.what());
    }
    const bool asksVersion = error.get_name() == "CallForVersion";
    std::puts(asksVersion ? "spettro " SPETTRO_VERSION : helpOf(app).c_str());
    return {std::nullopt, 0};
}

ParsedCommandLine checkedCall(CommandLine line)
{
    const CallFlags &call = line.call;
    if (line.permission.empty()) {
        line.permission = "yolo"; // a person typed the call: nothing is asked
    }
    const bool isComplete =
        call.list || call.lines ? call.tool.empty() : !call.tool.empty() && !call.input.empty();
    if (!isComplete || (call.list && call.lines)) {
        return usageError(
            "call: either TOOL and its input as JSON (or - for standard input), or --list, or --lines");
    }
    return {std::move(line), 0};
}

ParsedCommandLine checkedGoal(CommandLine line)
{
    const bool isSaid = line.goal.objective.find_first_not_of(" \t\n") != std::string::npos;
    if (!isSaid && !line.resume.id) {
        return usageError("--goal: say what is to be reached");
    }
    return {std::move(line), 0};
}

ParsedCommandLine checked(RawOptions raw, bool hasSeparator)
{
    CommandLine &line = raw.line;
    line.format = raw.json ? OutputFormat::Json : OutputFormat::Text;
    if (line.verb != Verb::Exec) {
        return hasSeparator              ? usageError("only exec takes a command behind --")
               : line.verb == Verb::Call ? checkedCall(std::move(line))
               : line.verb == Verb::Goal ? checkedGoal(std::move(line))
                                         : ParsedCommandLine{std::move(line), 0};
    }
    if (line.command.empty()) {
        return usageError(hasSeparator ? "exec: there is no command behind --"
                                       : "exec: put -- and a command behind the flags, as in: spettro exec"
                                         " --sandbox workspace-write -- make");
    }
    if (line.command.front().empty()) {
        return usageError("exec: the command's name is empty");
    }
    if (!std::isfinite(raw.timeoutSeconds) || raw.timeoutSeconds < 0 || raw.timeoutSeconds > LongestTimeout) {
        return usageError("--timeout: a number of seconds between 0 and a year");
    }
    line.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(raw.timeoutSeconds * 1000)));
    return {std::move(line), 0};
}

} // namespace

ParsedCommandLine parseCommandLine(int argc, const char *const *argv)
{
    const int end = endOfFlags(argc, argv);
    RawOptions raw;
    raw.line.command.assign(argv + std::min(end + 1, argc), argv + argc);

    CLI::App app("A coding agent whose commands run inside the operating system's own sandbox.", "spettro");
    app.footer(Footer);
    app.set_version_flag("--version", SPETTRO_VERSION);

    // Without a verb, and for the help: a session with a model.
    if (argc < 2 || argv[1][0] == '-') {
        addSessionOptions(app, raw);
    }
    app.require_subcommand(0, 1);
    addVerbs(app, raw);
    try {
        app.parse(end, argv);
    } catch (const CLI::ParseError &error) {
        return answer(app, error);
    }
    return checked(std::move(raw), end < argc);
}

} // namespace spettro
