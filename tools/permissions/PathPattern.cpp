#include "tools/permissions/PathPattern.h"

#include "tools/text/GlobProgram.h"

#include <QList>

namespace spettro {

namespace {

QList<QByteArray> components(const QByteArray &path)
{
    QList<QByteArray> parts = path.split('/');
    parts.removeAll(QByteArray());
    return parts;
}

/// What a pattern means for paths whose components each have a `/` in front.
GlobProgram compiled(const QList<QByteArray> &glob)
{
    GlobProgram program;
    for (qsizetype i = 0; i < glob.size(); ++i) {
        const bool isAnyFolders = glob[i] == "**";
        if (isAnyFolders && i + 1 < glob.size()) {
            program.addInside();
            continue;
        }
        program.addByte('/');
        if (isAnyFolders) {
            // `src/**` is what is inside of src, not src.
            program.addStarStar();
            continue;
        }
        for (const char byte : glob[i]) {
            if (byte == '*') {
                program.addStar();
            } else if (byte == '?') {
                program.addAnyUnit();
            } else {
                program.addByte(byte);
            }
        }
    }
    return program;
}

} // namespace

PathPattern::PathPattern(const QByteArray &text, const QByteArray &workspace, const QByteArray &home)
{
    if (text == "*") {
        m_glob = "**";
    } else if (text.startsWith('/')) {
        m_glob = text;
    } else if (text.startsWith("~/") && !home.isEmpty()) {
        m_base = home;
        m_glob = text.sliced(2);
    } else if (!text.startsWith('~') && !workspace.isEmpty()) {
        m_base = workspace;
        m_glob = (text.contains('/') ? "" : "**/") + text;
    }
    while (m_base.endsWith('/'))
        m_base.chop(1);
}

bool PathPattern::matches(const QByteArray &path, Reach reach) const
{
    const bool folds = reach == Reach::WithInside;
    const QByteArray base = folds ? m_base.toLower() : m_base;
    const QByteArray whole = folds ? path.toLower() : path;
    if (m_glob.isEmpty() || (whole != base && !whole.startsWith(base + '/')))
        return false;
    QByteArray below;
    for (const QByteArray &component : components(whole.sliced(base.size())))
        below += '/' + component;
    QList<QByteArray> glob = components(folds ? m_glob.toLower() : m_glob);
    // A rule against everything in a folder is against the folder as well.
    if (folds && !glob.isEmpty() && glob.last() == "**")
        glob.removeLast();
    GlobProgram program = compiled(glob);
    if (folds)
        program.addInside();
    return program.matches(below);
}

QByteArray PathPattern::mistake(QByteArrayView text)
{
    if (text.isEmpty() || text.contains('\0'))
        return "a path pattern is not empty and has no NUL";
    const QList<QByteArray> parts = components(text.toByteArray());
    if (parts.contains("..") || parts.contains("."))
        return "a path pattern has no . or .. in it";
    for (const QByteArray &part : parts) {
        if (part.contains("**") && part != "**")
            return "** stands alone between slashes";
    }
    if (text.startsWith('~') && !text.startsWith("~/"))
        return "only ~/ names a home folder";
    return {};
}

} // namespace spettro
