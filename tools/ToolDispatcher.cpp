#include "tools/ToolDispatcher.h"

#include "tools/ToolInput.h"
#include "tools/text/SafeText.h"

#include <QTimer>

#include <cerrno>

namespace spettro {

namespace {

ToolResult notConfined(const sandbox::Error &error)
{
    ToolResult result = ToolResult::failure({"the tool could not be started"});
    result.refusal = QByteArray::fromStdString(error.message);
    return result;
}

ToolResult notOpened(const ToolError &error)
{
    const bool wasRefused = error.number == EACCES || error.number == EPERM || error.number == EROFS;
    return wasRefused ? ToolResult::refused(error) : ToolResult::failure(error);
}

} // namespace

ToolDispatcher::ToolDispatcher(const ToolRegistry &registry, ToolSession &session, PermissionGate &gate,
                               ConfinedThreads &threads)
    : m_registry(registry), m_session(session), m_gate(gate), m_threads(threads)
{
    qRegisterMetaType<ToolResult>();
}

ToolDispatcher::~ToolDispatcher()
{
    cancelAll();
    m_threads.finishAll();
}

int ToolDispatcher::submit(const ToolCall &call)
{
    const int number = ++m_last;
    const std::stop_token stop = m_running[number].get_token();
    const Tool *tool = m_registry.find(call.tool);
    const auto order = tool && tool->kind() == PermissionRequest::Change ? ConfinedThreads::Order::InTurn
                                                                         : ConfinedThreads::Order::AnyTime;
    m_threads.run(order, [this, call, number, stop](const std::optional<sandbox::Error> &error) {
        const ToolResult result = error ? notConfined(*error) : carryOut(call, number, stop);
        QMetaObject::invokeMethod(this, [this, number, result] {
            m_running.erase(number);
            emit finished(number, result);
        });
    });
    if (const auto limit = m_limits.find(call.tool); limit != m_limits.end()) {
        QTimer::singleShot(*limit, this, [this, number] { cancel(number); });
    }
    return number;
}

void ToolDispatcher::cancel(int number)
{
    if (const auto running = m_running.find(number); running != m_running.end()) {
        running->second.request_stop();
    }
}

void ToolDispatcher::cancelAll()
{
    for (auto &[number, source] : m_running) {
        source.request_stop();
    }
}

ToolResult ToolDispatcher::carryOut(const ToolCall &call, int number, const std::stop_token &stop)
{
    const Tool *tool = m_registry.find(call.tool);
    if (tool == nullptr) {
        return ToolResult::failure({"there is no tool '" + visibleText(call.tool)
                                    + "'; there are: " + m_registry.names().join(", ")});
    }
    const auto task = readInput(*tool, call.input);
    if (!task) {
        return ToolResult::failure(task.error());
    }
    const auto path = locate(**task);
    if (!path) {
        return notOpened(path.error());
    }
    if (const auto refused = m_gate.pass(*tool, **task, *path, stop)) {
        return ToolResult::refused(*refused);
    }
    auto handle = openScope(**task, *path);
    if (!handle) {
        return notOpened(handle.error());
    }
    RunContext context{m_session, stop, std::move(handle).value(),
                       [this, number](const QByteArray &text) { emit outputArrived(number, text); }};
    return (*task)->run(context);
}

ToolOutcome<std::unique_ptr<ToolTask>> ToolDispatcher::readInput(const Tool &tool,
                                                                 const QByteArray &text) const
{
    const ToolOutcome<Json> input = parseInput(text);
    if (!input) {
        return input.error();
    }
    const ToolOutcome<bool> checked = checkInput(*input, tool.schema(), tool.rawFields());
    return checked ? tool.read(*input) : checked.error();
}

/// Where the path of a call leads; empty for a call without one.
ToolOutcome<QByteArray> ToolDispatcher::locate(const ToolTask &task) const
{
    const std::optional<ScopeWish> wish = task.wish();
    return wish ? m_session.guard().locate(wish->path) : QByteArray();
}

ToolOutcome<std::optional<ScopeHandle>> ToolDispatcher::openScope(const ToolTask &task,
                                                                  const QByteArray &judgedPath) const
{
    const std::optional<ScopeWish> wish = task.wish();
    if (!wish) {
        return std::optional<ScopeHandle>();
    }
    ToolOutcome<ScopeHandle> handle = m_session.guard().open(wish->path, wish->access);
    if (!handle) {
        return handle.error();
    }
    if (handle->realPath != judgedPath) {
        return ToolError{"open " + visibleText(wish->path)
                         + ": it led somewhere else a moment ago; try again"};
    }
    return std::optional(std::move(handle).value());
}

} // namespace spettro
