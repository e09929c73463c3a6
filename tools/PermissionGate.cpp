#include "tools/PermissionGate.h"

#include "sandbox/linux/HostPath.h"
#include "tools/text/SafeText.h"

#include <condition_variable>

namespace spettro {

namespace {

QString describe(const PermissionRequest &request)
{
    const QByteArray path = request.paths.value(0);
    switch (request.kind) {
    case PermissionRequest::Command:
        return QString::fromUtf8(visibleText(request.command) + "\n(in " + visibleText(path) + ')');
    case PermissionRequest::Read:
    case PermissionRequest::Change:
    case PermissionRequest::Other:
        return QString::fromUtf8(visibleText(path));
    }
    return {};
}

ToolError refusalFor(const ApprovalAnswer &answer)
{
    if (answer.kind == ApprovalAnswer::DenyWithInstruction) {
        return {"the user did not allow this, and says: " + safeText(answer.instruction.toUtf8())};
    }
    return {"the user did not allow this"};
}

} // namespace

/// A question that a thread waits for the answer of.
struct PermissionGate::Pending
{
    std::mutex mutex;
    std::condition_variable_any answered;
    std::optional<ApprovalAnswer> answer;

    void set(ApprovalAnswer given)
    {
        {
            const std::scoped_lock lock(mutex);
            answer = std::move(given);
        }
        answered.notify_all();
    }
};

PermissionGate::PermissionGate(PermissionSettings settings, Approver *approver)
    : m_settings(std::move(settings)), m_approver(approver)
{
    if (!m_settings.store) {
        return;
    }
    const ApprovalStore::Rules stored = m_settings.store->rules();
    if (const auto *rules = std::get_if<QList<PermissionRule>>(&stored)) {
        m_always = *rules;
    } else {
        m_storeError = std::get<QString>(stored);
    }
}

std::optional<ToolError> PermissionGate::pass(const Tool &tool, const ToolTask &task,
                                              const QByteArray &realPath, const std::stop_token &stop)
{
    const PermissionRequest request = requestFor(tool, task, realPath);
    QList<PermissionRule> always;
    {
        const std::scoped_lock lock(m_mutex);
        always = m_always;
    }
    const Judgement judgement = judge(request, m_settings.mode, m_settings.rules, always);
    switch (judgement.action) {
    case RuleAction::Allow:
        return m_settings.alwaysAsked.contains(request.tool)
                   ? ask({request.tool, describe(request), {"each call of this tool is asked for"}, {}}, stop)
                   : std::nullopt;
    case RuleAction::Deny:
        return ToolError{"this is not permitted here"};
    case RuleAction::Ask:
        return ask({request.tool, describe(request), judgement.dangers, judgement.alwaysRules}, stop);
    }
    return ToolError{"this is not permitted here"};
}

PermissionRequest PermissionGate::requestFor(const Tool &tool, const ToolTask &task,
                                             const QByteArray &realPath) const
{
    PermissionRequest request;
    request.tool = tool.name();
    request.kind = tool.kind();
    request.command = task.command();
    request.workspace = m_settings.workspace;
    request.home = m_settings.home;
    if (!realPath.isEmpty()) {
        request.paths = {realPath};
        request.pathsInWorkspace =
            sandbox::isBeneath(realPath.toStdString(), m_settings.workspace.toStdString());
    }
    return request;
}

std::optional<ToolError> PermissionGate::ask(ApprovalQuestion question, const std::stop_token &stop)
{
    if (m_approver == nullptr) {
        return ToolError{"this needs the user's permission, and nobody is there to give it"};
    }
    const auto pending = std::make_shared<Pending>();
    QMetaObject::invokeMethod(this, [this, pending, question = std::move(question)] {
        m_approver->ask(question, [this, pending, question](ApprovalAnswer answer) {
            if (answer.kind == ApprovalAnswer::AllowAlways) {
                remember(question.alwaysRules);
            }
            emit answered(question, answer);
            pending->set(std::move(answer));
        });
    });
    std::unique_lock lock(pending->mutex);
    pending->answered.wait(lock, stop, [&pending] { return pending->answer.has_value(); });
    if (!pending->answer) {
        return ToolError{"cancelled"};
    }
    const bool isAllowed = pending->answer->kind == ApprovalAnswer::AllowOnce
                           || pending->answer->kind == ApprovalAnswer::AllowAlways;
    return isAllowed ? std::nullopt : std::optional(refusalFor(*pending->answer));
}

void PermissionGate::remember(const QList<PermissionRule> &rules)
{
    for (const PermissionRule &rule : rules) {
        if (m_settings.store) {
            m_storeError = m_settings.store->add(rule).value_or(m_storeError);
        }
        const std::scoped_lock lock(m_mutex);
        m_always.append(rule);
    }
}

} // namespace spettro
