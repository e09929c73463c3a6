// Making a conversation shorter: what stays, what goes, and that no call ever loses its result.

#include "app/agent/context/Compaction.h"
#include "app/agent/context/ContextGauge.h"
#include "app/agent/context/ConversationCut.h"
#include "app/agent/writtenCall.h"
#include "app/llm/chatRequest.h"
#include "app/llm/messagesRequest.h"
#include "app/llm/preparedConversation.h"
#include "app/llm/responsesRequest.h"
#include "tests/support/StrictServer.h"

#include <QSet>
#include <QTest>

#include <random>

using namespace spettro;
using namespace spettro::test;

namespace {

constexpr unsigned Seed = 20261201;

Message user(const QByteArray &text)
{
    return {Message::Role::User, {TextPart{text}}};
}

/// A step: so many calls, with thoughts before them, and their results.
Conversation step(int number, int calls, qsizetype size)
{
    Message answer{Message::Role::Assistant, {}};
    Message results{Message::Role::User, {}};
    answer.parts.append(
        ReasoningPart{"thought", "S" + QByteArray::number(number), "thinking", Protocol::Messages});
    answer.parts.append(TextPart{"step " + QByteArray::number(number)});
    for (int i = 0; i < calls; ++i) {
        const QByteArray id = "c" + QByteArray::number(number) + '-' + QByteArray::number(i);
        answer.parts.append(CallPart{id, "ls", "{}", {}});
        results.parts.append(ResultPart{id, QByteArray(size, 'x') + id, false});
    }
    return calls > 0 ? Conversation{answer, results} : Conversation{answer};
}

Conversation randomConversation(std::mt19937 &random, int steps)
{
    Conversation conversation{user("the goal")};
    for (int i = 0; i < steps; ++i) {
        conversation += step(i, static_cast<int>(random() % 4), static_cast<qsizetype>(random() % 6000));
        if (random() % 4 == 0 || canBegin(conversation.last())) {
            conversation.append(user("go on, \xc3\xa9\xf0\x9f\x98\x80 " + QByteArray::number(i)));
        }
    }
    return conversation;
}

/// Whether every result follows its call, and every call but none has its result.
bool isPaired(const Conversation &conversation)
{
    QSet<QByteArray> open;
    for (const Message &message : conversation) {
        for (const Part &part : message.parts) {
            if (const auto *result = std::get_if<ResultPart>(&part)) {
                if (!open.remove(result->callId)) {
                    return false;
                }
            }
        }
        if (!open.isEmpty()) {
            return false;
        }
        for (const Part &part : message.parts) {
            if (const auto *call = std::get_if<CallPart>(&part)) {
                open.insert(call->id);
            }
        }
    }
    return open.isEmpty();
}

ModelReply reply(const QList<Part> &parts)
{
    return {{Message::Role::Assistant, parts}, StopReason::EndOfTurn, {}};
}

/// Carries a compaction out with a model that answers like this. Counts the requests.
Compaction::Step carryOut(Compaction &compaction,
                          const std::function<ModelOutcome(const ModelRequest &)> &model, int *requests)
{
    Compaction::Step step = compaction.begin();
    for (*requests = 0; std::holds_alternative<ModelRequest>(step) && *requests < 20; ++*requests) {
        step = compaction.take(model(std::get<ModelRequest>(step)));
    }
    return step;
}

ModelOutcome summary(const ModelRequest &)
{
    return reply({TextPart{"SUMMARY"}});
}

} // namespace

class tst_Compaction : public QObject
{
    Q_OBJECT

private slots:
    void gauge();
    void cutsBetweenSteps();
    void leavesOutOldResultsFirst();
    void sumsUp();
    void anyConversation();
    void requestThatIsTooLong();
    void failures_data();
    void failures();
    void savesNothing();
    void lastStepIsTooLarge();
    void writtenCalls_data();
    void writtenCalls();
};

