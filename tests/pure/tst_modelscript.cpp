// The scripts that the scripted model plays.

#include "app/llm/ScriptedModel.h"

#include <QSignalSpy>
#include <QTest>

#include <random>

using namespace spettro;

Q_DECLARE_METATYPE(ModelOutcome)

namespace {

ModelReply answerOf(ScriptedModel &model, const Conversation &messages)
{
    std::optional<ModelOutcome> outcome;
    const auto connection =
        QObject::connect(&model, &Model::finished, [&](const ModelOutcome &came) { outcome = came; });
    model.ask({"", "", {}, messages, {}});
    const bool isHere = QTest::qWaitFor([&] { return outcome.has_value(); });
    QObject::disconnect(connection);
    return isHere ? std::get<ModelReply>(*outcome) : ModelReply{};
}

/// The answer as text, calls as `name arguments`.
QByteArray shown(const ModelReply &reply)
{
    QByteArrayList parts;
    for (const Part &part : reply.message.parts) {
        if (const auto *text = std::get_if<TextPart>(&part)) {
            parts.append(text->text);
        } else if (const auto *call = std::get_if<CallPart>(&part)) {
            parts.append(call->name + ' ' + call->arguments);
        }
    }
    return parts.join(" | ");
}

Conversation resultOf(const QByteArray &text, bool isError)
{
    return {{Message::Role::User, {ResultPart{"call-1", text, isError}}}};
}

constexpr const char *Script = R"(
title = "a test"
[[turn]]
say = "first"
calls = [ { tool = "bash", input = { command = "ls", list = [1, 2.5, true, "x"], inner = { a = "\u00e9" } } } ]
[[turn]]
after = "failed"
say = "it failed"
[[turn]]
after = "ok"
say = "it worked"
[[turn]]
after_output = "0 failed"
say = "no failures"
[[turn]]
say = "last"
)";

} // namespace

class tst_ModelScript : public QObject
{
    Q_OBJECT

private slots:
    void playsInOrder();
    void conditions_data();
    void conditions();
    void cancelled();
    void errors_data();
    void errors();
    void fuzz();
};

void tst_ModelScript::playsInOrder()
{
    ScriptedModel model(std::get<ModelScript>(readModelScript(Script, "s")));
    QCOMPARE(model.title(), QByteArray("scripted model (a test)"));
    const ModelReply first = answerOf(model, {});
    QCOMPARE(shown(first),
             QByteArray(R"(first | bash {"command":"ls","inner":{"a":"é"},"list":[1,2.5,true,"x"]})"));
    QCOMPARE(first.stopReason, StopReason::ToolCalls);
    QCOMPARE(shown(answerOf(model, {})), QByteArray("last")); // no result: what has a condition is left out
    QCOMPARE(shown(answerOf(model, {})), QByteArray("The script ends here."));
}

void tst_ModelScript::conditions_data()
{
    QTest::addColumn<QByteArray>("result");
    QTest::addColumn<bool>("isError");
    QTest::addColumn<QByteArrayList>("answers");
    QTest::newRow("failed") << QByteArray("3 failed") << true << QByteArrayList{"it failed", "last"};
    QTest::newRow("worked") << QByteArray("fine") << false << QByteArrayList{"it worked", "last"};
    QTest::newRow("worked, with the output")
        << QByteArray("10 run, 0 failed") << false << QByteArrayList{"it worked", "no failures", "last"};
}

void tst_ModelScript::conditions()
{
    QFETCH(QByteArray, result);
    QFETCH(bool, isError);
    QFETCH(QByteArrayList, answers);
    ScriptedModel model(std::get<ModelScript>(readModelScript(Script, "s")));
    answerOf(model, {});
    for (const QByteArray &answer : answers) {
        QCOMPARE(shown(answerOf(model, resultOf(result, isError))), answer);
    }
}

void tst_ModelScript::cancelled()
{
    ScriptedModel model(std::get<ModelScript>(readModelScript(Script, "s")));
    QList<ModelOutcome> outcomes;
    connect(&model, &Model::finished, this, [&](const ModelOutcome &outcome) { outcomes.append(outcome); });
    model.cancel(); // nothing runs
    model.ask({});
    model.cancel();
    QTRY_COMPARE(outcomes.size(), 1);
    QCOMPARE(std::get<ModelError>(outcomes.first()).kind, ModelError::Kind::Interrupted);
    QCOMPARE(shown(answerOf(model, {})).left(5), QByteArray("first")); // and not the one after
}

void tst_ModelScript::errors_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("error");
    const auto row = [](const char *name, const char *script, const char *error) {
        QTest::newRow(name) << QByteArray(script) << QByteArray(error);
    };
    row("empty", "", "s:");
    row("no TOML", "title = 'a'\n[[turn]\n", "s:2:");
    row("unknown key", "\nturns = 1\n", "s:2:9: unknown key 'turns'");
    row("unknown key of a turn", "[[turn]]\nsays = 'x'\n", "s:2:8: unknown key 'says' in a turn");
    row("unknown key of a call", "[[turn]]\ncalls = [{ tool = 'x', arguments = {} }]\n",
        "s:2:36: unknown key 'arguments' in a call");
    row("empty turn", "[[turn]]\nafter = 'ok'\n", "s:1:1: a turn needs say or calls");
    row("call without input", "[[turn]]\ncalls = [{ tool = 'x' }]\n", "s:2:10: a call needs tool and input");
    row("call without tool", "[[turn]]\ncalls = [{ input = {} }]\n", "s:2:10: a call needs tool and input");
    row("wrong type", "[[turn]]\nsay = 1\n", "s:2:7: say has to be a text");
    row("wrong condition", "[[turn]]\nafter = 'never'\nsay = 'x'\n", "s:2:9: after has to be");
    row("input of another type", "[[turn]]\ncalls = [{ tool = 'x', input = 'y' }]\n",
        "s:2:32: input has to be a table");
    row("turn of another type", "turn = 'x'\n", "s:1:8: turn has to be a list");
}

void tst_ModelScript::errors()
{
    QFETCH(QByteArray, script);
    QFETCH(QByteArray, error);
    const auto read = readModelScript(script, "s");
    QVERIFY(std::holds_alternative<QByteArray>(read));
    QVERIFY2(std::get<QByteArray>(read).startsWith(error), std::get<QByteArray>(read));
}

void tst_ModelScript::fuzz()
{
    std::mt19937 random(20261201);
    int good = 0;
    for (int round = 0; round < 3000; ++round) {
        QByteArray script(Script);
        for (int change = static_cast<int>(random() % 4); change >= 0; --change) {
            const auto position = static_cast<qsizetype>(random() % static_cast<unsigned>(script.size()));
            switch (random() % 3) {
            case 0:
                script[position] = static_cast<char>(random());
                break;
            case 1:
                script.remove(position, static_cast<qsizetype>(random() % 5));
                break;
            default:
                script.insert(position, "'\"[]{}=\n#\\,.\xff"[random() % 13]);
            }
        }
        const auto read = readModelScript(script, "s");
        const auto *made = std::get_if<ModelScript>(&read);
        good += made ? 1 : 0;
        QVERIFY(made ? !made->turns.isEmpty() : std::get<QByteArray>(read).startsWith("s:"));
    }
    QVERIFY2(good > 100 && good < 2900, QByteArray::number(good));
}

QTEST_GUILESS_MAIN(tst_ModelScript)

#include "tst_modelscript.moc"
