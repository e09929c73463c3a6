#include "app/llm/ServerError.h"
#include "app/llm/ErrorKind.h"
#include "app/llm/JsonText.h"

#include <QRegularExpression>
#include <QUrl>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype MaximumMessage = 600;
constexpr qsizetype MaximumExcerpt = 200;
constexpr qsizetype ReadForExcerpt = 65536;

/// Cut at a character, not in it.
QByteArray cut(const QByteArray &text, qsizetype size)
{
    if (text.size() <= size) {
        return text;
    }
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
        --size;
    }
    return text.first(size) + "\xE2\x80\xA6";
}

/// One line without characters that move the cursor, turn the direction of text or are invisible.
QByteArray oneLine(const QByteArray &text)
{
    static const QRegularExpression unfit("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\s]+",
                                          QRegularExpression::UseUnicodePropertiesOption);
    return QString::fromUtf8(text).replace(unfit, " ").trimmed().toUtf8();
}

/// Reads what servers call an error: a text, OpenAI's and Anthropic's objects, Mistral's `message` at the top, FastAPI's
/// `detail`, OpenRouter's with the words of the server behind it in `metadata`.
ServerWords wordsOf(const Json &error)
{
    ServerWords words;
    if (error.is_string()) {
        words.message = textOf(error);
        return words;
    }
    const Json &inner = member(error, "error");
    if (inner.is_object() || inner.is_string()) {
        return wordsOf(inner);
    }
    words.message = textOf(member(error, "message"));
    const Json &detail = member(error, "detail");
    if (words.message.isEmpty() && !detail.is_null()) {
        words.message = detail.is_string() ? textOf(detail) : toText(detail);
    }
    const QByteArray raw = textOf(member(member(error, "metadata"), "raw"));
    if (!raw.isEmpty()) {
        words.message += " (" + raw + ')';
    }
    const QByteArray parameter = textOf(member(error, "param"));
    if (!parameter.isEmpty() && !words.message.contains(parameter)) {
        words.message += " (" + parameter + ')';
    }
    const Json &code = member(error, "code");
    words.code = textOf(code) + ' ' + textOf(member(error, "type"));
    words.code = words.code.trimmed();
    words.status = static_cast<int>(integerOf(code).value_or(0));
    if (words.message.isEmpty()) {
        words.message = words.code;
    }
    return words;
}

const char *headingOf(ModelError::Kind kind)
{
    switch (kind) {
    case ModelError::Kind::Authentication:
        return "The server does not accept the key";
    case ModelError::Kind::Quota:
        return "The account has nothing left to pay with";
    case ModelError::Kind::UnknownModel:
        return "The server does not have this model";
    case ModelError::Kind::ContextTooLong:
        return "The request is too long for the model";
    case ModelError::Kind::RateLimited:
        return "The server limits the rate of requests";
    case ModelError::Kind::Overloaded:
        return "The server is overloaded";
    case ModelError::Kind::Refused:
        return "The request was refused";
    case ModelError::Kind::BadRequest:
        return "The server does not take the request";
    default:
        return "The server failed";
    }
}

ModelError described(const ServerWords &words, ModelError::Kind kind, const Redactor &redactor)
{
    QByteArray message = headingOf(kind);
    if (words.status != 0) {
        message += " (status " + QByteArray::number(words.status) + ')';
    }
    if (!words.message.isEmpty()) {
        message += ": " + words.message;
    }
    return modelError(kind, message, redactor);
}

ModelError redirection(const HttpFailure &failure, const Redactor &redactor)
{
    const QUrl target = QUrl::fromEncoded(headerValue(failure.headers, "location"));
    const QByteArray host = target.host().isEmpty() ? "another address" : target.host().toUtf8();
    return modelError(ModelError::Kind::BadRequest,
                      "The server sends requests on to " + host
                          + ", which is not followed: set the base URL to where the model is",
                      redactor);
}

} // namespace

ModelError modelError(ModelError::Kind kind, const QByteArray &words, const Redactor &redactor)
{
    ModelError error;
    error.kind = kind;
    error.message = cut(oneLine(redactor.clean(words)), MaximumMessage);
    return error;
}

QByteArray excerptOf(const QByteArray &body, const Redactor &redactor)
{
    static const QRegularExpression title("<title[^>]*>([^<]{1,200})</title>",
                                          QRegularExpression::CaseInsensitiveOption);
    const QByteArray line = oneLine(redactor.clean(body.first(std::min(body.size(), ReadForExcerpt))));
    const auto match = title.match(QString::fromUtf8(line));
    const QByteArray heading =
        match.hasMatch() ? '"' + match.captured(1).trimmed().toUtf8() + "\", " : QByteArray();
    return heading + cut(line, MaximumExcerpt);
}

ModelError errorFromObject(const Json &error, const Redactor &redactor)
{
    const ServerWords words = wordsOf(error);
    return described(words, errorKind(words), redactor);
}

ModelError errorFromResponse(const HttpFailure &failure, const Redactor &redactor, const QDateTime &now)
{
    if (failure.status >= 300 && failure.status < 400) {
        return redirection(failure, redactor);
    }
    ServerWords words;
    if (const std::optional<Json> body = parseJson(failure.body); body && body->is_object()) {
        words = wordsOf(*body);
    } else {
        words.message = excerptOf(failure.body, redactor);
    }
    words.status = failure.status;
    ModelError error = described(words, errorKind(words), redactor);
    error.retryAfter = retryAfter(failure.headers, now);
    return error;
}

} // namespace spettro
