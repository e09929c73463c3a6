// The lists of models that servers give, in all their forms, and what is no such list.

#include "app/llm/JsonText.h"
#include "app/llm/ModelList.h"
#include "app/llm/serverAddress.h"

#include <QRandomGenerator>
#include <QTest>

using namespace spettro;

namespace {

using Models = QList<OfferedModel>;

ModelError errorOf(const QByteArray &body, const Redactor &redactor = {})
{
    const auto read = readModelPage(body, redactor);
    const auto *error = std::get_if<ModelError>(&read);
    return error ? *error : ModelError{ModelError::Kind::Interrupted, "it was read", {}, {}};
}

} // namespace

class tst_ModelList : public QObject
{
    Q_OBJECT

private slots:
    void forms_data();
    void forms();
    void parts_data();
    void parts();
    void noList_data();
    void noList();
    void reportedError();
    void nothingSecretIsShown();
    void sorted();
    void anyBytes();
    void anyJson();
    void addresses_data();
    void addresses();
};

void tst_ModelList::forms_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<Models>("models");
    const auto row = [](const char *name, const char *body, const Models &models) {
        QTest::newRow(name) << QByteArray(body) << models;
    };
    row("OpenAI",
        R"({"object":"list","data":[{"id":"gpt-x","object":"model","created":1,"owned_by":"openai"},{"id":"o9"}]})",
        {{"gpt-x", 0}, {"o9", 0}});
    row("OpenRouter", R"({"data":[{"id":"a/b","context_length":131072},{"id":"c","context_length":null}]})",
        {{"a/b", 131072}, {"c", 0}});
    row("llama.cpp",
        R"({"models":[{"name":"x"}],"object":"list","data":[{"id":"m","meta":{"n_ctx_train":4096}}]})",
        {{"m", 4096}});
    row("llama.cpp with less than it could",
        R"({"data":[{"id":"m","meta":{"n_ctx_train":4096,"n_ctx":512}}]})", {{"m", 512}});
    row("vLLM", R"({"data":[{"id":"m","max_model_len":32768}]})", {{"m", 32768}});
    row("Groq", R"({"data":[{"id":"m","context_window":8192}]})", {{"m", 8192}});
    row("Mistral", R"({"data":[{"id":"m","max_context_length":8192}]})", {{"m", 8192}});
    row("Anthropic",
        R"({"data":[{"type":"model","id":"claude-x","max_input_tokens":200000}],"has_more":false})",
        {{"claude-x", 200000}});
    row("Anthropic that does not know", R"({"data":[{"id":"claude-x","max_input_tokens":0}]})",
        {{"claude-x", 0}});
    row("a bare list", R"([{"id":"m","context_length":1024}])", {{"m", 1024}});
    row("none", R"({"data":[]})", {});
    row("no error", R"({"error":null,"data":[{"id":"m"}]})", {{"m", 0}});
    row("entries without an id", R"({"data":[{"id":""},{"id":7},{},"m",null,[],{"name":"x"},{"id":"m"}]})",
        {{"m", 0}});
    row("odd lengths",
        R"({"data":[{"id":"a","context_length":-1},{"id":"b","context_length":"9"},{"id":"c","context_length":1e30},
            {"id":"d","context_length":1.5},{"id":"e","meta":7},{"id":"f","context_length":0,"max_model_len":5}]})",
        {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"e", 0}, {"f", 5}});
}

void tst_ModelList::forms()
{
    QFETCH(QByteArray, body);
    QFETCH(Models, models);
    const auto read = readModelPage(body, {});
    QVERIFY2(std::holds_alternative<ModelPage>(read), errorOf(body).message);
    QCOMPARE(std::get<ModelPage>(read).models, models);
    QCOMPARE(std::get<ModelPage>(read).next, QByteArray());
}

void tst_ModelList::parts_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("next");
    QTest::newRow("more") << QByteArray(R"({"data":[{"id":"a"}],"has_more":true,"last_id":"z"})")
                          << QByteArray("z");
    QTest::newRow("more behind the last")
        << QByteArray(R"({"data":[{"id":"a"},{"id":"b"}],"has_more":true})") << QByteArray("b");
    QTest::newRow("no more") << QByteArray(R"({"data":[{"id":"a"}],"has_more":false,"last_id":"a"})")
                             << QByteArray();
    QTest::newRow("more of nothing") << QByteArray(R"({"data":[],"has_more":true})") << QByteArray();
    QTest::newRow("odd") << QByteArray(R"({"data":[{"id":"a"}],"has_more":"true","last_id":"a"})")
                         << QByteArray();
}

void tst_ModelList::parts()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, next);
    QCOMPARE(std::get<ModelPage>(readModelPage(body, {})).next, next);
}