void tst_Compaction::gauge()
{
    ContextGauge gauge(500);
    Conversation conversation{user(QByteArray(300, 'a'))};
    const qint64 one = estimatedTokens(conversation);
    QVERIFY(one >= 100 && one < 120);
    QCOMPARE(gauge.tokens(conversation), 500 + one);
    gauge.take({1000, 0, 10, true}, 1); // what the server says counts
    QCOMPARE(gauge.tokens(conversation), 1000);
    conversation.append(user(QByteArray(300, 'a')));
    QCOMPARE(gauge.tokens(conversation), 1000 + one);
    gauge.take({}, 2); // it says nothing
    QCOMPARE(gauge.tokens(conversation), 1000 + one);
    QCOMPARE(gauge.estimatedUsage(conversation, user(QByteArray(300, 'a'))),
             (Usage{500 + 2 * one, 0, one, false}));
    gauge.reset();
    QCOMPARE(gauge.tokens(conversation), 500 + 2 * one);
}

/// Case A56.
void tst_Compaction::cutsBetweenSteps()
{
    Conversation conversation{user("goal")};
    for (int calls : {1, 2, 3, 1, 3}) {
        conversation += step(calls, calls, 300);
    }
    qsizetype last = conversation.size();
    for (qint64 tokens = 0; tokens < 2000; ++tokens) {
        const qsizetype begin = tailBegin(conversation, tokens);
        QVERIFY(begin > 0 && begin < conversation.size() && begin <= last);
        QVERIFY(canBegin(conversation.at(begin)));
        QVERIFY(isPaired(conversation.mid(begin)));
        QVERIFY(begin == conversation.size() - 2 || estimatedTokens(conversation.mid(begin)) <= tokens);
        last = begin;
    }
    QCOMPARE(last, 1);
    QCOMPARE(tailBegin({user("goal")}, 1000), 1);
    QCOMPARE(tailBegin({}, 1000), 0);
}

