#pragma once

#include "sandbox/SandboxedProcess.h"
#include "sandbox/linux/freezePolicy.h"
#include "tests/support/Fixture.h"

#include <QDir>

#include <climits>

/// Policies made directly, for tests of the library.
namespace spettro::test {

inline sandbox::FrozenPolicy frozenPolicy(const Fixture &fixture, sandbox::FileSystemMode mode,
                                          const QStringList &writable = {}, const QStringList &readable = {})
{
    using namespace sandbox;
    Policy policy;
    policy.workspace = fixture.workspace().toStdString();
    policy.mode.value = mode;
    for (const QString &dir : writable) {
        policy.writableDirs.push_back({dir.toStdString(), {Origin::Kind::Flag, "--sandbox-allow-dir"}});
    }
    for (const QString &dir : readable) {
        policy.readableDirs.push_back({dir.toStdString(), {Origin::Kind::Flag, "--sandbox-allow-read-dir"}});
    }
    return freezePolicy(policy, {QDir::homePath().toStdString(), {}, HomeWorkspace::Refused}).value();
}

inline std::shared_ptr<const sandbox::Launcher> launcherFor(const sandbox::FrozenPolicy &policy)
{
    using namespace sandbox;
    return std::make_shared<const Launcher>(
        Launcher{CompiledPolicy::create(policy, probeHost(INT_MAX)).value(),
                 ProgramImage::load(spettroPath().toStdString()).value()});
}

} // namespace spettro::test
