#pragma once

#include "app/config/AgentManifest.h"
#include "app/config/CommandLine.h"

namespace spettro {

/// What a session is started with besides its policy.
struct SessionSettings
{
    ModelFlags model;
    std::string permission;      ///< `ask-first`, `restricted` or `yolo`; empty where nobody said it.
    std::string permissionPlace; ///< `--permission`, or where the manifest says it.
    std::string agentId;         ///< Empty where the manifest has no agents.
    std::string prompt;          ///< The agent's own.
    std::string promptFile;      ///< Where it stands instead, relative to the workspace.
    bool logToolCalls = true;
};

/// Merges what the command line and the manifest say; flags go first. Who names a provider by a flag leaves all that the
/// manifest says of models behind: another provider has other names. An agent that does not exist is a usage error.
sandbox::Result<SessionSettings> mergeSession(const CommandLine &line, const AgentManifest &manifest);

} // namespace spettro
