// What a failure means and what is said of it: status, headers and body of many servers in, kind and text out.

#include "app/llm/ServerError.h"

#include <QTest>

#include <random>

using namespace spettro;

namespace {

using Kind = ModelError::Kind;

constexpr unsigned Seed = 20261130;

const QDateTime Now(QDate(2026, 11, 30), QTime(12, 0), Qt::UTC);

ModelError errorOf(int status, const QByteArray &body, const QList<HttpHeader> &headers = {})
{
    const Redactor redactor({"sk-TESTKEY123", "pw9", "QK42"});
    return errorFromResponse({status, headers, body}, redactor, Now);
}

} // namespace

Q_DECLARE_METATYPE(spettro::ModelError::Kind)

class tst_ModelError : public QObject
{
    Q_OBJECT

private slots:
    void kinds_data();
    void kinds();
    void messages_data();
    void messages();
    void retryable();
    void retryAfter_data();
    void retryAfter();
    void redirections();
    void redacts_data();
    void redacts();
    void fuzz();
};

void tst_ModelError::kinds_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<Kind>("kind");
    const auto row = [](const char *name, int status, const QByteArray &body, Kind kind) {
        QTest::newRow(name) << status << body << kind;
    };
    const auto message = [](const QByteArray &words) {
        return R"({"error":{"message":")" + words + R"("}})";
    };

    row("wrong key, OpenAI", 401,
        R"({"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}})",
        Kind::Authentication);
    row("wrong key, Anthropic", 401,
        R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
        Kind::Authentication);
    row("wrong key, status 400", 400, R"({"error":{"message":"API key not valid","code":"invalid_api_key"}})",
        Kind::Authentication);
    row("no permission", 403, R"({"type":"error","error":{"type":"permission_error","message":"no"}})",
        Kind::Authentication);
    row("nothing in the body", 401, "", Kind::Authentication);
    row("quota with 429", 429,
        R"({"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}})",
        Kind::Quota);
    row("quota with code alone", 429, R"({"error":{"code":"insufficient_quota"}})", Kind::Quota);
    row("payment required", 402, message("Insufficient credits"), Kind::Quota);
    row("credit balance, Anthropic", 400,
        message("Your credit balance is too low to access the Anthropic API."), Kind::Quota);
    row("limit of a minute, Gemini", 429,
        message("You exceeded your current quota, check your plan and billing details. Please retry in 34s."),
        Kind::RateLimited);
    row("rate limit", 429,
        message("Rate limit reached for gpt-4o on tokens per min. The maximum context length is not meant."),
        Kind::RateLimited);
    row("rate limit, no JSON", 429, "slow down", Kind::RateLimited);
    row("overloaded", 529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
        Kind::Overloaded);
    row("unavailable", 503, "<html>busy</html>", Kind::Overloaded);
    row("model still loading", 503,
        R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})", Kind::Overloaded);
    row("server error", 500, message("Internal server error"), Kind::Server);
    row("bad gateway", 502, "<html><title>502 Bad Gateway</title></html>", Kind::Server);
    row("gateway timeout", 504, "", Kind::Server);
    row("Cloudflare timeout", 524, "", Kind::Server);
    row("request timeout", 408, "", Kind::Server);
    row("conflict", 409, "", Kind::Server);
    row("too early", 425, "", Kind::Server);

    row("context, OpenAI", 400,
        R"({"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}})",
        Kind::ContextTooLong);
    row("context, OpenAI responses", 400, message("Your input exceeds the context window of this model."),
        Kind::ContextTooLong);
    row("context, Anthropic", 400, message("prompt is too long: 210000 tokens > 200000 maximum"),
        Kind::ContextTooLong);
    row("context, Anthropic with max_tokens", 400,
        message("input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"),
        Kind::ContextTooLong);
    row("context, Anthropic by bytes", 413,
        R"({"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
        Kind::ContextTooLong);
    row("context, llama.cpp", 400,
        R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
        Kind::ContextTooLong);
    row("context, old llama.cpp", 500,
        message("the request exceeds the available context size. try increasing the context size"),
        Kind::ContextTooLong);
    row("context, vLLM", 400,
        R"({"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400})",
        Kind::ContextTooLong);
    row("context, SGLang", 400,
        message("The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
        Kind::ContextTooLong);
    row("context, LM Studio", 400,
        R"({"error":"The number of tokens to keep from the initial prompt is greater than the context length."})",
        Kind::ContextTooLong);
    row("context, Ollama", 400, R"({"error":"the input length exceeds the context length"})",
        Kind::ContextTooLong);
    row("context, Gemini", 400,
        message("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
        Kind::ContextTooLong);
    row("context, xAI", 400,
        R"({"code":"bad","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."})",
        Kind::ContextTooLong);
    row("context, Groq", 413, message("Please reduce the length of the messages or completion."),
        Kind::ContextTooLong);
    row("context, Mistral", 400,
        R"({"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"})",
        Kind::ContextTooLong);
    row("context, Bedrock", 400, R"({"message":"Input is too long for requested model."})",
        Kind::ContextTooLong);
    row("body too large for a gateway", 413, "<html>413 Request Entity Too Large</html>",
        Kind::ContextTooLong);

    row("model, OpenAI", 404,
        R"({"error":{"message":"The model `x` does not exist or you do not have access to it.","code":"model_not_found"}})",
        Kind::UnknownModel);
    row("model, Anthropic", 404,
        R"({"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}})",
        Kind::UnknownModel);
    row("model, Ollama", 404,
        R"({"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}})",
        Kind::UnknownModel);
    row("model, vLLM", 404,
        R"({"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404})",
        Kind::UnknownModel);
    row("model, LM Studio", 400, message("model foo is not loaded"), Kind::UnknownModel);
    row("model, OpenRouter", 400, message("x/y is not a valid model ID"), Kind::UnknownModel);

    row("wrong path", 404, "<html><title>404 Not Found</title></html>", Kind::BadRequest);
    row("wrong path, JSON", 404, R"({"detail":"Not Found"})", Kind::BadRequest);
    row("unknown parameter", 400,
        R"({"error":{"message":"Unsupported parameter: 'max_tokens'","param":"max_tokens","code":"unsupported_parameter"}})",
        Kind::BadRequest);
    row("unprocessable", 422,
        R"({"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]})",
        Kind::BadRequest);
    row("template that raised", 500,
        message("Conversation roles must alternate user/assistant/user/assistant"), Kind::BadRequest);
    row("arguments that a template cannot read", 500, message("Failed to parse tool call arguments as JSON"),
        Kind::BadRequest);
    row("no such method", 405, "", Kind::BadRequest);
    row("not implemented", 501, "", Kind::BadRequest);
    row("content filter", 400, R"({"error":{"message":"The response was filtered","code":"content_filter"}})",
        Kind::Refused);
    row("redirection", 302, "", Kind::BadRequest);
}

