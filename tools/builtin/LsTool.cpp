#include "tools/builtin/LsTool.h"

#include "tools/builtin/schemas.h"
#include "tools/text/SafeText.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace spettro {

namespace {

constexpr std::size_t MostEntries = 2000;

using DirectoryStream = std::unique_ptr<DIR, int (*)(DIR *)>;

/// The names in a folder, in the order of their bytes, which need not be text.
ToolOutcome<std::vector<QByteArray>> namesIn(const ScopeHandle &folder)
{
    const int copy = ::openat(*folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const DirectoryStream stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
    if (!stream) {
        return pathError("open", folder.shownPath, errno);
    }
    std::vector<QByteArray> names;
    while (const dirent *entry = ::readdir(stream.get())) {
        const QByteArray name(entry->d_name);
        if (name != "." && name != "..") {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

QByteArray describeEntry(int folder, const QByteArray &name)
{
    struct stat status;
    QByteArray shown = visibleText(name);
    if (::fstatat(folder, name.constData(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return shown;
    }
    if (S_ISLNK(status.st_mode)) {
        char target[PATH_MAX];
        const ssize_t length = ::readlinkat(folder, name.constData(), target, sizeof target);
        return shown + " -> " + (length > 0 ? visibleText({target, length}) : QByteArray("?"));
    }
    if (S_ISDIR(status.st_mode)) {
        return shown + '/';
    }
    if (!S_ISREG(status.st_mode)) {
        return shown + " (no regular file)";
    }
    return shown + "  " + QByteArray::number(qint64(status.st_size));
}

class LsTask : public ToolTask
{
public:
    explicit LsTask(QByteArray path) : m_path(std::move(path)) {}

    std::optional<ScopeWish> wish() const override { return ScopeWish{m_path, Access::List}; }

    ToolResult run(RunContext &context) override
    {
        const ToolOutcome<std::vector<QByteArray>> names = namesIn(*context.handle);
        if (!names) {
            return ToolResult::failure(names.error());
        }
        QByteArray output;
        const std::size_t shown = std::min(names->size(), MostEntries);
        for (std::size_t index = 0; index < shown; ++index) {
            output += describeEntry(*context.handle->descriptor, (*names)[index]) + '\n';
        }
        ToolResult result = ToolResult::success(output);
        result.facts["entries"] = names->size();
        if (shown < names->size()) {
            result.facts["truncated"] = true;
        }
        return result;
    }

private:
    QByteArray m_path;
};

} // namespace

QByteArray LsTool::description() const
{
    return "Lists a folder: an entry a line, folders with / behind them, files with their size in bytes, "
           "links with where "
           "they lead.";
}

Json LsTool::schema() const
{
    return objectSchema({{"path", property("string", "the folder, the project folder if absent")}}, {});
}

ToolOutcome<std::unique_ptr<ToolTask>> LsTool::read(const Json &input) const
{
    return std::unique_ptr<ToolTask>(
        std::make_unique<LsTask>(input.contains("path") ? textOf(input, "path") : QByteArray(".")));
}

} // namespace spettro
