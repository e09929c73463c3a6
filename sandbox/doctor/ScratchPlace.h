#pragma once

#include "sandbox/linux/Descriptor.h"
#include "sandbox/policy/Result.h"

#include <string>

namespace spettro::sandbox {

/// A place for trying out a sandbox, `~/.spettro/doctor-XXXXXX`: beneath the home folder, because a policy
/// closes that and opens temporary and system folders. It is removed at the end of its life. What a run has
/// left that was killed is removed by the next one: a living run holds a lock on its folder.
class ScratchPlace
{
public:
    /// Makes the place with its folders and files. `home` is the operator's home folder. An error is of kind
    /// Usage.
    static Result<ScratchPlace> create(const std::string &home);

    ScratchPlace(ScratchPlace &&other) noexcept;
    ScratchPlace &operator=(ScratchPlace &&) = delete;
    ~ScratchPlace();

    /// Takes the workspace's place.
    std::string workspace() const { return m_path + "/workspace"; }

    /// What no policy that leaves the home folder closed lets a command read or write.
    std::string outside() const { return m_path + "/outside"; }

    /// To be granted for reading.
    std::string readable() const { return m_path + "/readable"; }

    /// For the sockets of the host.
    std::string sockets() const { return m_path + "/sockets"; }

    /// A copy of this program in the workspace.
    std::string program() const { return workspace() + "/probe"; }

    /// What no command can guess: the content of `file` in each of the three folders, and the name of a file.
    const std::string &secret() const { return m_secret; }

    /// Puts the files back as they are to be found by the next act. The folders stay the same.
    void putFilesBack() const;

    /// Names, bytes, modes, owners and times of everything in the folders that a command may not write to.
    std::string protectedState() const;

    /// The same of the workspace.
    std::string workspaceState() const;

private:
    ScratchPlace(std::string home, std::string secret);

    Error error(const std::string &subject) const;
    bool makeFolder();
    bool makeContent() const;
    void removeStale() const;

    std::string m_home; ///< `~/.spettro`.
    bool m_madeHome = false;
    std::string m_path; ///< Empty where there is nothing to remove.
    std::string m_secret;
    Descriptor m_lock;
};

} // namespace spettro::sandbox
