#include "app/CallCommand.h"

#include "app/Composition.h"
#include "app/LineInput.h"
#include "app/TerminationSignals.h"
#include "app/config/PolicyLoader.h"
#include "sandbox/child/ExitCode.h"
#include "tools/ToolInput.h"
#include "tools/builtin/builtinTools.h"

#include <QCoreApplication>

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <iterator>

namespace spettro {

namespace {

enum ExitCode { Done = 0, Failed = 1 };

void printLine(const Json &json)
{
    // Texts are valid UTF-8 by then; a path of an error might be not.
    const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

int listTools()
{
    const Json tools = builtinTools().json();
    std::printf("%s\n", tools.dump(2).c_str());
    return Done;
}

/// Carries out calls one after the other in the main thread's event loop.
class CallRunner
{
public:
    explicit CallRunner(Composition &composition)
        : m_dispatcher(composition.dispatcher()), m_signals([this] { m_dispatcher.cancelAll(); })
    {
        QObject::connect(&m_dispatcher, &ToolDispatcher::finished, &m_dispatcher,
                         [this](int, const ToolResult &result) {
                             take(result);
                             QCoreApplication::exit();
                         });
    }

    void run(const ToolCall &call)
    {
        m_dispatcher.submit(call);
        QCoreApplication::exec();
    }

    void take(const ToolResult &result)
    {
        printLine(result.json());
        if (!result.refusal.isEmpty()) {
            std::fprintf(stderr, "spettro: nothing was run: %s\n", result.refusal.constData());
            m_exitCode = sandbox::ExitUnenforceable;
        } else if (!result.ok && m_exitCode == Done) {
            m_exitCode = Failed;
        }
    }

    int exitCode() const
    {
        return m_signals.caught() ? sandbox::ExitSignalBase + *m_signals.caught() : m_exitCode;
    }
    bool isInterrupted() const { return m_signals.caught().has_value(); }

    /// Becomes readable when a signal has come.
    int signalDescriptor() const { return m_signals.descriptor(); }

private:
    ToolDispatcher &m_dispatcher;
    TerminationSignals m_signals;
    int m_exitCode = Done;
};

/// `{"tool": ..., "input": {...}}`.
ToolOutcome<ToolCall> parseCallLine(const QByteArray &line)
{
    const ToolOutcome<Json> json = parseInput(line);
    if (!json) {
        return json.error();
    }
    if (!json->is_object() || json->size() != 2 || !json->contains("tool") || !json->contains("input")
        || !json->at("tool").is_string()) {
        return ToolError{R"(a line has to be {"tool": "NAME", "input": {...}})"};
    }
    return ToolCall{QByteArray::fromStdString(json->at("tool").get<std::string>()),
                    QByteArray::fromStdString(json->at("input").dump())};
}

void runLines(CallRunner &runner)
{
    LineInput input(STDIN_FILENO, runner.signalDescriptor());
    std::optional<QByteArray> line;
    while (!runner.isInterrupted() && (line = input.next())) {
        const ToolOutcome<ToolCall> call = parseCallLine(*line);
        if (call) {
            runner.run(*call);
        } else {
            runner.take(ToolResult::failure(call.error()));
        }
    }
    QCoreApplication::processEvents(); // of a signal that ended the reading
}

QByteArray inputOf(const CallFlags &flags)
{
    if (flags.input != "-") {
        return QByteArray::fromStdString(flags.input);
    }
    return QByteArray::fromStdString({std::istreambuf_iterator<char>(std::cin), {}});
}

} // namespace

int callCommand(const CommandLine &line)
{
    if (line.call.list) {
        return listTools();
    }
    const auto composition = Composition::create(line, {}, nullptr);
    if (!composition) {
        return reportError(composition.error());
    }
    CallRunner runner(**composition);
    if (line.call.lines) {
        runLines(runner);
    } else {
        runner.run({QByteArray::fromStdString(line.call.tool), inputOf(line.call)});
    }
    return runner.exitCode();
}

} // namespace spettro
