#include "tools/builtin/FileChange.h"

#include "tools/text/SafeText.h"
#include "tools/text/TextFormat.h"
#include "tools/text/UnifiedDiff.h"

namespace spettro {

namespace {

constexpr qsizetype LargestDiff = qsizetype{32} * 1024; // bytes

QByteArray describeChange(const ScopeHandle &target, const std::optional<QByteArray> &before,
                          const QByteArray &after)
{
    const TextFormat oldFormat = detectTextFormat(before.value_or(QByteArray()));
    const TextFormat newFormat = detectTextFormat(after);
    if (oldFormat.encoding == TextFormat::Encoding::Binary
        || newFormat.encoding == TextFormat::Encoding::Binary) {
        return "wrote " + QByteArray::number(after.size()) + " bytes, not shown as text\n";
    }
    return safeText(unifiedDiff(toUtf8(before.value_or(QByteArray()), oldFormat), toUtf8(after, newFormat),
                                visibleText(target.shownPath), LargestDiff));
}

} // namespace

ToolOutcome<std::optional<QByteArray>> readUnchanged(ToolSession &session, const ScopeHandle &target)
{
    ToolOutcome<std::optional<QByteArray>> content = readExisting(target);
    if (content && content->has_value() && session.seen().hasChanged(target.realPath, **content)) {
        return ToolError{visibleText(target.shownPath) + " has changed since it was read: read it again"};
    }
    return content;
}

ToolResult writeChange(ToolSession &session, const ScopeHandle &target,
                       const std::optional<QByteArray> &before, const QByteArray &after)
{
    if (ChangeWitness *witness = session.changeWitness()) {
        if (const std::optional<ToolError> error = witness->beforeChange(target, before, after)) {
            return ToolResult::failure(*error);
        }
    }
    const ToolOutcome<WriteReport> report = replaceFile(target, after);
    if (!report) {
        return ToolResult::failure(report.error());
    }
    session.seen().remember(target.realPath, after);
    ToolResult result = ToolResult::success(describeChange(target, before, after));
    result.facts["bytes"] = after.size();
    if (report->created) {
        result.facts["created"] = true;
    }
    if (report->otherNames > 0) {
        result.facts["note"] = "the file had other names (hard links); they keep the old content";
    } else if (report->lostOwner) {
        result.facts["note"] = "the file belongs to the current user now";
    }
    return result;
}

} // namespace spettro