void tst_ModelError::kinds()
{
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    QFETCH(Kind, kind);
    const ModelError error = errorOf(status, body);
    QVERIFY2(error.kind == kind, QByteArray::number(int(error.kind)) + ' ' + error.message);
    QVERIFY(!error.message.isEmpty());
}

void tst_ModelError::messages_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, int status, const QByteArray &body, const QByteArray &message) {
        QTest::newRow(name) << status << body << message;
    };
    row("the server's words", 400, R"({"error":{"message":"model foo is not loaded"}})",
        "The server does not have this model (status 400): model foo is not loaded");
    row("words of the server behind", 502,
        R"({"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"it died"}}})",
        "The server failed (status 502): Provider returned error (it died)");
    row("only a code", 400, R"({"error":{"code":"weird_thing"}})",
        "The server does not take the request (status 400): weird_thing");
    row("parameter", 400, R"({"error":{"message":"Unknown","param":"max_tokens"}})",
        "The server does not take the request (status 400): Unknown (max_tokens)");
    row("nothing", 500, "", "The server failed (status 500)");
    row("plain text", 500, "oh\n  no\n", "The server failed (status 500): oh no");
    row("page", 502, "<html>\n<title>502 Bad\nGateway</title></html>",
        "The server failed (status 502): \"502 Bad Gateway\", <html> <title>502 Bad Gateway</title></html>");
    row("control characters", 400, R"({"error":"a\u001b[2Jb\u202ec\u0000d\u200be"})",
        "The server does not take the request (status 400): a [2Jb c d e");
    row("not UTF-8", 500, "a\xFFz", "The server failed (status 500): a\xEF\xBF\xBDz");
    row("keys", 401, R"({"error":{"message":"Incorrect API key provided: sk-TESTKEY123."}})",
        "The server does not accept the key (status 401): Incorrect API key provided: [removed].");
}

