#pragma once

#include "tools/permissions/CommandFacts.h"

namespace spettro {

/// A rule's pattern for commands, word by word. Words are separated by blanks; `*` and `?` in a word stand for any
/// bytes and for one byte; quotes and backslashes keep a byte as it is. A last word `*` stands for any words or
/// none: `git log *`. Without it an allow rule means exactly these words, and a deny or ask rule also means every
/// command that begins with them.
class CommandPattern
{
public:
    /// No value: empty, not closed quotes, or more than one simple command.
    static std::optional<CommandPattern> parse(QByteArrayView text);

    /// The pattern for exactly these words.
    static QByteArray exactText(const QList<SimpleCommand::Word> &words);

    /// Whether an allow rule of this pattern allows the command itself, whatever it starts: all words match as
    /// written. A command whose words decide which code runs needs the exact text.
    bool covers(const CommandFacts &facts) const;

    enum class Match { No, Maybe, Yes };

    /// Whether a deny or ask rule of this pattern is about these words. The program counts without folder and
    /// case; `Maybe` when an expansion could become what the pattern says.
    Match matches(const QList<SimpleCommand::Word> &words) const;

    /// Whether it means one text only: no wildcards.
    bool isExact() const;

    bool matchesEverything() const { return m_words.isEmpty() && m_hasRest; }

private:
    struct Byte
    {
        char value = 0;
        bool isWild = false;

        bool operator==(const Byte &) const = default;
    };
    using Glob = QList<Byte>;

    static bool matchesGlob(const Glob &glob, const QByteArray &text);
    static bool isExact(const Glob &glob);

    QList<Glob> m_words; ///< Without the last `*`.
    bool m_hasRest = false;
};

} // namespace spettro
