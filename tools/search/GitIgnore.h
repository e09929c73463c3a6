#pragma once

#include "tools/text/GlobProgram.h"

#include <QByteArray>
#include <QByteArrayView>

#include <optional>
#include <vector>

namespace spettro {

/// The rules of one `.gitignore` file (or `info/exclude`), read and applied as git does on a file system that
/// distinguishes upper and lower case.
class GitIgnore
{
public:
    /// Reads a file's content. Every content is accepted: git takes a malformed line for one that matches nothing.
    static GitIgnore parse(QByteArrayView text);

    /// True: ignored; false: brought back by a line with `!`; nothing: no line applies. The path is relative to
    /// the folder of the file, without `/` at the ends. What is below an ignored folder stays ignored whatever
    /// this says; that is the walk's business. A link to a folder is no folder.
    std::optional<bool> verdict(QByteArrayView pathRelativeToItsFolder, bool isDirectory) const;

    bool isEmpty() const { return m_rules.empty(); }

private:
    struct Rule
    {
        QByteArray literal; ///< What must be equal before the wildcards begin.
        GlobProgram rest;
        bool hasWildcards = false;
        bool isForName = false;
        bool isNegated = false;
        bool isForFolders = false;

        bool matches(QByteArrayView path) const;
    };

    void addLine(QByteArrayView line);

    std::vector<Rule> m_rules;
};

} // namespace spettro