void tst_ModelError::messages()
{
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, message);
    QCOMPARE(errorOf(status, body).message, message);
}

void tst_ModelError::retryable()
{
    for (const int status : {408, 409, 425, 429, 500, 502, 503, 504, 524, 529}) {
        QVERIFY2(errorOf(status, "x").isRetryable(), QByteArray::number(status));
    }
    for (const int status : {302, 400, 401, 402, 403, 404, 405, 413, 422, 501}) {
        QVERIFY2(!errorOf(status, "x").isRetryable(), QByteArray::number(status));
    }
    QVERIFY(!errorOf(429, R"({"error":{"code":"insufficient_quota"}})").isRetryable());
}

void tst_ModelError::retryAfter_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<qint64>("milliseconds"); // -1 for none.
    const auto row = [](const char *name, const char *value, qint64 milliseconds) {
        QTest::addRow("%s: %s", name, value) << QByteArray(name) << QByteArray(value) << milliseconds;
    };
    constexpr qint64 Year = 365LL * 24 * 3600 * 1000;
    row("Retry-After", "1", 1000);
    row("retry-after", " 1.5 ", 1500);
    row("RETRY-AFTER", "0", 0);
    row("Retry-After", "-5", 0);
    row("Retry-After", "999999", 999999000);
    row("Retry-After", "1e300", Year);
    row("Retry-After", "abc", -1);
    row("Retry-After", "", -1);
    row("Retry-After", "nan", -1);
    row("Retry-After", "inf", -1);
    row("Retry-After", "1,5", -1);
    row("Retry-After", "5 minutes", -1);
    row("Retry-After", "Mon, 30 Nov 2026 12:00:30 GMT", 30000);
    row("Retry-After", "Mon, 30 Nov 2026 11:00:00 GMT", 0);
    row("Retry-After", "Wed, 21 Oct 2037 07:28:00 GMT", Year);
    row("Retry-After", "Mon, 31 Nov 2026 12:00:30 GMT", -1);
    row("Retry-After", "Mo, 30 Nov 2026 12:00:30 GMT", -1);
    row("retry-after-ms", "300", 300);
    row("retry-after-ms", "-1", 0);
    row("x-other", "300", -1);
}

/// In every locale and time zone (A38): the numbers and names of days of HTTP are English.
void tst_ModelError::retryAfter()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, value);
    QFETCH(qint64, milliseconds);
    for (const char *locale : {"C", "de_DE", "tr_TR", "hi_IN"}) {
        QLocale::setDefault(QLocale(locale));
        qputenv("TZ", "Asia/Kolkata");
        const ModelError error = errorOf(429, "", {{"date", "x"}, {name, value}});
        QCOMPARE(error.retryAfter ? error.retryAfter->count() : -1, milliseconds);
    }
    QLocale::setDefault(QLocale::c());
    const ModelError both = errorOf(429, "", {{"Retry-After", "9"}, {"Retry-After-Ms", "300"}});
    QCOMPARE(both.retryAfter->count(), 300);
}

void tst_ModelError::redirections()
{
    const ModelError error = errorOf(307, "", {{"Location", "https://u:pw9@other.example:8443/v1?key=QK42"}});
    QCOMPARE(error.kind, Kind::BadRequest);
    QVERIFY2(error.message.contains("other.example"), error.message);
    QVERIFY2(!error.message.contains("pw9") && !error.message.contains("QK42"), error.message);
    QVERIFY(errorOf(302, "", {{"Location", "/v2"}}).message.contains("another address"));
}

