#include "app/agent/ProjectFacts.h"

#include "sandbox/linux/HostPath.h"
#include "tools/GuardedFile.h"
#include "tools/text/SafeText.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace spettro {

using namespace sandbox;

namespace {

constexpr qint64 LargestInstructions =
    qint64{64} * 1024;                             // bytes; more is a manual, which the model can read itself
constexpr qsizetype LargestRepositoryState = 4096; // bytes
constexpr std::chrono::seconds GitLimit{2};

/// No lock is taken, and no program that the repository names is started to look for changes.
constexpr const char *GitScript =
    "git --no-optional-locks -c core.fsmonitor=false status --short --branch && "
    "git log -n 5 --format='%h %s'";

/// Keeps the beginning of an output.
class Beginning : public OutputSink
{
public:
    bool append(QByteArrayView bytes) override
    {
        m_text += bytes.first(std::min(bytes.size(), LargestRepositoryState - m_text.size())).toByteArray();
        return m_text.size() < LargestRepositoryState;
    }
    void finish() override {}

    const QByteArray &text() const { return m_text; }

private:
    QByteArray m_text;
};

/// Reads one file of instructions; it has to lie in the project itself, or a link in a repository could hand any file to a
/// model.
void readInstructions(const ToolSession &session, const QByteArray &name, ProjectFacts *facts)
{
    const ToolOutcome<ScopeHandle> file = session.guard().open(name, Access::Read);
    if (!file) {
        if (file.error().number != ENOENT) {
            facts->warnings.append(name + " is not used: " + file.error().message);
        }
        return;
    }
    if (!isBeneath(file->realPath.toStdString(), session.policy().workspace())) {
        facts->warnings.append(name + " is not used: it leads out of the project");
        return;
    }
    if (file->existing->st_size > LargestInstructions) {
        facts->warnings.append(name + " is not used: it is larger than 64 KiB");
        return;
    }
    const ToolOutcome<QByteArray> text = readAll(*file);
    if (!text) {
        facts->warnings.append(name + " is not used: " + text.error().message);
        return;
    }
    if (!text->trimmed().isEmpty()) {
        facts->instructions.append({name, safeText(*text).trimmed()});
    }
}

bool isRepository(const FrozenPolicy &policy)
{
    struct stat status;
    return ::fstatat(policy.workspaceDescriptor(), ".git", &status, AT_SYMLINK_NOFOLLOW) == 0;
}

QByteArray readRepository(ToolSession &session, const std::stop_token &stop)
{
    CommandSpec spec;
    spec.arguments = {"/bin/sh", "-c", GitScript};
    spec.environment = session.environment();
    spec.workingDirectory = session.policy().workspaceDescriptor();
    spec.timeout = GitLimit;
    Beginning output;
    session.jobs().runAside(std::move(spec), output, stop); // what it has said counts, whatever ended it
    return safeText(output.text()).trimmed();
}

} // namespace

ProjectFacts readProjectFacts(ToolSession &session, const std::stop_token &stop)
{
    ProjectFacts facts;
    for (const char *name : {"AGENTS.md", "SPETTRO.md"}) {
        readInstructions(session, name, &facts);
    }
    if (session.policy().mode() != FileSystemMode::Off && isRepository(session.policy())) {
        facts.repository = readRepository(session, stop);
    }
    return facts;
}

} // namespace spettro
