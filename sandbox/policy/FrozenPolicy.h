#pragma once

#include "sandbox/policy/Policy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spettro::sandbox {

/// An open file descriptor (a handle elsewhere) that its last owner closes.
using SharedDescriptor = std::shared_ptr<const int>;

/// What a root grants to everything beneath it.
enum class Grant {
    Read,   ///< Read, list and execute.
    List,   ///< List folders only; no file content.
    Write,  ///< Everything but making device nodes.
    Device, ///< Open a device node for reading, writing and control calls; on a folder: the nodes in it.
};

/// One word for a grant, e.g. `read`.
std::string_view toText(Grant grant);

/// A place in the file system that the policy grants, held open since the policy was frozen: it stays the
/// same file or folder whatever happens to its name afterwards.
struct Root
{
    std::string path; ///< The real path at the time of freezing, for explanations; never opened again.
    Grant grant = Grant::Read;
    bool isDirectory = true;
    Origin origin;
    std::uint64_t device = 0; ///< `st_dev` and `st_ino`: the root's identity.
    std::uint64_t inode = 0;
    SharedDescriptor descriptor; ///< Opened with `O_PATH`.
};

/// What freezing found out; `FrozenPolicy` takes it over unchanged.
struct FrozenContent
{
    Policy policy;
    std::string workspace;                ///< Real path of the workspace.
    SharedDescriptor workspaceDescriptor; ///< The workspace, opened with `O_PATH`; where commands start.
    std::string temporaryDirectory;       ///< A writable folder that exists; TMPDIR of every command.
    std::vector<Root> roots;              ///< Everything that is granted; empty in mode Off.
};

/// The policy of a session: a value without setters whose copies share one content.
class FrozenPolicy
{
public:
    explicit FrozenPolicy(FrozenContent content);

    // Copied also where it could be moved: a policy that was moved from would be without content.
    FrozenPolicy(const FrozenPolicy &) = default;
    FrozenPolicy &operator=(const FrozenPolicy &) = default;

    FileSystemMode mode() const { return m_content->policy.mode.value; }
    const Network &network() const { return m_content->policy.network.value; }
    const Policy &asked() const { return m_content->policy; }
    const std::string &workspace() const { return m_content->workspace; }
    int workspaceDescriptor() const { return *m_content->workspaceDescriptor; }
    const std::string &temporaryDirectory() const { return m_content->temporaryDirectory; }
    const std::vector<Root> &roots() const { return m_content->roots; }

    /// Whether any layer has to be applied: false only for mode Off with network All.
    bool isConfined() const;

    /// The header tag, e.g. `sandbox:ws+net:none`, `sandbox:ro`, `sandbox:net:lo`; empty when nothing is
    /// confined.
    std::string tag() const;

    /// One line for a person, e.g. `writes: workspace, temporary folders; reads: system, workspace;
    /// network: none`.
    std::string summary() const;

    /// The policy as a JSON object (text, UTF-8; bytes that are no UTF-8 are replaced): mode, network,
    /// workspace, temporary folder and lists, each value with its source, and the roots with their grants.
    std::string json() const;

private:
    std::shared_ptr<const FrozenContent> m_content;
};

} // namespace spettro::sandbox
