#include "tools/permissions/CommandPermission.h"

#include "tools/permissions/AlwaysRules.h"
#include "tools/permissions/CommandJudge.h"
#include "tools/permissions/CommandWrappers.h"
#include "tools/permissions/ProgramLists.h"

#include <algorithm>

namespace spettro {

namespace {

using Match = CommandPattern::Match;
using Word = SimpleCommand::Word;

bool changesFolder(const CommandFacts &facts)
{
    return !facts.folders.isEmpty() || std::any_of(facts.inner.begin(), facts.inner.end(), changesFolder);
}

bool isInside(const Word &folder, const QByteArray &workspace)
{
    const QByteArray &path = folder.text;
    if (!folder.isLiteral || path.isEmpty() || path.split('/').contains(".."))
        return false;
    return !path.startsWith('/')
           || (!workspace.isEmpty() && (path == workspace || path.startsWith(workspace + '/')));
}

} // namespace

CommandPermission::CommandPermission(const PermissionRequest &request, PermissionMode mode,
                                     const QList<PermissionRule> &operatorRules,
                                     const QList<PermissionRule> &storedAlways)
    : m_request(request), m_mode(mode), m_operatorRules(rulesForCommand(operatorRules)),
      m_stored(rulesForCommand(storedAlways)), m_facts(commandFacts(request.command))
{
    const bool startsElsewhere =
        std::any_of(request.paths.begin(), request.paths.end(),
                    [&](const QByteArray &path) { return path != request.workspace; });
    m_isMoved = startsElsewhere || (m_facts && std::any_of(m_facts->begin(), m_facts->end(), changesFolder));
}

QList<CommandPermission::Rule> CommandPermission::rulesForCommand(const QList<PermissionRule> &rules) const
{
    QList<Rule> found;
    for (const PermissionRule &rule : rules) {
        if (isRuleFor(rule, m_request))
            found.append({CommandPattern::parse(rule.pattern), rule.action});
    }
    return found;
}

Judgement CommandPermission::judge() const
{
    Judgement judgement;
    judgement.dangers = dangers(m_request.command);
    if (deniesEverything()) {
        judgement.action = RuleAction::Deny;
        judgement.reason = QStringLiteral("a rule denies every command");
        return judgement;
    }
    if (!m_facts) {
        Judgement unreadable = judgeUnreadable();
        unreadable.dangers = judgement.dangers;
        return unreadable;
    }
    bool mayBeDenied = false;
    for (const CommandFacts &facts : *m_facts) {
        const Match match = denies(facts, 0);
        if (match == Match::Yes) {
            judgement.action = RuleAction::Deny;
            judgement.reason = QStringLiteral("a rule denies %1")
                                   .arg(QString::fromUtf8(CommandPattern::exactText(facts.words)));
            return judgement;
        }
        mayBeDenied = mayBeDenied || match == Match::Maybe;
    }
    if (m_mode == PermissionMode::Yolo) {
        judgement.action = mayBeDenied ? RuleAction::Deny : RuleAction::Allow;
        if (mayBeDenied)
            judgement.reason =
                QStringLiteral("it is not certain that no rule denies it; write the command out");
        return judgement;
    }
    if (mayBeDenied) {
        judgement.reason = QStringLiteral("it is not certain that no rule denies it");
        return judgement;
    }
    bool hasAskRule = false;
    for (const CommandFacts &facts : *m_facts) {
        const Verdict found = verdict(facts);
        hasAskRule = hasAskRule || found == Verdict::Ask;
        if (found != Verdict::Allow && judgement.reason.isEmpty())
            judgement.reason =
                found == Verdict::Ask ? QStringLiteral("a rule asks for this command") : reasonToAsk(facts);
    }
    if (!m_request.paths.isEmpty() && !m_request.pathsInWorkspace)
        judgement.reason = QStringLiteral("it runs outside of the workspace");
    if (m_facts->isEmpty())
        judgement.reason = QStringLiteral("there is no command in it");
    judgement.action = judgement.reason.isEmpty() ? RuleAction::Allow : RuleAction::Ask;
    if (judgement.action == RuleAction::Ask && !hasAskRule && !m_isMoved && judgement.dangers.isEmpty())
        judgement.alwaysRules = alwaysRules(*m_facts);
    return judgement;
}

bool CommandPermission::deniesEverything() const
{
    return std::any_of(m_operatorRules.begin(), m_operatorRules.end(), [](const Rule &rule) {
        return rule.action == RuleAction::Deny && rule.pattern && rule.pattern->matchesEverything();
    });
}

bool CommandPermission::hasDenyRules() const
{
    return std::any_of(m_operatorRules.begin(), m_operatorRules.end(),
                       [](const Rule &rule) { return rule.action == RuleAction::Deny; });
}

Judgement CommandPermission::judgeUnreadable() const
{
    Judgement judgement;
    judgement.reason = QStringLiteral("the command could not be read with certainty");
    if (m_mode == PermissionMode::Yolo) {
        judgement.action = hasDenyRules() ? RuleAction::Deny : RuleAction::Allow;
        if (judgement.action == RuleAction::Allow)
            judgement.reason.clear();
    }
    return judgement;
}

Match CommandPermission::deniesWords(const QList<Word> &words) const
{
    Match found = Match::No;
    for (const Rule &rule : m_operatorRules) {
        if (rule.action != RuleAction::Deny)
            continue;
        found = std::max(found, rule.pattern ? rule.pattern->matches(words) : Match::Maybe);
    }
    return found;
}

/// Commands that may begin at any word of programs with a syntax of their own, or be the text of one.
Match CommandPermission::deniesHidden(const CommandFacts &facts, int depth) const
{
    Match found = Match::No;
    for (qsizetype i = 1; i < facts.words.size(); ++i) {
        const Word &word = facts.words[i];
        if (!word.isLiteral)
            continue;
        found = std::max(found, deniesWords(facts.words.sliced(i)));
        if (!word.text.contains(' ') && !word.text.contains(';'))
            continue;
        if (const std::optional<QList<CommandFacts>> inner = factsOfText(word.text, MaximumWrappers / 2)) {
            for (const CommandFacts &one : *inner)
                found = std::max(found, denies(one, depth + 1));
        }
    }
    return found;
}

Match CommandPermission::denies(const CommandFacts &facts, int depth) const
{
    if (!hasDenyRules())
        return Match::No;
    Match found = deniesWords(facts.words);
    if (!facts.doubt.isEmpty() || depth > MaximumWrappers)
        found = std::max(found, Match::Maybe);
    for (const CommandFacts &inner : facts.inner)
        found = std::max(found, denies(inner, depth + 1));
    if (facts.runsWords && depth <= MaximumWrappers)
        found = std::max(found, deniesHidden(facts, depth));
    return found;
}

CommandPermission::Verdict CommandPermission::ownVerdict(const CommandFacts &facts) const
{
    Verdict found = Verdict::None;
    for (const Rule &rule : m_operatorRules) {
        if (rule.action == RuleAction::Ask
            && (!rule.pattern || rule.pattern->matches(facts.words) != Match::No)) {
            found = Verdict::Ask;
        } else if (rule.action == RuleAction::Allow && rule.pattern && mayBeAllowed(facts)
                   && rule.pattern->covers(facts)) {
            found = Verdict::Allow;
        }
    }
    return found;
}

CommandPermission::Verdict CommandPermission::innerVerdict(const CommandFacts &facts) const
{
    Verdict found = facts.inner.isEmpty() ? Verdict::None : Verdict::Allow;
    for (const CommandFacts &inner : facts.inner) {
        const Verdict one = verdict(inner);
        if (one == Verdict::Ask)
            return one;
        found = one == Verdict::None ? one : found;
    }
    return found;
}

/// What the rules say, then what the mode lets pass.
CommandPermission::Verdict CommandPermission::verdict(const CommandFacts &facts) const
{
    const Verdict own = ownVerdict(facts);
    const Verdict inner = innerVerdict(facts);
    if (own == Verdict::Ask || inner == Verdict::Ask)
        return Verdict::Ask;
    const bool isWrapper = facts.kind == CommandFacts::Kind::Wrapper && !facts.inner.isEmpty();
    const bool onlyStartsAllowed = isWrapper && inner == Verdict::Allow && mayBeAllowed(facts)
                                   && isSystemProgram(facts.program, facts.words.first().text);
    const bool isAllowed =
        own == Verdict::Allow || onlyStartsAllowed || isAllowedByStored(facts) || isFree(facts);
    return isAllowed ? Verdict::Allow : Verdict::None;
}

bool CommandPermission::isAllowedByStored(const CommandFacts &facts) const
{
    return mayBeAllowed(facts) && std::any_of(m_stored.begin(), m_stored.end(), [&](const Rule &rule) {
               return rule.action == RuleAction::Allow && rule.pattern && rule.pattern->covers(facts)
                      && (rule.pattern->isExact() || !namesSecrets(facts.words));
           });
}

/// Whether a rule may allow the command at all.
bool CommandPermission::mayBeAllowed(const CommandFacts &facts) const
{
    if (facts.words.isEmpty() || !facts.doubt.isEmpty() || !isHarmlessAround(facts) || !staysInside(facts))
        return false;
    // In another folder the same words mean other files.
    const bool dependsOnFolder =
        facts.kind == CommandFacts::Kind::Plain
        && (facts.runsCode || deletes(facts) || facts.words.first().text.contains('/'));
    return !m_isMoved || !dependsOnFolder;
}

bool CommandPermission::staysInside(const CommandFacts &facts) const
{
    return std::all_of(facts.folders.begin(), facts.folders.end(),
                       [&](const Word &folder) { return isInside(folder, m_request.workspace); });
}

bool CommandPermission::isFree(const CommandFacts &facts) const
{
    // A group's redirections say nothing of their own when they are harmless.
    if (facts.words.isEmpty() && facts.assignments.isEmpty() && facts.doubt.isEmpty())
        return isHarmlessAround(facts);
    if (m_mode != PermissionMode::Restricted)
        return false;
    const bool entersInside = facts.program == "cd" && facts.words.first().text == "cd"
                              && facts.doubt.isEmpty() && isHarmlessAround(facts) && staysInside(facts);
    return entersInside || onlyReads(facts);
}

QString CommandPermission::reasonToAsk(const CommandFacts &facts) const
{
    if (!facts.doubt.isEmpty())
        return facts.doubt;
    if (!staysInside(facts))
        return QStringLiteral("it goes to a folder outside of the workspace");
    if (m_mode == PermissionMode::AskFirst)
        return QStringLiteral("every command is asked for");
    if (!isHarmlessAround(facts))
        return QStringLiteral("it sets variables or writes to a file beside what the command does");
    return QStringLiteral("the command may do more than read");
}

QList<PermissionRule> CommandPermission::alwaysRules(const QList<CommandFacts> &facts) const
{
    QList<PermissionRule> rules;
    for (const CommandFacts &one : facts) {
        if (verdict(one) == Verdict::Allow)
            continue;
        const std::optional<PermissionRule> rule = alwaysRule(m_request.tool, one);
        if (!rule)
            return {};
        if (!rules.contains(*rule))
            rules.append(*rule);
    }
    return rules;
}

} // namespace spettro
