#include "app/Composition.h"

#include "app/config/PolicyLoader.h"
#include "app/config/StateFolder.h"
#include "sandbox/linux/Backstop.h"
#include "tools/builtin/builtinTools.h"
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
    SessionSettings settings;
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

/// A goal run has nobody to ask: where nobody said something else, its bounds are all that holds it.
const char *fallbackPermission(Verb verb)
{
    return verb == Verb::Goal ? "yolo" : "ask-first";
}

Result<PermissionSettings> permissionSettings(const std::string &permission, const SessionPolicy &session,
                                              const std::string &stateFolder)
{
    PermissionSettings settings;
    settings.mode = *parsePermissionMode(QByteArray::fromStdString(permission)); // checked when it was read
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
    for (const ManifestTool &tool : session.agents.tools) {
        if (tool.requiresApproval) {
            settings.alwaysAsked.insert(QByteArray::fromStdString(tool.id));
        }
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

/// The tools that the agent of a session has.
ToolRegistry offeredTools(const AgentManifest &manifest, const SessionSettings &settings,
                          Composition::Tools more)
{
    ToolRegistry registry = builtinTools(manifest.runtime.defaultTimeoutSec
                                             ? std::chrono::seconds(*manifest.runtime.defaultTimeoutSec)
                                             : CommandTool::DefaultTimeout);
    const ManifestAgent *agent = settings.agentId.empty() ? nullptr : manifest.agent(settings.agentId);
    registry.keep([&](const QByteArray &name) { return manifest.offers(agent, name.toStdString()); });
    for (auto &tool : more) {
        registry.add(std::move(tool));
    }
    return registry;
}

QHash<QByteArray, std::chrono::seconds> limitsOf(const AgentManifest &manifest)
{
    QHash<QByteArray, std::chrono::seconds> limits;
    for (const ManifestTool &tool : manifest.tools) {
        if (tool.timeoutSec) {
            limits.insert(QByteArray::fromStdString(tool.id), std::chrono::seconds(*tool.timeoutSec));
        }
    }
    return limits;
}

} // namespace

Result<std::unique_ptr<Composition>> Composition::create(const CommandLine &line, Tools more,
                                                         Approver *approver)
{
    const Result<SessionPolicy> policy = loadSessionPolicy(line.policy);
    if (!policy) {
        return policy.error();
    }
    Result<SessionSettings> settings = mergeSession(line, policy->agents);
    if (!settings) {
        return settings.error();
    }
    for (const std::string &warning : policy->agents.warnings) {
        warnAbout(warning);
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
    Result<PermissionSettings> permissions = permissionSettings(
        settings->permission.empty() ? fallbackPermission(line.verb) : settings->permission, *policy,
        *stateFolder);
    if (!permissions) {
        return permissions.error();
    }
    std::unique_ptr<Composition> composition(new Composition(
        {*launcher, std::move(guard).value(), *stateFolder, *settings, std::move(permissions).value(),
         offeredTools(policy->agents, *settings, std::move(more)), approver}));
    composition->m_dispatcher.setLimits(limitsOf(policy->agents));
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
      m_settings(parts.settings), m_registry(std::move(parts.registry)),
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
