#include "tools/permissions/PathPattern.h"

#include <QList>

namespace spettro {

namespace {

/// Matching of one component, `*` and `?`; goes back to the last `*` only.
bool matchesComponent(QByteArrayView glob, QByteArrayView text)
{
    qsizetype g = 0;
    qsizetype t = 0;
    qsizetype star = -1;
    qsizetype resume = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            resume = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (star >= 0) {
            g = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*')
        ++g;
    return g == glob.size();
}

/// The same over components, where `**` stands for any number of them. `hasInside`: the pattern may end early.
bool matchesComponents(const QList<QByteArray> &glob, const QList<QByteArray> &path, bool hasInside)
{
    qsizetype g = 0;
    qsizetype p = 0;
    qsizetype star = -1;
    qsizetype resume = 0;
    while (p < path.size()) {
        if (g == glob.size() && hasInside)
            return true;
        if (g < glob.size() && glob[g] == "**") {
            star = g++;
            resume = p;
        } else if (g < glob.size() && matchesComponent(glob[g], path[p])) {
            ++g;
            ++p;
        } else if (star >= 0) {
            g = star + 1;
            p = ++resume;
        } else {
            return false;
        }
    }
    // `src/**` is what is inside of src, not src.
    return g == glob.size();
}

QList<QByteArray> components(const QByteArray &path)
{
    QList<QByteArray> parts = path.split('/');
    parts.removeAll(QByteArray());
    return parts;
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
    const QList<QByteArray> below = components(whole.sliced(base.size()));
    if (!folds)
        return matchesComponents(components(m_glob), below, false);
    QList<QByteArray> glob = components(m_glob.toLower());
    // A rule against everything in a folder is against the folder as well.
    if (!glob.isEmpty() && glob.last() == "**")
        glob.removeLast();
    return matchesComponents(glob, below, true);
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
