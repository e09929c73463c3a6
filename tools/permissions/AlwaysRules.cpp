#include "tools/permissions/AlwaysRules.h"

#include "tools/permissions/CommandJudge.h"
#include "tools/permissions/CommandPattern.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace spettro {

namespace {

using Words = QSet<QByteArray>;

/// Subcommands that do one kind of thing whatever their arguments, apart from the options that `runsCode` knows.
QByteArray workingPrefix(const CommandFacts &facts)
{
    static const QHash<QByteArray, Words> known{
        {"git", {"add", "commit"}},
        {"cargo", {"build", "check", "clippy", "doc", "fmt", "test"}},
        {"go", {"build", "fmt", "test", "vet"}},
    };
    if (facts.runsCode || facts.words.size() < 2 || facts.words[0].text != facts.program)
        return {};
    const QByteArray &command = facts.words[1].text;
    return known.value(facts.program).contains(command) ? facts.program + ' ' + command : QByteArray();
}

} // namespace

std::optional<PermissionRule> alwaysRule(const QByteArray &tool, const CommandFacts &facts)
{
    const bool isPlainText = facts.doubt.isEmpty() && facts.kind != CommandFacts::Kind::Starting
                             && facts.folders.isEmpty() && facts.assignments.isEmpty()
                             && isHarmlessAround(facts) && !facts.words.isEmpty()
                             && std::all_of(facts.words.begin(), facts.words.end(),
                                            [](const auto &word) { return word.isLiteral; });
    if (!isPlainText)
        return std::nullopt;
    QByteArray prefix = readingPrefix(facts);
    if (prefix.isEmpty())
        prefix = workingPrefix(facts);
    const QByteArray pattern = prefix.isEmpty() || deletes(facts) || facts.runsCode
                                   ? CommandPattern::exactText(facts.words)
                                   : prefix + " *";
    return PermissionRule{tool, pattern, RuleAction::Allow};
}

} // namespace spettro
