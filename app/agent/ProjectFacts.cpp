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

/// Reads a text that goes into the prompt; it has to lie in the project itself, or a link in a repository could hand any
/// file to a model.
ToolOutcome<QByteArray> readText(const ToolSession &session, const QByteArray &name)
{
    const ToolOutcome<ScopeHandle> file = session.guard().open(name, Access::Read);
    if (!file) {
        return file.error();
    }
    if (!isBeneath(file->realPath.toStdString(), session.policy().workspace())) {
        return ToolError{"it leads out of the project", EXDEV};
    }
    if (file->existing->st_size > LargestInstructions) {
        return ToolError{"it is larger than 64 KiB", EFBIG};
    }
    const ToolOutcome<QByteArray> text = readAll(*file);
    return text ? safeText(*text).trimmed() : text;
}

void readInstructions(const ToolSession &session, const QByteArray &name, ProjectFacts *facts)
{
    const ToolOutcome<QByteArray> text = readText(session, name);
    if (text && !text->isEmpty()) {
        facts->instructions.append({name, *text});
    } else if (!text && text.error().number != ENOENT) {
        facts->warnings.append(name + " is not used: " + text.error().message);
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

ProjectFacts readProjectFacts(ToolSession &session, const QByteArray &promptFile, const std::stop_token &stop)
{
    ProjectFacts facts;
    for (const char *name : {"AGENTS.md", "SPETTRO.md"}) {
        readInstructions(session, name, &facts);
    }
    if (!promptFile.isEmpty()) {
        const ToolOutcome<QByteArray> text = readText(session, promptFile);
        facts.prompt = text ? *text : QByteArray();
        facts.problem = text ? QByteArray() : visibleText(promptFile) + ": " + text.error().message;
    }
    if (session.policy().mode() != FileSystemMode::Off && isRepository(session.policy())) {
        facts.repository = readRepository(session, stop);
    }
    return facts;
}

} // namespace spettro
