#include "app/GoalReport.h"
#include "tools/text/SafeText.h"

#include <QElapsedTimer>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype LongestLine = 160;
constexpr qsizetype MostFiles = 20;

/// The first line of a text, cut where it is long.
QByteArray firstLine(const QByteArray &text)
{
    QByteArray line = visibleText(text.trimmed().split('\n').first());
    if (line.size() <= LongestLine) {
        return line;
    }
    qsizetype end = LongestLine;
    while (end > 0 && (static_cast<unsigned char>(line.at(end)) & 0xc0) == 0x80) {
        --end; // not within a character
    }
    return line.left(end) + "...";
}

/// What a call works on: the first text of its input.
QByteArray subjectOf(const CallPart &call)
{
    const Json input = Json::parse(call.arguments.constData(), nullptr, false);
    for (const char *field : {"path", "command", "pattern", "job_id", "summary"}) {
        if (input.is_object() && input.contains(field) && input.at(field).is_string()) {
            return firstLine(QByteArray::fromStdString(input.at(field).get<std::string>()));
        }
    }
    return {};
}

QByteArray secondsOf(std::chrono::milliseconds time)
{
    return QByteArray::number(static_cast<double>(time.count()) / 1000.0, 'f', 1) + " s";
}

class TextGoalReport : public GoalReport
{
public:
    explicit TextGoalReport(Detail detail) : m_detail(detail) {}

    void started(const GoalStart &start) override
    {
        say("goal:   " + firstLine(start.goal));
        say("folder: " + visibleText(start.workspace));
        say("model:  " + visibleText(start.model));
        say("bounds: "
            + (start.policyTag.isEmpty() ? QByteArray("NONE: commands may do what you may")
                                         : start.policyTag));
    }

    void iterationStarted(int number) override { say("\n-- iteration " + QByteArray::number(number)); }

    void messageAdded(const Message &message) override
    {
        if (message.role != Message::Role::Assistant) {
            return;
        }
        for (const Part &part : message.parts) {
            if (const auto *text = std::get_if<TextPart>(&part)) {
                say(safeText(text->text.trimmed()));
            }
        }
    }

    void retrying(const QByteArray &why, std::chrono::milliseconds after) override
    {
        say("   the model: " + firstLine(why) + "; another try in " + secondsOf(after));
    }

    void callFinished(const CallPart &call, const ToolResult &result) override
    {
        ++m_calls;
        const QByteArray what = call.name + ' ' + subjectOf(call);
        if (result.ok) {
            say("   done    " + what);
            return;
        }
        const QByteArray output = result.output.trimmed();
        QByteArray why = firstLine(result.error);
        if (!output.isEmpty()) {
            why += ": " + firstLine(output.mid(output.lastIndexOf('\n') + 1));
        }
        say("   FAILED  " + what + "\n           " + why);
        m_failures.append(what + ": " + why);
    }

    void ended(const GoalEnd &end) override
    {
        std::printf("%s%s: %s\n", m_detail == Detail::All ? "\n" : "", toText(end.reason).constData(),
                    safeText(end.message).constData());
        std::printf("%d iteration%s, %s, %d calls of tools", end.iterations, end.iterations == 1 ? "" : "s",
                    secondsOf(end.time).constData(), m_calls);
        if (end.usage.isKnown) {
            std::printf(", %lld tokens in (%lld of them cached), %lld out", end.usage.input,
                        end.usage.cachedInput, end.usage.output);
        }
        std::printf("\n");
        printList("files changed:", end.changedFiles);
        printList("calls that failed:", m_failures);
        std::fflush(stdout);
    }

private:
    void say(const QByteArray &line) const
    {
        if (m_detail == Detail::All) {
            std::printf("%s\n", line.constData());
            std::fflush(stdout);
        }
    }

    static void printList(const char *title, const QList<QByteArray> &entries)
    {
        if (entries.isEmpty()) {
            return;
        }
        std::printf("%s\n", title);
        for (const QByteArray &entry : entries.first(std::min(entries.size(), MostFiles))) {
            std::printf("  %s\n", visibleText(entry).constData());
        }
        if (entries.size() > MostFiles) {
            std::printf("  and %lld more\n", static_cast<long long>(entries.size() - MostFiles));
        }
    }

    Detail m_detail;
    int m_calls = 0;
    QList<QByteArray> m_failures;
};

} // namespace

std::unique_ptr<GoalReport> textGoalReport(Detail detail)
{
    return std::make_unique<TextGoalReport>(detail);
}

} // namespace spettro
