#pragma once

#include "tests/support/Policies.h"
#include "tools/ToolDispatcher.h"
#include "tools/builtin/builtinTools.h"

#include <QElapsedTimer>
#include <QTest>

namespace spettro::test {

/// Answers each question by a function, and keeps the questions.
class ScriptedApprover : public Approver
{
public:
    std::function<ApprovalAnswer()> answer = [] { return ApprovalAnswer{ApprovalAnswer::AllowOnce, {}}; };
    QList<ApprovalQuestion> questions;

    void ask(const ApprovalQuestion &question, std::function<void(ApprovalAnswer)> done) override
    {
        questions.append(question);
        done(answer());
    }
};

/// A session of tools in a fixture.
class DispatcherSession
{
public:
    explicit DispatcherSession(const Fixture &fixture, PermissionMode mode = PermissionMode::Yolo,
                               const QList<PermissionRule> &rules = {},
                               sandbox::FileSystemMode files = sandbox::FileSystemMode::WorkspaceWrite,
                               ToolRegistry registry = builtinTools())
        : m_launcher(launcherFor(frozenPolicy(fixture, files))), m_registry(std::move(registry)),
          m_session(m_launchThread, m_launcher, ScopeGuard::create(m_launcher->policy.policy()).value(),
                    {"PATH=/usr/bin:/bin"}, QFile::encodeName(fixture.folder())),
          m_gate(settings(fixture, mode, rules), &approver),
          m_threads(m_launchThread, m_launcher->policy.ruleset()),
          m_dispatcher(m_registry, m_session, m_gate, m_threads)
    {
        QObject::connect(&m_dispatcher, &ToolDispatcher::finished, &m_dispatcher,
                         [this](int number, const ToolResult &result) { m_results.insert(number, result); });
    }

    int submit(const char *tool, const Json &input)
    {
        return m_dispatcher.submit({tool, QByteArray::fromStdString(input.dump())});
    }

    ToolResult await(int number)
    {
        QElapsedTimer timer;
        timer.start();
        while (!m_results.contains(number) && timer.elapsed() < 30'000) {
            QTest::qWait(5);
        }
        return m_results.value(number);
    }

    ToolResult call(const char *tool, const Json &input) { return await(submit(tool, input)); }

    ToolDispatcher &dispatcher() { return m_dispatcher; }
    const ToolRegistry &registry() const { return m_registry; }
    const sandbox::FrozenPolicy &policy() const { return m_launcher->policy.policy(); }

    PermissionGate &gate() { return m_gate; }

    ScriptedApprover approver;

private:
    static PermissionSettings settings(const Fixture &fixture, PermissionMode mode,
                                       const QList<PermissionRule> &rules)
    {
        const QByteArray workspace = QFile::encodeName(QFileInfo(fixture.workspace()).canonicalFilePath());
        const QByteArray state = QFile::encodeName(fixture.folder() + "/state");
        QDir().mkpath(fixture.folder() + "/state");
        return {mode, rules, ApprovalStore(state, workspace), workspace, qgetenv("HOME")};
    }

    std::shared_ptr<const sandbox::Launcher> m_launcher;
    LaunchThread m_launchThread;
    ToolRegistry m_registry;
    ToolSession m_session;
    PermissionGate m_gate;
    ConfinedThreads m_threads;
    ToolDispatcher m_dispatcher;
    QHash<int, ToolResult> m_results;
};

} // namespace spettro::test