void tst_ModelError::redacts_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cleaned");
    const auto row = [](const char *name, const QByteArray &text, const QByteArray &cleaned) {
        QTest::newRow(name) << text << cleaned;
    };
    row("nothing", "Connection refused by api.example.org", "Connection refused by api.example.org");
    row("known key", "key k/e+y\"1 twice k/e+y\"1", "key [removed] twice [removed]");
    row("known key in JSON", R"({"k":"k/e+y\"1"})", R"({"k":"[removed]"})");
    row("known key percent-encoded", "a?x=k%2Fe%2By%221", "a?x=[removed]");
    row("known key in base64", "x ay9lK3kiMQ== y ay9lK3kiMQ", "x [removed] y [removed]");
    row("longer key first", "longsecretvalue longsecret", "[removed] [removed]");
    row("short secrets stay", "ab", "ab");
    row("bearer", "Authorization: Bearer abcdef0123456", "Authorization: Bearer [removed]");
    row("basic", "authorization: basic dTpwdw==", "authorization: basic [removed]");
    row("key header", "x-api-key: abc123; host: y", "x-api-key: [removed]; host: y");
    row("key header in JSON", R"({"X-Api-Key": "abc123"})", R"({"X-Api-Key": "[removed]"})");
    row("user and password", "http://u:pw@host:80/v1 failed", "http://[removed]@host:80/v1 failed");
    row("user", "http://token@host/", "http://[removed]@host/");
    row("key parameter", "GET /v1?a=1&key=QQ&b=2 failed", "GET /v1?a=1&key=[removed]&b=2 failed");
    row("token parameter", "https://h/v1?access_token=QQ#x", "https://h/v1?access_token=[removed]#x");
    row("looks like a key", "bad sk-abcdefgh12345678 here", "bad [removed] here");
    row("words that do not", "the bearer of news; risk-free; task-list; ask@example.org",
        "the bearer of news; risk-free; task-list; ask@example.org");
}

void tst_ModelError::redacts()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cleaned);
    const Redactor redactor({"k/e+y\"1\n", "longsecret", "longsecretvalue", "ab", ""});
    QCOMPARE(redactor.clean(text), cleaned);
}

/// Whatever a server answers: one short line of UTF-8, no key in it.
void tst_ModelError::fuzz()
{
    std::mt19937 random(Seed);
    const QList<QByteArray> words{"{",           "}",          "[",
                                  "]",           "\"error\"",  ":",
                                  "\"message\"", ",",          "\"code\"",
                                  "null",        "429",        "\"x\"",
                                  "\xFF",        "\n",         "\x1B[2J",
                                  "<html>",      "<title>",    "sk-TESTKEY123",
                                  "\"é😀\"",      "\"detail\"", "\"metadata\"",
                                  "\"raw\""};
    for (int i = 0; i < 20000; ++i) {
        QByteArray body = random() % 2 == 0 ? "{\"error\":" : "";
        for (auto left = random() % 12; left > 0; --left) {
            body += words[static_cast<qsizetype>(random() % static_cast<unsigned>(words.size()))];
        }
        body += random() % 2 == 0 ? "}" : QByteArray(static_cast<qsizetype>(random() % 3000), 'y');
        const ModelError error = errorOf(100 + static_cast<int>(random() % 500), body);
        QVERIFY(!error.message.isEmpty() && error.message.size() <= 610);
        QVERIFY(!error.message.contains("TESTKEY"));
        QVERIFY(std::none_of(error.message.begin(), error.message.end(),
                             [](char c) { return c >= 0 && c < ' '; }));
        QCOMPARE(QString::fromUtf8(error.message).toUtf8(), error.message);
    }
}

QTEST_APPLESS_MAIN(tst_ModelError)

#include "tst_modelerror.moc"