void tst_Compaction::leavesOutOldResultsFirst()
{
    Conversation conversation{user("goal")};
    conversation += step(1, 1, 30'000);
    conversation += step(2, 2, 100);
    Compaction compaction({conversation, "goal", 10'000, "m"});
    int requests = 0;
    const Compaction::Step end = carryOut(compaction, summary, &requests);
    QCOMPARE(requests, 0);
    const Conversation shorter = std::get<Compacted>(end).conversation;
    QCOMPARE(shorter.size(), conversation.size());
    const auto result = std::get<ResultPart>(shorter.at(2).parts.first());
    QVERIFY2(result.text.contains("30004 bytes"), result.text);
    QCOMPARE(shorter.mid(3), conversation.mid(3));
    QCOMPARE(shorter.first(2), conversation.first(2));
}

void tst_Compaction::sumsUp()
{
    Conversation conversation{user("goal")};
    for (int i = 0; i < 40; ++i) {
        conversation += step(i, 1, 600); // nothing that is large
    }
    Compaction compaction({conversation, "the whole goal", 8'000, "m"});
    int requests = 0;
    ModelRequest asked;
    const Compaction::Step end = carryOut(
        compaction,
        [&](const ModelRequest &request) {
            asked = request;
            return summary(request);
        },
        &requests);
    QCOMPARE(requests, 1);
    QVERIFY(asked.tools.isEmpty());
    QCOMPARE(asked.model, QByteArray("m"));
    QCOMPARE(asked.messages.size(), 1);
    const QByteArray text = std::get<TextPart>(asked.messages.first().parts.first()).text;
    QVERIFY(estimatedTokens(text) <= 8'000 * 60 / 100);
    QVERIFY2(text.contains("AGENT: step 20") && text.contains("CALL ls: {}") && text.contains("RESULT: xxx"),
             text);
    const Compacted compacted = std::get<Compacted>(end);
    QCOMPARE(compacted.summary, QByteArray("SUMMARY"));
    const Message first = compacted.conversation.first();
    QCOMPARE(std::get<TextPart>(first.parts.at(0)).text, QByteArray("the whole goal"));
    QVERIFY(std::get<TextPart>(first.parts.at(1)).text.endsWith("SUMMARY"));
    const qsizetype tail = compacted.conversation.size() - 1;
    QVERIFY(tail >= 2);
    QCOMPARE(compacted.conversation.mid(1), conversation.last(tail));
    // What stays and what was summed up are all of it.
    QVERIFY(!text.contains("AGENT: step 39"));
    const auto firstKept = std::get<TextPart>(compacted.conversation.at(1).parts.at(1)).text;
    QVERIFY(!text.contains("AGENT: " + firstKept + '\n'));
    QVERIFY(text.contains("AGENT: step " + QByteArray::number(firstKept.mid(5).toInt() - 1)));
}

/// Whatever the conversation: calls keep their results in every protocol, thoughts their calls, and it gets shorter.
void tst_Compaction::anyConversation()
{
    std::mt19937 random(Seed);
    int compacted = 0;
    for (int round = 0; round < 400; ++round) {
        const Conversation conversation = randomConversation(random, static_cast<int>(random() % 25));
        const auto window = static_cast<qint64>(500 + random() % 20'000);
        Compaction compaction({conversation, "the goal", window, "m"});
        int requests = 0;
        const Compaction::Step end = carryOut(compaction, summary, &requests);
        QVERIFY(requests <= 1);
        if (!std::holds_alternative<Compacted>(end)) {
            continue;
        }
        ++compacted;
        const Conversation shorter = std::get<Compacted>(end).conversation;
        QVERIFY(estimatedTokens(shorter) <= estimatedTokens(conversation) * 80 / 100);
        QVERIFY(isPaired(shorter));
        QCOMPARE(std::get<TextPart>(shorter.first().parts.first()).text, QByteArray("the goal"));
        const ModelRequest request{"m", "s", {}, shorter, 1000};
        QCOMPARE(refusalOfChat(chatRequest(request, {}).body), QByteArray());
        QCOMPARE(refusalOfMessages(messagesRequest(request, {}).body), QByteArray());
        QCOMPARE(refusalOfResponses(responsesRequest(request, {}).body), QByteArray());
        for (const Message &message : shorter) {
            const bool hasCall =
                std::any_of(message.parts.begin(), message.parts.end(),
                            [](const Part &part) { return std::holds_alternative<CallPart>(part); });
            QVERIFY(!hasCall || std::holds_alternative<ReasoningPart>(message.parts.first()));
        }
    }
    QVERIFY(compacted > 200);
}

/// Case A55: a server that takes no more than 20 kB and does not know what a summary is.
void tst_Compaction::requestThatIsTooLong()
{
    Conversation conversation{user("goal")};
    for (int i = 0; i < 60; ++i) {
        conversation += step(i, 1, 1000);
    }
    Compaction compaction({conversation, "goal", estimatedTokens(conversation) * 80 / 100, "m"});
    int requests = 0;
    const Compaction::Step end = carryOut(
        compaction,
        [](const ModelRequest &request) -> ModelOutcome {
            const QByteArray text = std::get<TextPart>(request.messages.first().parts.first()).text;
            return text.size() > 20'000
                       ? ModelOutcome(ModelError{ModelError::Kind::ContextTooLong, "too long", {}, {}})
                       : summary(request);
        },
        &requests);
    QVERIFY2(requests > 1 && requests <= 5, QByteArray::number(requests));
    QVERIFY(std::holds_alternative<Compacted>(end));
    // At a server that never takes it, it ends.
    Compaction hopeless({conversation, "goal", 8'000, "m"});
    const Compaction::Step failed = carryOut(
        hopeless,
        [](const ModelRequest &) -> ModelOutcome {
            return ModelError{ModelError::Kind::ContextTooLong, "too long", {}, {}};
        },
        &requests);
    QVERIFY(std::holds_alternative<QByteArray>(failed));
    QCOMPARE(requests, 4);
}

void tst_Compaction::failures_data()
{
    QTest::addColumn<ModelOutcome>("outcome");
    QTest::newRow("error") << ModelOutcome(ModelError{ModelError::Kind::Server, "500", {}, {}});
    QTest::newRow("cut") << ModelOutcome(ModelError{ModelError::Kind::Transport, "cut", {}, {}});
    QTest::newRow("nothing") << ModelOutcome(reply({}));
    QTest::newRow("blanks") << ModelOutcome(reply({TextPart{" \n"}}));
    QTest::newRow("call") << ModelOutcome(reply({TextPart{"sum"}, CallPart{"a", "bash", "{}", {}}}));
    QTest::newRow("thoughts only") << ModelOutcome(
        reply({ReasoningPart{"hm", "", "", Protocol::ChatCompletions}}));
}

void tst_Compaction::failures()
{
    QFETCH(ModelOutcome, outcome);
    Conversation conversation{user("goal")};
    for (int i = 0; i < 40; ++i) {
        conversation += step(i, 1, 600);
    }
    Compaction compaction({conversation, "goal", 8'000, "m"});
    int requests = 0;
    const Compaction::Step end = carryOut(
        compaction, [&](const ModelRequest &) { return outcome; }, &requests);
    QVERIFY(std::holds_alternative<QByteArray>(end));
    QCOMPARE(requests, 1);
}

/// Case A54: what frees nothing is none.
void tst_Compaction::savesNothing()
{
    const Conversation conversation{user("goal"), user("short")};
    Compaction compaction({conversation, "goal", 10, "m"});
    int requests = 0;
    const Compaction::Step end = carryOut(
        compaction, [](const ModelRequest &) { return reply({TextPart{QByteArray(5000, 'y')}}); }, &requests);
    QVERIFY(std::holds_alternative<QByteArray>(end));
    QVERIFY2(std::get<QByteArray>(end).contains("tokens"), std::get<QByteArray>(end));
}

void tst_Compaction::lastStepIsTooLarge()
{
    Conversation conversation{user("goal")};
    conversation += step(1, 3, 40'000);
    Compaction compaction({conversation, "goal", 8'000, "m"});
    int requests = 0;
    const Compaction::Step end = carryOut(compaction, summary, &requests);
    const Conversation shorter = std::get<Compacted>(end).conversation;
    QVERIFY(estimatedTokens(shorter) < 4'000);
    QVERIFY(isPaired(shorter));
}

void tst_Compaction::writtenCalls_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isCall");
    QTest::newRow("hermes") << QByteArray(
        "I look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>")
                            << true;
    QTest::newRow("llama") << QByteArray("<function=bash>{\"command\": \"ls\"}</function>") << true;
    QTest::newRow("mistral") << QByteArray("[TOOL_CALLS] [{\"name\": \"ls\"}]") << true;
    QTest::newRow("xml") << QByteArray("<invoke name=\"ls\">\n</invoke>") << true;
    QTest::newRow("json") << QByteArray("{\"name\": \"ls\", \"arguments\": {\"path\": \".\"}}") << true;
    QTest::newRow("fenced") << QByteArray("```json\n{\"name\": \"ls\", \"parameters\": {}}\n```") << true;
    QTest::newRow("other field") << QByteArray(" {\"tool\": \"bash\", \"input\": {\"command\": \"ls\"}} ")
                                 << true;
    QTest::newRow("prose") << QByteArray("I would call ls with {\"path\": \".\"} now.") << false;
    QTest::newRow("mentions the mark") << QByteArray("The tag `<tool_call>` begins a call.") << false;
    QTest::newRow("other json") << QByteArray("{\"name\": \"spettro\", \"arguments\": {}}") << false;
    QTest::newRow("no arguments") << QByteArray("{\"name\": \"ls\"}") << false;
    QTest::newRow("broken") << QByteArray("{\"name\": \"ls\", \"arguments\":") << false;
    QTest::newRow("array") << QByteArray("[1, 2]") << false;
    QTest::newRow("empty") << QByteArray() << false;
    QTest::newRow("fence only") << QByteArray("``````") << false;
}

void tst_Compaction::writtenCalls()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isCall);
    QCOMPARE(isWrittenCall(text, {"ls", "bash"}), isCall);
}

QTEST_GUILESS_MAIN(tst_Compaction)

#include "tst_compaction.moc"
