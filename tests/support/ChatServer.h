#pragma once

#include "tests/support/HttpTestServer.h"
#include "tests/support/ToolCalls.h"

namespace spettro::test {

/// A server that speaks chat completions and says what a test has prepared, one answer a request. When nothing is prepared
/// any more it answers 400.
class ChatServer
{
public:
    explicit ChatServer(QByteArrayList answers)
        : m_answers(std::move(answers)), m_server([this](QTcpSocket *socket) { answer(socket); })
    {}

    /// An answer that calls one tool.
    static QByteArray calls(const QByteArray &id, const char *tool, const Json &input);

    /// An answer that only says something.
    static QByteArray says(const QByteArray &text);

    /// The flags by which `spettro` asks this server.
    QStringList flags() const
    {
        return {"--provider", "openai", "--model", "m", "--base-url", m_server.url().toString()};
    }

    /// The bodies that were received.
    QList<Json> bodies() const;

    /// The messages of one of them, as text.
    QByteArray messages(qsizetype request) const
    {
        return QByteArray::fromStdString(bodies().value(request)["messages"].dump());
    }

private:
    static QByteArray event(const Json &delta, const char *reason);
    void answer(QTcpSocket *socket);

    QByteArrayList m_answers;
    HttpTestServer m_server;
};

inline QByteArray ChatServer::event(const Json &delta, const char *reason)
{
    Json choice;
    choice["index"] = 0;
    choice["delta"] = delta;
    choice["finish_reason"] = reason;
    Json event;
    event["choices"] = Json::array({choice});
    event["usage"] = {{"prompt_tokens", 100}, {"completion_tokens", 10}};
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: "
           + QByteArray::fromStdString(event.dump()) + "\n\ndata: [DONE]\n\n";
}

inline QByteArray ChatServer::calls(const QByteArray &id, const char *tool, const Json &input)
{
    Json call;
    call["index"] = 0;
    call["id"] = id.toStdString();
    call["function"] = {{"name", tool}, {"arguments", input.dump()}};
    Json delta;
    delta["tool_calls"] = Json::array({call});
    return event(delta, "tool_calls");
}

inline QByteArray ChatServer::says(const QByteArray &text)
{
    return event({{"content", text.toStdString()}}, "stop");
}

inline QList<Json> ChatServer::bodies() const
{
    QList<Json> bodies;
    for (const QByteArray &request : m_server.requests) {
        const QByteArray body = request.mid(request.indexOf("\r\n\r\n") + 4);
        bodies.append(Json::parse(body.toStdString(), nullptr, false));
    }
    return bodies;
}

inline void ChatServer::answer(QTcpSocket *socket)
{
    socket->write(m_answers.isEmpty() ? QByteArray("HTTP/1.1 400 No\r\nConnection: close\r\n\r\n{\"error\":{"
                                                   "\"message\":\"nothing is prepared\"}}")
                                      : m_answers.takeFirst());
    socket->disconnectFromHost();
}

} // namespace spettro::test
