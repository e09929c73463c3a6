#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace spettro {

/// A rule's pattern for paths: `*` and `?` match within one path component, `**` over any number of them. A pattern
/// with `/` in front is absolute, one with `~/` begins in the home folder, one with another `/` begins in the
/// workspace (`src/**`), and one without any (`*.md`, `.env`) names files in every folder of the workspace.
class PathPattern
{
public:
    enum class Reach {
        Exactly,    ///< For allow rules: this path.
        WithInside, ///< For deny and ask rules: also what is inside of it, in upper or lower case.
    };

    PathPattern(const QByteArray &text, const QByteArray &workspace, const QByteArray &home);

    /// `path` is absolute and resolved.
    bool matches(const QByteArray &path, Reach reach) const;

    /// What is wrong with a pattern's text; empty when nothing is.
    static QByteArray mistake(QByteArrayView text);

private:
    QByteArray m_base; ///< A folder whose name is no pattern: the workspace or home; empty for the root.
    QByteArray m_glob; ///< Below the base; empty when it matches nothing.
};

} // namespace spettro