void tst_ModelList::noList_data()
{
    QTest::addColumn<QByteArray>("body");
    for (const char *body :
         {"", "null", "7", "{}", R"({"data":{}})", R"({"data":null})", "<html>login</html>", "[{",
          R"({"data":[{"id":"a")", "{\"data\":[{\"id\":\"\xff\"}]}"}) {
        QTest::newRow(body) << QByteArray(body);
    }
    QTest::newRow("deep") << QByteArray(R"({"data":)") + QByteArray(100'000, '[');
}

void tst_ModelList::noList()
{
    QFETCH(QByteArray, body);
    const ModelError error = errorOf(body);
    QCOMPARE(error.kind, ModelError::Kind::BadReply);
    QVERIFY2(error.message.contains("no list of models") && error.message.size() < 700, error.message);
}

void tst_ModelList::reportedError()
{
    const ModelError error =
        errorOf(R"({"error":{"code":"invalid_api_key","message":"this is no key"},"data":[{"id":"a"}]})");
    QCOMPARE(error.kind, ModelError::Kind::Authentication);
    QVERIFY2(error.message.contains("this is no key"), error.message);
}

void tst_ModelList::nothingSecretIsShown()
{
    const Redactor redactor({"hunter2hunter2"});
    for (const char *body :
         {R"({"error":{"message":"hunter2hunter2 is no key"}})", "<p>hunter2hunter2</p>"}) {
        const QByteArray message = errorOf(body, redactor).message;
        QVERIFY2(!message.isEmpty() && !message.contains("hunter2"), message);
    }
}

void tst_ModelList::sorted()
{
    QCOMPARE(sortedModels({{"b", 0}, {"a", 7}, {"B", 0}, {"a", 9}, {"a", 8}}),
             (Models{{"B", 0}, {"a", 7}, {"b", 0}}));
    QCOMPARE(sortedModels({}), Models());
}

/// A list with bytes changed, cut out and put in: it is read or it is not, and what is read has ids.
void tst_ModelList::anyBytes()
{
    QRandomGenerator random(20261201);
    const QByteArray whole =
        R"({"object":"list","data":[{"id":"a\u00e9","context_length":131072,"meta":{"n_ctx_train":1}},{"id":"b"}],"has_more":true,"last_id":"b"})";
    int readable = 0;
    for (int round = 0; round < 20'000; ++round) {
        QByteArray body = whole;
        for (int change = random.bounded(1, 4); change > 0; --change) {
            const int place = random.bounded(static_cast<int>(body.size()));
            const char byte = random.bounded(2) ? "{}[]\":,0e\\"[random.bounded(10)]
                                                : static_cast<char>(random.bounded(256));
            switch (random.bounded(3)) {
            case 0:
                body[place] = byte;
                break;
            case 1:
                body.insert(place, byte);
                break;
            default:
                body.remove(place, random.bounded(1, 20));
            }
        }
        const auto read = readModelPage(body, {});
        if (const auto *page = std::get_if<ModelPage>(&read)) {
            ++readable;
            for (const OfferedModel &model : page->models) {
                QVERIFY2(!model.id.isEmpty() && model.contextTokens >= 0, body);
                QVERIFY2(QString::fromUtf8(model.id).toUtf8() == model.id, body);
            }
        } else {
            QVERIFY2(!std::get<ModelError>(read).message.isEmpty(), body);
        }
    }
    QVERIFY(readable > 100);
}

/// Whatever a member holds, the models beside it are found.
void tst_ModelList::anyJson()
{
    QRandomGenerator random(20261202);
    const QByteArrayList values{"null",
                                "true",
                                "-1",
                                "1e400",
                                "1e18",
                                "[]",
                                "[[1]]",
                                "{}",
                                R"({"id":"x"})",
                                R"("")",
                                R"("\u0000\ud83d\ude00")"};
    const QByteArrayList names{"id",   "context_length",   "max_model_len", "context_window",
                               "meta", "max_input_tokens", "object"};
    for (int round = 0; round < 5'000; ++round) {
        QByteArrayList members;
        for (const QByteArray &name : names) {
            if (random.bounded(2)) {
                members.append('"' + name + "\":" + values[random.bounded(static_cast<int>(values.size()))]);
            }
        }
        const QByteArray body =
            R"({"data":[{)" + members.join(',') + R"(},{"id":"mine","context_length":5}]})";
        const auto read = readModelPage(body, {});
        if (!std::holds_alternative<ModelPage>(read)) {
            QVERIFY2(body.contains("1e400"), body); // which is beyond JSON's numbers here
            continue;
        }
        QVERIFY2(std::get<ModelPage>(read).models.contains(OfferedModel{"mine", 5}), body);
    }
}

void tst_ModelList::addresses_data()
{
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("address");
    QTest::newRow("plain") << "https://h/v1"
                           << "https://h/v1/models";
    QTest::newRow("with a slash") << "https://h/v1//"
                                  << "https://h/v1/models";
    QTest::newRow("bare") << "http://h:8080"
                          << "http://h:8080/models";
    QTest::newRow("with a query") << "https://u:p@h/v1?key=k&x=1"
                                  << "https://u:p@h/v1/models?key=k&x=1";
}

void tst_ModelList::addresses()
{
    QFETCH(QString, base);
    QFETCH(QString, address);
    QCOMPARE(addressOf(QUrl(base), "/models"), QUrl(address));
}

QTEST_APPLESS_MAIN(tst_ModelList)

#include "tst_modellist.moc"
