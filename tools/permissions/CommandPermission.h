#pragma once

#include "tools/permissions/CommandFacts.h"
#include "tools/permissions/CommandPattern.h"
#include "tools/permissions/PermissionRules.h"

namespace spettro {

/// Judges the command line of one request. Separate from the paths of other tools, see `judge`.
class CommandPermission
{
public:
    CommandPermission(const PermissionRequest &request, PermissionMode mode,
                      const QList<PermissionRule> &operatorRules, const QList<PermissionRule> &storedAlways);

    Judgement judge() const;

private:
    using Match = CommandPattern::Match;

    struct Rule
    {
        std::optional<CommandPattern> pattern; ///< None: it could not be read, and so may mean anything.
        RuleAction action = RuleAction::Ask;
    };

    enum class Verdict { None, Ask, Allow };

    QList<Rule> rulesForCommand(const QList<PermissionRule> &rules) const;
    Judgement judgeUnreadable() const;
    bool deniesEverything() const;
    bool hasDenyRules() const;
    Match denies(const CommandFacts &facts, int depth) const;
    Match deniesWords(const QList<SimpleCommand::Word> &words) const;
    Match deniesHidden(const CommandFacts &facts, int depth) const;
    Verdict verdict(const CommandFacts &facts) const;
    Verdict ownVerdict(const CommandFacts &facts) const;
    Verdict innerVerdict(const CommandFacts &facts) const;
    bool isAllowedByStored(const CommandFacts &facts) const;
    bool mayBeAllowed(const CommandFacts &facts) const;
    bool isFree(const CommandFacts &facts) const;
    bool staysInside(const CommandFacts &facts) const;
    QString reasonToAsk(const CommandFacts &facts) const;
    QList<PermissionRule> alwaysRules(const QList<CommandFacts> &facts) const;

    const PermissionRequest &m_request;
    PermissionMode m_mode;
    QList<Rule> m_operatorRules;
    QList<Rule> m_stored;
    std::optional<QList<CommandFacts>> m_facts;
    bool m_isMoved = false; ///< A part may run in another folder than the workspace.
};

} // namespace spettro
