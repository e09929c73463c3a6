// What a model sends as the input of a tool: read strictly, with the field named in each error.

#include "tools/ToolInput.h"

#include <QList>
#include <QRandomGenerator>
#include <QTest>

using namespace spettro;

namespace {

Json schema()
{
    return Json::parse(R"({"type": "object", "additionalProperties": false, "required": ["path"],
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "count": {"type": "integer", "minimum": 1},
            "deep": {"type": "boolean"},
            "edits": {"type": "array", "items": {"type": "object", "required": ["old"],
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}}}}}})");
}

/// The error for an input; empty where it is taken.
QByteArray errorFor(const QByteArray &text)
{
    const ToolOutcome<Json> input = parseInput(text);
    if (!input) {
        return input.error().message;
    }
    const ToolOutcome<bool> checked = checkInput(*input, schema(), {"content"});
    return checked ? QByteArray() : checked.error().message;
}

} // namespace

class tst_ToolInput : public QObject
{
    Q_OBJECT

private slots:
    void errors_data();
    void errors();
    void survivesAnyBytes();
};

void tst_ToolInput::errors_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("error"); // a part of it; empty for none
    const auto row = [](const char *name, const QByteArray &text, const char *error) {
        QTest::newRow(name) << text << QByteArray(error);
    };
    row("least", R"({"path":"a"})", "");
    row("all", R"({"path":"a","content":"","mode":"b","count":1,"deep":false,"edits":[{"old":"x"}]})", "");
    row("missing field", R"({"content":"x"})", "'path' is missing");
    row("unknown field", R"({"path":"a","Path":"b"})", "no field 'Path'");
    row("wrong type", R"({"path":1})", "'path' has to be a string");
    row("null", R"({"path":null})", "'path' has to be a string");
    row("number as text", R"({"path":"a","count":"1"})", "'count' has to be an integer");
    row("fraction", R"({"path":"a","count":1.5})", "'count' has to be an integer");
    row("too small", R"({"path":"a","count":0})", "'count' has to be at least 1");
    row("too large", R"({"path":"a","count":2147483648})", "'count' is too large");
    row("far too large", R"({"path":"a","count":18446744073709551615})", "'count' is too large");
    row("beyond all integers", R"({"path":"a","count":1e400})", "not valid JSON");
    row("text for boolean", R"({"path":"a","deep":"true"})", "'deep' has to be a boolean");
    row("not one of the choices", R"({"path":"a","mode":"c"})", "'mode' has to be one of: a, b");
    row("text for a list", R"({"path":"a","edits":"x"})", "'edits' has to be an array");
    row("wrong item", R"({"path":"a","edits":[1]})", "'edits' has to be an object");
    row("missing in an item", R"({"path":"a","edits":[{"new":"x"}]})", "'old' is missing in 'edits'");
    row("unknown in an item", R"({"path":"a","edits":[{"old":"x","x":1}]})", "no field 'x' in 'edits'");
    row("NUL", R"({"path":"ok.txt\u0000../x"})", "'path' has a NUL character"); // cases 82, A90
    row("NUL in a content", R"({"path":"a","content":"a\u0000b"})", "");
    row("doubled field", R"({"path":"a","path":"../b"})", "'path' is there twice"); // A102
    row("doubled in an item", R"({"path":"a","edits":[{"old":"x","old":"y"}]})", "'old' is there twice");
    row("same field in two items", R"({"path":"a","edits":[{"old":"x"},{"old":"y"}]})", "");
    row("lone surrogate", R"({"path":"\ud800"})", "not valid JSON");
    row("surrogates in the wrong order", R"({"path":"\udc00\ud800"})", "not valid JSON");
    row("a pair of surrogates", R"({"path":"\ud83d\ude42"})", "");
    row("unknown escape", R"({"path":"\q"})", "not valid JSON");
    row("raw newline", "{\"path\":\"a\nb\"}", "not valid JSON");
    row("raw NUL", QByteArray("{\"path\":\"a\0b\"}", 14), "not valid JSON");
    row("no UTF-8", "{\"path\":\"\xff\"}", "not valid JSON");
    row("no object", "[]", "the input has to be an object");
    row("a text", "\"x\"", "the input has to be an object");
    row("nothing", "", "not valid JSON");
    row("cut", R"({"path":"a")", "not valid JSON"); // A21: never repaired
    row("more behind it", R"({"path":"a"}{})", "not valid JSON");
    row("comment", R"({"path":"a"} // x)", "not valid JSON");
    row("deep", QByteArray(100, '[') + QByteArray(100, ']'), "nested too deeply");
    row("deep objects", "{\"path\":" + QByteArray("{\"a\":").repeated(100) + "1" + QByteArray(101, '}'),
        "nested too deeply");
}

void tst_ToolInput::errors()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, error);
    const QByteArray actual = errorFor(text);
    QVERIFY2(error.isEmpty() ? actual.isEmpty() : actual.contains(error), actual.constData());
}

void tst_ToolInput::survivesAnyBytes()
{
    QRandomGenerator random(3);
    const QList<QByteArray> pieces{"{",        "}",     "[",  "]",    ":",     ",",
                                   "\"path\"", "\"a\"", "1",  "-1",   "1e999", "\\u0000",
                                   "\\ud800",  "true",  "\"", "\xff", " ",     "null"};
    int accepted = 0;
    for (int round = 0; round < 200'000; ++round) {
        QByteArray text = round % 2 == 0 ? "{\"path\":\"a\"" : "";
        for (int count = random.bounded(12); count > 0; --count) {
            text += pieces.at(random.bounded(pieces.size()));
        }
        if (errorFor(text).isEmpty()) {
            ++accepted;
            QVERIFY2(Json::accept(text.toStdString()), text.constData());
        }
    }
    QVERIFY(accepted > 0);
    QVERIFY(!errorFor(QByteArray(1'000'000, '[')).isEmpty());
}

QTEST_APPLESS_MAIN(tst_ToolInput)

#include "tst_toolinput.moc"
