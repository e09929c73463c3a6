#pragma once

#include "app/agent/ProjectFacts.h"

namespace spettro {

/// What every request of a session begins with: how to work, what the project's own instructions and the chosen agent's
/// prompt (may be empty) say, and where the work is done. The same for the whole session, so that caches hit.
QByteArray systemPrompt(const QByteArray &workspace, const ProjectFacts &facts,
                        const QByteArray &agentPrompt);

} // namespace spettro
