#pragma once

#include "tools/ChangeWitness.h"
#include "tools/ScopeGuard.h"
#include "tools/SeenFiles.h"
#include "tools/shell/JobTable.h"

namespace spettro {

/// What the tools of one session share. Nothing in it changes what the operator has set.
class ToolSession
{
public:
    /// `environment` is that of every command; outputs are kept in nameless files of `outputFolder`.
    ToolSession(LaunchThread &launcher, std::shared_ptr<const sandbox::Launcher> launch, ScopeGuard guard,
                std::vector<std::string> environment, const QByteArray &outputFolder)
        : m_launch(launch), m_guard(std::move(guard)), m_environment(std::move(environment)),
          m_jobs(launcher, std::move(launch), outputFolder)
    {}

    const sandbox::FrozenPolicy &policy() const { return m_launch->policy.policy(); }
    const ScopeGuard &guard() const { return m_guard; }
    const std::vector<std::string> &environment() const { return m_environment; }
    SeenFiles &seen() { return m_seen; }
    JobTable &jobs() { return m_jobs; }

    /// Who is told of changes of files before they are made; null for nobody. To be set before the first call; has to
    /// outlive the session.
    ChangeWitness *changeWitness() const { return m_changeWitness; }
    void setChangeWitness(ChangeWitness *witness) { m_changeWitness = witness; }

private:
    std::shared_ptr<const sandbox::Launcher> m_launch;
    ScopeGuard m_guard;
    std::vector<std::string> m_environment;
    SeenFiles m_seen;
    JobTable m_jobs;
    ChangeWitness *m_changeWitness = nullptr;
};

} // namespace spettro
