#include "sandbox/linux/freezePolicy.h"

#include "sandbox/linux/Descriptor.h"
#include "sandbox/linux/HostPath.h"
#include "sandbox/linux/SystemRoots.h"
#include "sandbox/plan/SystemPaths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

namespace spettro::sandbox {

namespace {

bool isCharacterDevice(const Root &root)
{
    struct stat status;
    return ::fstat(*root.descriptor, &status) == 0 && S_ISCHR(status.st_mode);
}

/// Files of the kernel itself, under whatever name they are mounted.
bool isKernelInterface(const Root &root)
{
    struct statfs status;
    return ::fstatfs(*root.descriptor, &status) == 0
           && (status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC);
}

Error usageError(std::string message)
{
    return {ErrorKind::Usage, std::move(message), 0};
}

class Freezer
{
public:
    Freezer(Policy policy, const FreezeOptions &options) : m_options(options)
    {
        m_content.policy = std::move(policy);
    }

    Result<FrozenPolicy> freeze()
    {
        const Policy &asked = m_content.policy;
        openHome();
        openWorkspace();
        if (asked.mode.value != FileSystemMode::Off) {
            openSystem();
            openTemporaryDirectory();
            for (const Sourced<std::string> &dir : asked.writableDirs) {
                openExtra(dir, Grant::Write);
            }
            for (const Sourced<std::string> &dir : asked.readableDirs) {
                openExtra(dir, Grant::Read);
            }
        }
        if (m_error) {
            return *m_error;
        }
        return FrozenPolicy(std::move(m_content));
    }

private:
    void openHome()
    {
        Result<Root> home = openRealRoot(m_options.home, Grant::Read, {Origin::Kind::System, "HOME"});
        if (home) {
            m_home = std::move(home).value();
        }
    }

    void openWorkspace()
    {
        const FileSystemMode mode = m_content.policy.mode.value;
        const Grant grant = mode == FileSystemMode::WorkspaceWrite ? Grant::Write : Grant::Read;
        Result<Root> root =
            openRealRoot(m_content.policy.workspace, grant, {Origin::Kind::Default, "workspace"});
        if (!root) {
            return fail(root.error());
        }
        if (!root->isDirectory) {
            return fail(usageError("workspace: " + root->path + " is not a folder"));
        }
        if (mode != FileSystemMode::Off) {
            if (root->path == "/" || isKernelInterface(*root)) {
                return fail(usageError("workspace: " + root->path
                                       + " cannot be a workspace; start in a project"
                                         " folder or name one with --cwd"));
            }
            if (m_home && isBeneath(m_home->path, root->path)
                && m_options.homeWorkspace == HomeWorkspace::Refused) {
                return fail(usageError("workspace: " + root->path
                                       + " is or contains your home folder; start in a"
                                         " project folder, or open all of it with --allow-home-workspace"));
            }
        }
        m_content.workspace = root->path;
        m_content.workspaceDescriptor = root->descriptor;
        if (mode != FileSystemMode::Off) {
            m_content.roots.push_back(std::move(root).value());
        }
    }

    void openSystem()
    {
        Result<std::vector<Root>> system = openSystemRoots();
        if (!system) {
            return fail(system.error());
        }
        for (Root &root : system.value()) {
            // A read-only workspace below /tmp stays read-only: that temporary folder is not granted then.
            const bool opensWorkspace =
                root.grant == Grant::Write && isBeneath(m_content.workspace, root.path);
            if (!opensWorkspace || m_content.policy.mode.value != FileSystemMode::ReadOnly) {
                m_content.roots.push_back(std::move(root));
            }
        }
        for (const std::string_view name : homeReadPaths()) {
            Result<Root> file = openRealRoot(m_options.home + '/' + std::string(name), Grant::Read,
                                             {Origin::Kind::System, {}});
            if (m_home && file) {
                m_content.roots.push_back(std::move(file).value());
            }
        }
    }

