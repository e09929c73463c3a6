#include "app/Composition.h"

#include "app/config/PolicyLoader.h"
#include "app/config/StateFolder.h"
#include "sandbox/linux/Backstop.h"
#include "tools/shell/CommandEnvironment.h"

#include <QCoreApplication>

#include <cstdio>
#include <semaphore>

namespace spettro {

using namespace sandbox;

/// What can fail to be had, in the order in which it is needed.
struct Composition::Parts
{
    std::shared_ptr<const Launcher> launcher;
    ScopeGuard guard;
    std::string stateFolder;
    PermissionSettings permissions;
    ToolRegistry registry;
    Approver *approver = nullptr;
};

namespace {

Result<std::shared_ptr<const Launcher>> createLauncher(const CommandLine &line, const FrozenPolicy &policy)
{
    const Result<CompiledPolicy> compiled =
        CompiledPolicy::create(policy, probeHost(line.policy.landlockAbiLimit));
    if (!compiled) {
        return compiled.error();
    }
    const QString folder = QCoreApplication::applicationDirPath();
    const Result<ProgramImage> program = ProgramImage::load((folder + "/spettro").toStdString());
    if (!program) {
        return program.error();
    }
    return std::make_shared<const Launcher>(Launcher{*compiled, *program});
}

Result<PermissionSettings> permissionSettings(const CommandLine &line, const SessionPolicy &session,
                                              const std::string &stateFolder)
{
    PermissionSettings settings;
    settings.mode =
        parsePermissionMode(QByteArray::fromStdString(line.permission))
            .value_or(PermissionMode::AskFirst); // where nothing was said; else checked when it was read
    settings.workspace = QByteArray::fromStdString(session.policy.workspace());
    settings.home = qgetenv("HOME");
    for (const ManifestRule &rule : session.permissionRules) {
        const auto made = makePermissionRule(QByteArray::fromStdString(rule.permission),
                                             QByteArray::fromStdString(rule.pattern),
                                             QByteArray::fromStdString(rule.action));
        if (const auto *error = std::get_if<QString>(&made)) {
            return Error{ErrorKind::Usage, rule.place + ": " + error->toStdString(), 0};
        }
        settings.rules.append(std::get<PermissionRule>(made));
    }
    if (!isWritable(session.policy, stateFolder)) {
        settings.store.emplace(QByteArray::fromStdString(stateFolder), settings.workspace);
    }
    return settings;
}

void warnAbout(const std::string &what)
{
    if (!what.empty()) {
        std::fprintf(stderr, "spettro: warning: %s\n", what.c_str());
    }
}

} // namespace

Result<std::unique_ptr<Composition>> Composition::create(const CommandLine &line, ToolRegistry registry,
                                                         Approver *approver)
{
    const Result<SessionPolicy> policy = loadSessionPolicy(line.policy);
    if (!policy) {
        return policy.error();
    }
    const Result<std::shared_ptr<const Launcher>> launcher = createLauncher(line, policy->policy);
    if (!launcher) {
        return launcher.error();
    }
    const Result<std::string> stateFolder = createStateFolder();
    if (!stateFolder) {
        return stateFolder.error();
    }
    ToolOutcome<ScopeGuard> guard = ScopeGuard::create(policy->policy);
    if (!guard) {
        return Error{ErrorKind::Unenforceable, guard.error().message.toStdString(), guard.error().number};
    }
    Result<PermissionSettings> permissions = permissionSettings(line, *policy, *stateFolder);
    if (!permissions) {
        return permissions.error();
    }
    std::unique_ptr<Composition> composition(
        new Composition({*launcher, std::move(guard).value(), *stateFolder, std::move(permissions).value(),
                         std::move(registry), approver}));
    warnAbout(composition->m_gate.storeError().toStdString());
    const Result<bool> backstop =
        enterBackstop(policy->policy, {*stateFolder, policy->policy.workspace() + "/.spettro"},
                      probeHost(line.policy.landlockAbiLimit).landlockAbi);
    if (!backstop) {
        warnAbout("this process itself is without its second line of defence: " + backstop.error().message);
    }
    return composition;
}

Composition::Composition(Parts parts)
    : m_launcher(parts.launcher), m_stateFolder(QByteArray::fromStdString(parts.stateFolder)),
      m_registry(std::move(parts.registry)),
      m_session(m_launchThread, parts.launcher, std::move(parts.guard),
                unattended(commandEnvironment(parts.launcher->policy.policy())), m_stateFolder + "/outputs"),
      m_gate(std::move(parts.permissions), parts.approver),
      m_threads(m_launchThread, parts.launcher->policy.ruleset()),
      m_dispatcher(m_registry, m_session, m_gate, m_threads)
{}

std::optional<Error> Composition::runConfined(const std::function<void(ToolSession &)> &work)
{
    std::optional<Error> refused;
    std::binary_semaphore done(0);
    m_threads.run(ConfinedThreads::Order::InTurn, [&](const std::optional<Error> &error) {
        refused = error;
        if (!error) {
            work(m_session);
        }
        done.release();
    });
    done.acquire();
    return refused;
}

} // namespace spettro
