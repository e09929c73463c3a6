#include "app/GoalReport.h"
#include "tools/text/SafeText.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype LongestLine = 160;
constexpr qsizetype MostFiles = 20;
constexpr std::chrono::seconds SignOfLife{15};

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
    explicit TextGoalReport(Detail detail) : m_detail(detail)
    {
        m_signOfLife.setInterval(SignOfLife);
        QObject::connect(&m_signOfLife, &QTimer::timeout, &m_signOfLife, [this] { showLife(); });
        m_elapsed.start();
    }

    void started(const GoalStart &start) override
    {
        say("goal:   " + firstLine(start.goal));
        say("folder: " + visibleText(start.workspace));
        say("model:  " + visibleText(start.model));
        say("bounds: "
            + (start.policyTag.isEmpty() ? QByteArray("NONE: commands may do what you may")
                                         : start.policyTag));
        m_sessionId = start.sessionId;
    }

    void iterationStarted(int number) override
    {
        say("\n-- iteration " + QByteArray::number(number) + ", " + spent());
    }

    void requestStarted() override { begin({}, "the model"); }

    void compactionStarted(qint64 tokens, qint64) override
    {
        say("   the conversation is made shorter: about " + QByteArray::number(tokens) + " tokens");
    }

    void usageArrived(const Usage &usage) override
    {
        m_tokens += usage.input + usage.output;
        finish({});
    }

    void callStarted(const CallPart &call) override { begin(call.id, call.name + ' ' + subjectOf(call)); }

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
        finish(call.id);
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
        say((result.wasRefused ? "   REFUSED " : "   FAILED  ") + what + "\n           " + why);
        (result.wasRefused ? m_refusals : m_failures).append(what + ": " + why);
    }

    void ended(const GoalEnd &end) override
    {
        m_signOfLife.stop();
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
        printList("calls that were refused:", m_refusals);
        std::printf("all of it: spettro sessions show %s\n", m_sessionId.constData());
        std::fflush(stdout);
    }

private:
    struct Running
    {
        QByteArray id;
        QByteArray what;
        qint64 since = 0; ///< By `m_elapsed`.
    };

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

    /// Something begins that may take long: a call, or a request, which has no id.
    void begin(const QByteArray &id, const QByteArray &what)
    {
        m_running.append({id, what, m_elapsed.elapsed()});
        m_signOfLife.start();
    }

    void finish(const QByteArray &id)
    {
        m_running.removeIf([&id](const Running &one) { return one.id == id; });
        if (m_running.isEmpty()) {
            m_signOfLife.stop();
        }
    }

    void showLife() const
    {
        const Running &oldest = m_running.first();
        say("   ...     " + oldest.what + ", "
            + QByteArray::number((m_elapsed.elapsed() - oldest.since) / 1000) + " s");
    }

    QByteArray spent() const
    {
        QByteArray text = QByteArray::number(m_elapsed.elapsed() / 1000) + " s";
        if (m_tokens > 0) {
            text += ", " + QByteArray::number(m_tokens) + " tokens";
        }
        return text;
    }

    Detail m_detail;
    QTimer m_signOfLife;
    QElapsedTimer m_elapsed;
    QList<Running> m_running;
    QByteArray m_sessionId;
    qint64 m_tokens = 0;
    int m_calls = 0;
    QList<QByteArray> m_failures;
    QList<QByteArray> m_refusals;
};

} // namespace

std::unique_ptr<GoalReport> textGoalReport(Detail detail)
{
    return std::make_unique<TextGoalReport>(detail);
}

} // namespace spettro