    /// TMPDIR if it is a folder of its own, else the first usual one that this user can write to.
    void openTemporaryDirectory()
    {
        if (m_options.temporaryDirectory.starts_with('/')) {
            Result<Root> root =
                openRealRoot(m_options.temporaryDirectory, Grant::Write, {Origin::Kind::Default, "TMPDIR"});
            if (root && isTemporaryFolder(*root)) {
                m_content.temporaryDirectory = m_options.temporaryDirectory;
                m_content.roots.push_back(std::move(root).value());
                return;
            }
        }
        for (const Root &root : m_content.roots) {
            const bool isUsual = root.origin.kind == Origin::Kind::System && root.path != "/dev/shm";
            if (isUsual && root.grant == Grant::Write && ::access(root.path.c_str(), W_OK | X_OK) == 0) {
                m_content.temporaryDirectory = root.path;
                return;
            }
        }
        fail({ErrorKind::Unenforceable, "no folder for temporary files: set TMPDIR to a writable one", 0});
    }

    bool isTemporaryFolder(const Root &root) const
    {
        const bool tooWide = !isAllowedWritable(root) || (m_home && isBeneath(m_home->path, root.path))
                             || isBeneath(m_content.workspace, root.path);
        return root.isDirectory && !tooWide
               && ::access(m_options.temporaryDirectory.c_str(), W_OK | X_OK) == 0;
    }

    void openExtra(const Sourced<std::string> &dir, Grant grant)
    {
        Result<Root> opened = openRealRoot(dir.value, grant, dir.origin);
        if (!opened) {
            return fail(opened.error());
        }
        Root &root = opened.value();
        const std::string subject = dir.origin.place + ": " + root.path;
        if (grant == Grant::Write && isCharacterDevice(root)) {
            root.grant = Grant::Device;
        } else if (!root.isDirectory) {
            return fail(usageError(subject + " is not a folder"));
        }
        if (grant == Grant::Write && !isAllowedWritable(root)) {
            return fail(usageError(subject + " is never writable for a command"));
        }
        if (leadsOut(dir.value, root.path)) {
            return fail(usageError(subject
                                   + ": reached by a link in a folder that commands can write to; name"
                                     " the target itself"));
        }
        m_content.roots.push_back(std::move(root));
    }

    static bool isAllowedWritable(const Root &root)
    {
        return root.path != "/" && root.path != "/dev" && !isBeneath(root.path, "/proc")
               && !isBeneath(root.path, "/sys") && !isKernelInterface(root);
    }

    /// Whether a name goes through a link in a writable root to a target that is not in it: an earlier command may
    /// have laid that link.
    bool leadsOut(const std::string &name, const std::string &real) const
    {
        for (const std::string &folder : foldersOfLinks(name)) {
            for (const Root &root : m_content.roots) {
                if (root.grant == Grant::Write && root.isDirectory && isBeneath(folder, root.path)
                    && !isBeneath(real, root.path)) {
                    return true;
                }
            }
        }
        return false;
    }

    void fail(Error error)
    {
        if (!m_error) {
            m_error = std::move(error);
        }
    }

    const FreezeOptions &m_options;
    FrozenContent m_content;
    std::optional<Root> m_home;
    std::optional<Error> m_error;
};

bool mayExecuteIn(const FrozenPolicy &policy, const std::string &path)
{
    for (const Root &root : policy.roots()) {
        if ((root.grant == Grant::Read || root.grant == Grant::Write) && isBeneath(path, root.path)) {
            return true;
        }
    }
    return false;
}

bool isReachable(const FrozenPolicy &policy, const std::string &folder)
{
    if (isBeneath(folder, "/usr") && folder.find("/..") == std::string::npos) {
        return true; // the common case, without a system call
    }
    const Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const Result<std::string> real = opened ? realPathOf(opened.number()) : Result<std::string>(folder);
    return opened && real && mayExecuteIn(policy, *real);
}

} // namespace

Result<FrozenPolicy> freezePolicy(Policy policy, const FreezeOptions &options)
{
    return Freezer(std::move(policy), options).freeze();
}

std::vector<std::string> reachablePath(const FrozenPolicy &policy, const std::string &path)
{
    std::vector<std::string> reachable;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        std::string folder = path.substr(begin, end - begin);
        if (isReachable(policy, folder)) {
            reachable.push_back(std::move(folder));
        }
        begin = end + 1;
    }
    return reachable;
}

} // namespace spettro::sandbox
