#pragma once

#include "sandbox/policy/Result.h"

#include <string>
#include <vector>

namespace spettro {

/// What the operator has accepted of the manifests in folders: below `~/.spettro/accepted`, in a tree that mirrors
/// the folders' paths, one text file a folder with the accepted lines. Readable by a person, written by no one else.
class AcceptedManifests
{
public:
    /// `home` is the operator's home folder.
    explicit AcceptedManifests(const std::string &home) : m_folder(home + "/.spettro/accepted") {}

    /// The folder that everything is kept in.
    const std::string &folder() const { return m_folder; }

    /// The lines that were accepted for a workspace (its real path); empty where none were.
    std::vector<std::string> linesFor(const std::string &workspace) const;

    /// Remembers lines for a workspace, replacing what was there.
    sandbox::Result<std::string> accept(const std::string &workspace,
                                        const std::vector<std::string> &lines) const;

private:
    std::string fileFor(const std::string &workspace) const;

    std::string m_folder;
};

} // namespace spettro
