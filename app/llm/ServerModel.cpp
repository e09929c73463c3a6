#include "app/llm/ServerModel.h"

#include "app/llm/ChatReader.h"
#include "app/llm/MessagesReader.h"
#include "app/llm/ResponsesReader.h"
#include "app/llm/ServerError.h"
#include "app/llm/chatRequest.h"
#include "app/llm/messagesRequest.h"
#include "app/llm/responsesRequest.h"
#include "app/llm/serverAddress.h"

#include <QDateTime>
#include <QRandomGenerator>

#include <algorithm>

namespace spettro {

namespace {

constexpr int MostEmptyReplies = 3;

ModelError::Kind kindOf(HttpEnd::Reason reason)
{
    switch (reason) {
    case HttpEnd::Reason::Cancelled:
        return ModelError::Kind::Interrupted;
    case HttpEnd::Reason::NotSent:
    case HttpEnd::Reason::Redirected:
        return ModelError::Kind::BadRequest;
    case HttpEnd::Reason::Answered:
    case HttpEnd::Reason::Cut:
    case HttpEnd::Reason::TimedOut:
    case HttpEnd::Reason::NotReached:
        return ModelError::Kind::Transport;
    }
    return ModelError::Kind::Transport;
}

void add(Usage &sum, const Usage &more)
{
    sum.input += more.input;
    sum.cachedInput += more.cachedInput;
    sum.output += more.output;
    sum.isKnown = sum.isKnown || more.isKnown;
}

} // namespace

ServerModel::ServerModel(ServerSettings settings, QObject *parent)
    : Model(parent), m_settings(std::move(settings)), m_dialect(m_settings.dialect),
      m_redactor(secretsOf(m_settings.key, m_settings.baseUrl))
{
    m_settings.key = m_settings.key.trimmed(); // a key from a file ends with a line end
    m_wait.setSingleShot(true);
    connect(&m_wait, &QTimer::timeout, this, &ServerModel::send);
}

void ServerModel::ask(const ModelRequest &request)
{
    m_request = request;
    m_tries = 0;
    m_spent = {};
    m_isAsked = true;
    m_isCancelled = false;
    send();
}

void ServerModel::cancel()
{
    if (!m_isAsked || m_isCancelled) {
        return;
    }
    m_isCancelled = true;
    if (m_wait.isActive()) {
        m_wait.start(0); // `send` sees that nothing is wanted any more
    } else {
        m_stream->cancel();
    }
}

void ServerModel::send()
{
    if (m_isCancelled) {
        finish(ModelError{ModelError::Kind::Interrupted, "interrupted", {}, m_spent});
        return;
    }
    ++m_tries;
    m_reply.reset();
    if (m_stream) {
        m_stream.release()->deleteLater(); // this may be called by a signal of it
    }
    m_stream = std::make_unique<HttpStream>(m_settings.http);
    connect(m_stream.get(), &HttpStream::answered, this, [this](int, const HttpHeaders &headers) {
        m_reply =
            std::make_unique<ReplyStream>(makeReader(), headerValue(headers, "content-type"), m_redactor);
    });
    connect(m_stream.get(), &HttpStream::bytesArrived, this, &ServerModel::takeBytes);
    connect(m_stream.get(), &HttpStream::finished, this, &ServerModel::takeEnd);
    m_stream->start(httpRequest(wireRequest()));
}

WireRequest ServerModel::wireRequest() const
{
    switch (m_settings.protocol) {
    case Protocol::ChatCompletions:
        return chatRequest(m_request, m_dialect);
    case Protocol::Responses:
        return responsesRequest(m_request, m_dialect);
    case Protocol::Messages:
        return messagesRequest(m_request, m_dialect);
    }
    return {};
}

HttpRequest ServerModel::httpRequest(const WireRequest &wire) const
{
    HttpRequest request;
    request.url = addressOf(m_settings.baseUrl, wire.path);
    request.headers = wire.headers;
    if (!m_settings.key.isEmpty()) {
        request.headers.append({wire.keyHeader, wire.keyPrefix + m_settings.key});
    }
    request.body = wire.body;
    request.firstByteLimit = m_settings.firstByteLimit;
    request.idleLimit = m_settings.idleLimit;
    return request;
}

std::unique_ptr<ReplyReader> ServerModel::makeReader()
{
    ReplyListener &listener = *this;
    switch (m_settings.protocol) {
    case Protocol::ChatCompletions:
        return std::make_unique<ChatReader>(listener, m_redactor);
    case Protocol::Responses:
        return std::make_unique<ResponsesReader>(listener, m_redactor);
    case Protocol::Messages:
        return std::make_unique<MessagesReader>(listener, m_redactor);
    }
    return nullptr;
}

void ServerModel::takeBytes(const QByteArray &bytes)
{
    m_reply->feed(bytes);
    if (m_reply->progress() == ReplyProgress::Complete) {
        m_stream->cancel(); // some servers keep the connection open
    }
}

void ServerModel::takeEnd(const HttpEnd &end)
{
    const ReplyOutcome outcome =
        m_isCancelled ? ModelError{ModelError::Kind::Interrupted, "interrupted", {}, {}} : outcomeOf(end);
    if (const auto *error = std::get_if<ModelError>(&outcome)) {
        takeError(*error);
        return;
    }
    ModelReply reply = std::get<ModelReply>(outcome);
    add(reply.usage, m_spent);
    finish(reply);
}

ReplyOutcome ServerModel::outcomeOf(const HttpEnd &end)
{
    if (end.reason == HttpEnd::Reason::Answered && end.status / 100 != 2) {
        return errorFromResponse({end.status, end.headers, end.errorBody}, m_redactor,
                                 QDateTime::currentDateTimeUtc());
    }
    if (m_reply && m_reply->progress() != ReplyProgress::Reading) {
        return m_reply->end(); // the protocol has said that it is done, however the connection ended
    }
    if (m_reply && end.reason == HttpEnd::Reason::Answered) {
        return m_reply->end();
    }
    ModelError error = modelError(kindOf(end.reason), end.message.toUtf8(), m_redactor);
    if (m_reply) {
        const ReplyOutcome partial = m_reply->end();
        error.usage = std::visit([](const auto &either) { return either.usage; }, partial);
    }
    return error;
}

void ServerModel::takeError(ModelError error)
{
    add(m_spent, error.usage);
    if (const auto dialect = adaptedDialect(m_dialect, error, m_settings.dialect)) {
        m_dialect = *dialect;
        send();
        return;
    }
    if (const auto wait = waitBefore(error)) {
        emit retrying(error.message, *wait);
        m_wait.start(*wait);
        return;
    }
    if (error.isRetryable() && error.retryAfter > m_settings.longestWait) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(*error.retryAfter).count();
        error.message +=
            "; it wants to be left alone for " + QByteArray::number(static_cast<qint64>(seconds)) + " s";
    }
    error.usage = m_spent;
    finish(error);
}

/// How long to wait before another try; nothing where there is to be none.
std::optional<std::chrono::milliseconds> ServerModel::waitBefore(const ModelError &error) const
{
    const int most = error.kind == ModelError::Kind::EmptyReply ? MostEmptyReplies : m_settings.mostTries;
    if (!error.isRetryable() || m_tries >= most) {
        return std::nullopt;
    }
    if (error.retryAfter) {
        return *error.retryAfter <= m_settings.longestWait ? error.retryAfter : std::nullopt;
    }
    const auto doubled = m_settings.firstWait * (1LL << std::min(m_tries - 1, 20));
    const auto wait = std::min<std::chrono::milliseconds>(doubled, m_settings.longestWait);
    // Many that were turned away together should not come back together.
    return std::chrono::milliseconds(static_cast<qint64>(
        static_cast<double>(wait.count()) * (0.75 + QRandomGenerator::global()->bounded(0.5))));
}

void ServerModel::finish(const ModelOutcome &outcome)
{
    m_isAsked = false;
    emit finished(outcome);
}

} // namespace spettro
