#pragma once

#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <QUrl>

#include <functional>
#include <memory>

namespace spettro::test {

/// Collects what comes over every connection and answers as a test says once a request is whole.
class HttpTestServer
{
public:
    using Answer = std::function<void(QTcpSocket *)>;

    explicit HttpTestServer(Answer answer,
                            std::unique_ptr<QTcpServer> server = std::make_unique<QTcpServer>())
        : m_server(std::move(server)), m_answer(std::move(answer))
    {
        if (!m_server->listen(QHostAddress::LocalHost)) {
            qFatal("no server can be opened");
        }
        QObject::connect(m_server.get(), &QTcpServer::pendingConnectionAvailable, m_server.get(),
                         [this] { accept(); });
    }

    QUrl url(const QString &path = "/v1") const
    {
        return QUrl(QString("http://127.0.0.1:%1%2").arg(port()).arg(path));
    }
    quint16 port() const { return m_server->serverPort(); }
    int connections() const { return m_connections; }
    QList<QByteArray> requests; ///< Those that were whole.

private:
    void accept()
    {
        while (QTcpSocket *socket = m_server->nextPendingConnection()) {
            ++m_connections;
            auto read = std::make_shared<QByteArray>();
            const auto take = [this, socket, read] {
                *read += socket->readAll();
                const qsizetype head = read->indexOf("\r\n\r\n");
                if (head < 0) {
                    return;
                }
                static const QByteArray Field = "content-length: ";
                const qsizetype field = read->left(head).toLower().indexOf(Field);
                const qsizetype length =
                    field < 0 ? 0 : read->mid(field + Field.size()).split('\r').first().toLongLong();
                if (read->size() >= head + 4 + length) {
                    requests.append(*read);
                    read->clear();
                    m_answer(socket);
                }
            };
            QObject::connect(socket, &QTcpSocket::readyRead, socket, take);
            take();
        }
    }

    std::unique_ptr<QTcpServer> m_server;
    Answer m_answer;
    int m_connections = 0;
};

/// Answers with this and ends the connection.
inline HttpTestServer::Answer says(const QByteArray &text)
{
    return [text](QTcpSocket *socket) {
        socket->write(text);
        socket->disconnectFromHost();
    };
}

/// Leaves the connection open and says nothing.
inline void hold(QTcpSocket *) {}

} // namespace spettro::test
