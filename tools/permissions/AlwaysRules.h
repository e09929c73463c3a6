#pragma once

#include "tools/permissions/CommandFacts.h"
#include "tools/permissions/PermissionRules.h"

namespace spettro {

/// The narrow rule that "always" means for one command: the subcommand with anything behind where that is known to do
/// the same kind of thing, else exactly these words. No value where it may be allowed once only.
std::optional<PermissionRule> alwaysRule(const QByteArray &tool, const CommandFacts &facts);

} // namespace spettro
