#pragma once

#include "app/http/HttpHeader.h"
#include "app/http/HttpSettings.h"

#include <QNetworkReply>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include <chrono>
#include <memory>
#include <optional>

class QNetworkAccessManager;

namespace spettro {

/// What is sent: a POST where there is a body, else a GET.
struct HttpRequest
{
    QUrl url;
    HttpHeaders headers;
    std::optional<QByteArray> body;
    std::chrono::milliseconds firstByteLimit{
        600'000};                                 ///< Until the answer's first byte: a model may think first.
    std::chrono::milliseconds idleLimit{120'000}; ///< Between two bytes of the answer.
};

/// How an exchange ended.
struct HttpEnd
{
    enum class Reason {
        Answered,   ///< There is a status. Whether the body is whole only the protocol in it can tell.
        Cut,        ///< The connection broke, before or in the answer.
        TimedOut,   ///< One of the two limits.
        Cancelled,  ///< By `cancel`.
        NotReached, ///< No connection, a TLS certificate that is not trusted, a proxy that refuses.
        Redirected, ///< To elsewhere: not followed, since what is sent holds a key and the conversation.
        NotSent,    ///< The request is not a proper one.
    };

    Reason reason = Reason::Answered;
    int status = 0; ///< 0 where no answer began.
    HttpHeaders headers;
    QByteArray errorBody; ///< The first 64 KiB of an answer that is none of 2xx.
    QString message;      ///< For a person; names hosts, never a query or a header. Empty where answered.
};

/// One request and its answer as it comes.
///
/// It is sent exactly once: Qt sends a POST again, up to three times, when the server closes the connection without an
/// answer, which would be paid for and carried out twice. Nothing is followed, cached, compressed or remembered; every
/// stream has a connection of its own (Qt opens six to a host and lets the seventh wait without a word) and HTTP/1.1.
class HttpStream : public QObject
{
    Q_OBJECT

public:
    explicit HttpStream(HttpSettings settings, QObject *parent = nullptr);
    ~HttpStream() override;

    /// Sends. To be called once; `finished` comes for it exactly once and later.
    void start(const HttpRequest &request);

    /// Ends it soon, with `Cancelled`. Nothing where it has ended.
    void cancel();

signals:
    /// The answer began with a status of 2xx.
    void answered(int status, const spettro::HttpHeaders &headers);
    /// A piece of the body of such an answer.
    void bytesArrived(const QByteArray &bytes);
    void finished(const spettro::HttpEnd &end);

private:
    void takeHeaders();
    void takeBytes();
    void takeEnd();
    void takeTlsErrors(const QList<QSslError> &errors);
    void timeOut();
    void endSoon(HttpEnd end);
    void finish(const HttpEnd &end);

    HttpSettings m_settings;
    HttpRequest m_request;
    std::unique_ptr<QNetworkAccessManager> m_manager;
    QNetworkReply *m_reply = nullptr; ///< Owned by the manager.
    QTimer m_limit;
    HttpEnd m_end;
    QString m_tlsProblem;
    bool m_hasBytes = false;
    bool m_isEnded = false;
};

} // namespace spettro
