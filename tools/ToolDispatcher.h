#pragma once

#include "tools/ConfinedThreads.h"
#include "tools/PermissionGate.h"
#include "tools/ToolRegistry.h"
#include "tools/ToolSession.h"

#include <QHash>
#include <QObject>

#include <chrono>
#include <map>
#include <stop_token>

namespace spettro {

/// One call as it came from a model or a person.
struct ToolCall
{
    QByteArray tool;
    QByteArray input; ///< JSON text.
};

/// The only way from a call to the machine: finds the tool, reads the input, asks the rules and the person, opens what
/// the call works on, runs it. Calls run at the same time; those that change files one after the other.
class ToolDispatcher : public QObject
{
    Q_OBJECT

public:
    /// All have to outlive the dispatcher.
    ToolDispatcher(const ToolRegistry &registry, ToolSession &session, PermissionGate &gate,
                   ConfinedThreads &threads);
    ~ToolDispatcher() override;

    /// How long calls of some tools may take, by their names; longer ones are cancelled. To be set before the first call.
    void setLimits(const QHash<QByteArray, std::chrono::seconds> &limits) { m_limits = limits; }

    /// Hands a call over and returns its number at once; `finished` comes for it exactly once, later, in the thread of this
    /// object.
    int submit(const ToolCall &call);

    /// Ends a call soon, its command and what that has started within a second. Unknown numbers are passed over.
    void cancel(int number);
    void cancelAll();

signals:
    /// Output of a command that runs, as it comes.
    void outputArrived(int number, const QByteArray &text);
    void finished(int number, const spettro::ToolResult &result);

private:
    ToolResult carryOut(const ToolCall &call, int number, const std::stop_token &stop);
    ToolOutcome<std::unique_ptr<ToolTask>> readInput(const Tool &tool, const QByteArray &input) const;
    ToolOutcome<QByteArray> locate(const ToolTask &task) const;
    ToolOutcome<std::optional<ScopeHandle>> openScope(const ToolTask &task,
                                                      const QByteArray &judgedPath) const;

    const ToolRegistry &m_registry;
    ToolSession &m_session;
    PermissionGate &m_gate;
    ConfinedThreads &m_threads;
    std::map<int, std::stop_source> m_running; ///< Only touched in this object's thread.
    QHash<QByteArray, std::chrono::seconds> m_limits;
    int m_last = 0;
};

} // namespace spettro
