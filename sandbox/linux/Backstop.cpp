#include "sandbox/linux/Backstop.h"

#include "sandbox/linux/HostPath.h"
#include "sandbox/linux/Landlock.h"
#include "sandbox/linux/SystemError.h"
#include "sandbox/plan/SystemPaths.h"

#include <sys/prctl.h>

#include <cerrno>

namespace spettro::sandbox {

namespace {

/// What is written to without a policy that says so: devices, temporary folders, the workspace.
std::vector<std::string> unconfinedPaths(const FrozenPolicy &policy)
{
    std::vector<std::string> paths{policy.workspace(), policy.temporaryDirectory()};
    for (const std::string_view path : deviceNodes()) {
        paths.emplace_back(path);
    }
    for (const std::string_view path : temporaryPaths()) {
        paths.emplace_back(path);
    }
    return paths;
}

std::vector<Root> writableRoots(const FrozenPolicy &policy, std::vector<std::string> paths)
{
    std::vector<Root> roots;
    for (const Root &root : policy.roots()) {
        if (root.grant == Grant::Write || root.grant == Grant::Device) {
            roots.push_back(root);
        }
    }
    if (policy.mode() == FileSystemMode::Off) {
        for (std::string &path : unconfinedPaths(policy)) {
            paths.push_back(std::move(path));
        }
    }
    for (const std::string &path : paths) {
        if (const Result<Root> root = openRoot(path, Grant::Write, {}, LastLink::Follow)) {
            roots.push_back(*root);
        }
    }
    return roots;
}

} // namespace

Result<bool> enterBackstop(const FrozenPolicy &policy, const std::vector<std::string> &ownFolders, int abi)
{
    const std::vector<Root> roots = writableRoots(policy, ownFolders);
    const Result<Descriptor> ruleset = compileRuleset(planBackstop(roots, abi), roots);
    if (!ruleset) {
        return ruleset.error();
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return systemError(ErrorKind::Unenforceable, "prctl PR_SET_NO_NEW_PRIVS", errno);
    }
    if (const int error = restrictSelf(ruleset->number())) {
        return systemError(ErrorKind::Unenforceable, "landlock_restrict_self", error);
    }
    return true;
}

} // namespace spettro::sandbox
