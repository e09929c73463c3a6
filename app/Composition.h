#pragma once

#include "app/config/SessionSettings.h"
#include "sandbox/policy/Result.h"
#include "tools/ToolDispatcher.h"

#include <functional>
#include <memory>
#include <optional>

namespace spettro {

/// The parts of a session, put together in the order that their bounds need: the launch thread first, then the
/// threads of the file tools, and at last this process's own backstop. The only place that sees all of them.
class Composition
{
public:
    using Tools = std::vector<std::unique_ptr<const Tool>>;

    /// Starts a session for a command line. Errors are for the operator. `more` are tools besides the built-in ones.
    /// `approver` may be null: then what would have to be asked is refused; it has to outlive this.
    static sandbox::Result<std::unique_ptr<Composition>> create(const CommandLine &line, Tools more,
                                                                Approver *approver);

    const sandbox::FrozenPolicy &policy() const { return m_session.policy(); }
    const QByteArray &stateFolder() const { return m_stateFolder; }
    const SessionSettings &settings() const { return m_settings; }

    const ToolRegistry &registry() const { return m_registry; }
    ToolSession &session() { return m_session; }
    PermissionGate &gate() { return m_gate; }
    ToolDispatcher &dispatcher() { return m_dispatcher; }

    /// Runs a function on a file thread, under the commands' own bounds, and waits for its end. An error where the thread
    /// could not take these bounds: then nothing was run.
    std::optional<sandbox::Error> runConfined(const std::function<void(ToolSession &)> &work);

private:
    struct Parts;

    explicit Composition(Parts parts);

    std::shared_ptr<const sandbox::Launcher> m_launcher;
    QByteArray m_stateFolder;
    SessionSettings m_settings;
    LaunchThread m_launchThread;
    ToolRegistry m_registry;
    ToolSession m_session;
    PermissionGate m_gate;
    ConfinedThreads m_threads;
    ToolDispatcher m_dispatcher;
};

} // namespace spettro
