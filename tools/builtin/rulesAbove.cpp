#include "tools/builtin/rulesAbove.h"

#include "tools/GuardedFile.h"

namespace spettro {

namespace {

QByteArray parentOf(const QByteArray &path)
{
    return path.left(std::max<qsizetype>(path.lastIndexOf('/'), 0));
}

/// The nearest folder, from this one upwards, that is the top of a repository; empty where there is none in scope.
QByteArray repositoryOf(const ScopeGuard &guard, QByteArray folder)
{
    while (!folder.isEmpty() && !guard.open(folder + "/.git", Access::Search)) {
        folder = parentOf(folder);
    }
    return folder;
}

} // namespace

std::optional<std::vector<ParentIgnore>> rulesAbove(const ScopeGuard &guard, const QByteArray &folder)
{
    const QByteArray top = repositoryOf(guard, folder);
    if (top.isEmpty() || top == folder) {
        return std::nullopt;
    }
    std::vector<ParentIgnore> rules;
    const auto add = [&](const QByteArray &file, const QByteArray &base) {
        const ToolOutcome<ScopeHandle> handle = guard.open(file, Access::Read);
        if (!handle) {
            return;
        }
        if (const ToolOutcome<QByteArray> text = readAll(*handle)) {
            rules.push_back({folder.mid(base.size() + 1), GitIgnore::parse(*text)});
        }
    };
    add(top + "/.git/info/exclude", top);
    add(top + "/.gitignore", top);
    for (qsizetype slash = folder.indexOf('/', top.size() + 1); slash > 0;
         slash = folder.indexOf('/', slash + 1)) {
        add(folder.left(slash) + "/.gitignore", folder.left(slash));
    }
    return rules;
}

} // namespace spettro
