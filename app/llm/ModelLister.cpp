#include "app/llm/ModelLister.h"

#include "app/llm/ServerError.h"
#include "app/llm/serverAddress.h"

#include <QDateTime>
#include <QEventLoop>
#include <QUrlQuery>

#include <utility>

namespace spettro {

using namespace std::chrono_literals;

namespace {

constexpr qsizetype MostBytes = qsizetype(16) * 1024 * 1024;
constexpr int MostPages = 100;
constexpr auto Patience = 30s;

} // namespace

ModelLister::ModelLister(ServerSettings settings, QByteArray keyPath, QObject *parent)
    : QObject(parent), m_settings(std::move(settings)), m_keyPath(std::move(keyPath)),
      m_redactor(secretsOf(m_settings.key, m_settings.baseUrl)),
      m_stage(m_keyPath.isEmpty() ? Stage::List : Stage::Key)
{}

void ModelLister::start()
{
    send();
}

void ModelLister::send()
{
    m_body.clear();
    if (m_stream) {
        m_stream.release()->deleteLater(); // this may be called by a signal of it
    }
    m_stream = std::make_unique<HttpStream>(m_settings.http);
    connect(m_stream.get(), &HttpStream::bytesArrived, this, &ModelLister::takeBytes);
    connect(m_stream.get(), &HttpStream::finished, this, &ModelLister::takeEnd);
    m_stream->start(request());
}

HttpRequest ModelLister::request() const
{
    HttpRequest request;
    request.firstByteLimit = Patience;
    request.idleLimit = Patience;
    request.url = addressOf(m_settings.baseUrl, m_stage == Stage::Key ? m_keyPath : "/models");
    request.headers = {{"Accept", "application/json"}, {"Accept-Encoding", "identity"}};
    const bool isMessages = m_settings.protocol == Protocol::Messages;
    if (isMessages) {
        QUrlQuery query(request.url);
        query.addQueryItem("limit", "1000");
        if (!m_after.isEmpty()) {
            query.addQueryItem("after_id", QString::fromLatin1(m_after.toPercentEncoding()));
        }
        request.url.setQuery(query);
        request.headers.append(HttpHeader{"anthropic-version", "2023-06-01"});
    }
    if (!m_settings.key.isEmpty()) {
        request.headers.append(isMessages ? HttpHeader{"x-api-key", m_settings.key}
                                          : HttpHeader{"Authorization", "Bearer " + m_settings.key});
    }
    return request;
}

void ModelLister::takeBytes(const QByteArray &bytes)
{
    m_received += bytes.size();
    if (m_received > MostBytes) {
        m_stream->cancel();
    } else {
        m_body += bytes;
    }
}

std::optional<ModelError> ModelLister::errorOf(const HttpEnd &end) const
{
    if (m_received > MostBytes) {
        return modelError(ModelError::Kind::BadReply, "The list of models is too long.", m_redactor);
    }
    if (end.reason != HttpEnd::Reason::Answered) {
        return modelError(ModelError::Kind::Transport, end.message.toUtf8(), m_redactor);
    }
    if (end.status / 100 != 2) {
        return errorFromResponse({end.status, end.headers, end.errorBody}, m_redactor,
                                 QDateTime::currentDateTimeUtc());
    }
    return std::nullopt;
}

void ModelLister::takeEnd(const HttpEnd &end)
{
    if (const std::optional<ModelError> error = errorOf(end)) {
        emit finished(*error);
        return;
    }
    if (m_stage == Stage::Key) {
        m_stage = Stage::List;
        send();
        return;
    }
    const auto page = readModelPage(m_body, m_redactor);
    if (const auto *error = std::get_if<ModelError>(&page)) {
        emit finished(*error);
        return;
    }
    takePage(std::get<ModelPage>(page));
}

void ModelLister::takePage(const ModelPage &page)
{
    m_models += page.models;
    // A server that ends no list, or gives one part again and again, is not followed for ever.
    if (page.next.isEmpty() || page.next == m_after || ++m_pages >= MostPages) {
        emit finished(sortedModels(std::move(m_models)));
        return;
    }
    m_after = page.next;
    send();
}

ModelListOutcome listModels(const ServerSettings &settings, const QByteArray &keyPath)
{
    ModelLister lister(settings, keyPath);
    QEventLoop loop;
    ModelListOutcome outcome;
    QObject::connect(&lister, &ModelLister::finished, &loop, [&](const ModelListOutcome &came) {
        outcome = came;
        loop.quit();
    });
    lister.start();
    loop.exec();
    return outcome;
}

} // namespace spettro
