#include "app/GoalReport.h"

#include <cstdio>

namespace spettro {

namespace {

std::string textOf(const QByteArray &text)
{
    return text.toStdString();
}

Json usageJson(const Usage &usage)
{
    return {{"input", usage.input}, {"cached_input", usage.cachedInput}, {"output", usage.output}};
}

Json inputOf(const CallPart &call)
{
    Json input = Json::parse(call.arguments.constData(), nullptr, false);
    return input.is_discarded() ? Json(textOf(call.arguments)) : input;
}

class JsonGoalReport : public GoalReport
{
public:
    void started(const GoalStart &start) override
    {
        print({{"event", "start"},
               {"goal", textOf(start.goal)},
               {"workspace", textOf(start.workspace)},
               {"model", textOf(start.model)},
               {"sandbox", textOf(start.policyTag)},
               {"session", textOf(start.sessionId)}});
    }

    void iterationStarted(int number) override { print({{"event", "iteration"}, {"number", number}}); }

    void requestStarted() override { print({{"event", "request"}}); }

    void compactionStarted(qint64 tokens, qint64 window) override
    {
        print({{"event", "compaction"}, {"tokens", tokens}, {"window", window}});
    }

    void usageArrived(const Usage &usage) override
    {
        if (usage.isKnown) {
            print({{"event", "usage"}, {"usage", usageJson(usage)}});
        }
    }

    void callStarted(const CallPart &call) override
    {
        print({{"event", "call-start"}, {"tool", textOf(call.name)}, {"input", inputOf(call)}});
    }

    void messageAdded(const Message &message) override
    {
        for (const Part &part : message.parts) {
            if (const auto *text = std::get_if<TextPart>(&part)) {
                print({{"event", "text"},
                       {"role", message.role == Message::Role::User ? "user" : "assistant"},
                       {"text", textOf(text->text)}});
            }
        }
    }

    void retrying(const QByteArray &why, std::chrono::milliseconds after) override
    {
        print({{"event", "retry"}, {"why", textOf(why)}, {"after_ms", after.count()}});
    }

    void callFinished(const CallPart &call, const ToolResult &result) override
    {
        print({{"event", "call"},
               {"tool", textOf(call.name)},
               {"input", inputOf(call)},
               {"refused", result.wasRefused},
               {"result", result.json()}});
    }

    void ended(const GoalEnd &end) override
    {
        Json files = Json::array();
        for (const QByteArray &file : end.changedFiles) {
            files.push_back(textOf(file));
        }
        Json event{{"event", "end"},
                   {"result", textOf(toText(end.reason))},
                   {"message", textOf(end.message)},
                   {"iterations", end.iterations},
                   {"time_ms", end.time.count()},
                   {"changed_files", files}};
        if (end.usage.isKnown) {
            event["usage"] = usageJson(end.usage);
        }
        print(event);
    }

private:
    static void print(const Json &event)
    {
        std::printf("%s\n", event.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
        std::fflush(stdout);
    }
};

} // namespace

std::unique_ptr<GoalReport> jsonGoalReport()
{
    return std::make_unique<JsonGoalReport>();
}

} // namespace spettro
