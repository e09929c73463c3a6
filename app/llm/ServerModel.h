#pragma once

#include "app/http/HttpStream.h"
#include "app/llm/Dialect.h"
#include "app/llm/Model.h"
#include "app/llm/ReplyStream.h"
#include "app/llm/WireRequest.h"

#include <QTimer>

#include <memory>
#include <optional>

namespace spettro {

/// How a server of models is reached.
struct ServerSettings
{
    Protocol protocol = Protocol::ChatCompletions;
    QUrl baseUrl;   ///< What stands before the protocol's paths, e.g. `https://api.example.com/v1`.
    QByteArray key; ///< Empty where the server wants none.
    QByteArray title;
    HttpSettings http;
    Dialect dialect;
    std::chrono::milliseconds firstByteLimit{600'000}; ///< A local model reads a long prompt for minutes.
    std::chrono::milliseconds idleLimit{120'000};
    std::chrono::milliseconds firstWait{
        1'000}; ///< Before the second try; twice that before the next, and so on.
    std::chrono::milliseconds longestWait{60'000}; ///< A server that wants more is not waited for.
    int mostTries = 6;
};

/// A model behind a server. What fails and may succeed later is tried again, each time from the beginning and with nothing of
/// the failed try; what never heals is not. Where a server's error says which dialect it speaks, that is taken, once.
class ServerModel : public Model, private ReplyListener
{
    Q_OBJECT

public:
    explicit ServerModel(ServerSettings settings, QObject *parent = nullptr);

    QByteArray title() const override { return m_settings.title; }
    void ask(const ModelRequest &request) override;
    void cancel() override;

private:
    void textArrived(const QByteArray &text) override { emit Model::textArrived(text); }
    void reasoningArrived(const QByteArray &text) override { emit Model::reasoningArrived(text); }

    void send();
    WireRequest wireRequest() const;
    HttpRequest httpRequest(const WireRequest &wire) const;
    std::unique_ptr<ReplyReader> makeReader();
    void takeBytes(const QByteArray &bytes);
    void takeEnd(const HttpEnd &end);
    ReplyOutcome outcomeOf(const HttpEnd &end);
    void takeError(ModelError error);
    std::optional<std::chrono::milliseconds> waitBefore(const ModelError &error) const;
    void finish(const ModelOutcome &outcome);

    ServerSettings m_settings;
    Dialect m_dialect;
    Redactor m_redactor;
    ModelRequest m_request;
    std::unique_ptr<HttpStream> m_stream;
    std::unique_ptr<ReplyStream> m_reply; ///< Of the answer that comes.
    QTimer m_wait;
    Usage m_spent; ///< Of the tries that failed.
    int m_tries = 0;
    bool m_isAsked = false;
    bool m_isCancelled = false;
};

} // namespace spettro
