#include "app/http/HttpStream.h"

#include "app/http/OneWayBody.h"

#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QSslConfiguration>
#include <QSslError>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype LargestErrorBody = 65'536;

bool hasControlCharacter(const QByteArray &text)
{
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && byte != '\t') || byte == 0x7f;
    });
}

bool isRedirection(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Host and port of a URL, without its user, path and query, which may hold keys.
QString placeOf(const QUrl &url)
{
    return url.host() + (url.port() < 0 ? QString() : ':' + QString::number(url.port()));
}

QNetworkRequest networkRequest(const HttpRequest &request, const HttpSettings &settings)
{
    QUrl url = request.url;
    url.setUserInfo({});
    QNetworkRequest made(url);
    made.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    made.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    made.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    made.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    made.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    made.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    made.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true); // OneWayBody stays one
    made.setRawHeader("Accept-Encoding", "identity"); // gateways hold a stream back to compress it
    for (const auto &[name, value] : request.headers) {
        made.setRawHeader(name, value);
    }
    if (request.body) {
        made.setHeader(QNetworkRequest::ContentLengthHeader, request.body->size());
    }
    if (!settings.moreAuthorities.isEmpty()) {
        QSslConfiguration tls = made.sslConfiguration();
        tls.addCaCertificates(settings.moreAuthorities);
        made.setSslConfiguration(tls);
    }
    return made;
}

} // namespace

HttpStream::HttpStream(HttpSettings settings, QObject *parent)
    : QObject(parent), m_settings(std::move(settings))
{
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, &HttpStream::timeOut);
}

HttpStream::~HttpStream()
{
    if (m_reply) {
        m_reply->disconnect(this); // aborting says that it has finished
    }
}

void HttpStream::start(const HttpRequest &request)
{
    m_request = request;
    for (const auto &[name, value] : request.headers) {
        if (hasControlCharacter(value)) {
            endSoon({HttpEnd::Reason::NotSent,
                     0,
                     {},
                     {},
                     tr("the value for the header %1 holds a line end or another control character")
                         .arg(QString::fromLatin1(name))});
            return;
        }
    }
    m_manager = std::make_unique<QNetworkAccessManager>();
    m_manager->setProxy(m_settings.proxy);
    m_manager->setAutoDeleteReplies(false);
    const QNetworkRequest made = networkRequest(request, m_settings);
    if (request.body) {
        auto *body = new OneWayBody(*request.body);
        m_reply = m_manager->post(made, body);
        body->setParent(m_reply);
    } else {
        m_reply = m_manager->get(made);
    }
    connect(m_reply, &QNetworkReply::metaDataChanged, this, &HttpStream::takeHeaders);
    connect(m_reply, &QNetworkReply::readyRead, this, &HttpStream::takeBytes);
    connect(m_reply, &QNetworkReply::sslErrors, this, &HttpStream::takeTlsErrors);
    connect(m_reply, &QNetworkReply::finished, this, &HttpStream::takeEnd);
    m_limit.start(request.firstByteLimit);
}

void HttpStream::cancel()
{
    if (m_reply || m_limit.isActive()) {
        finish({HttpEnd::Reason::Cancelled, m_end.status, m_end.headers, {}, tr("interrupted")});
    }
}

void HttpStream::takeHeaders()
{
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (m_end.status != 0 || status == 0) {
        return;
    }
    m_end.status = status;
    for (const auto &[name, value] : m_reply->rawHeaderPairs()) {
        m_end.headers.append({name, value});
    }
    if (isRedirection(status)) {
        const QUrl target =
            m_request.url.resolved(QUrl(QString::fromUtf8(headerValue(m_end.headers, "location"))));
        m_end.reason = HttpEnd::Reason::Redirected;
        m_end.message =
            tr("%1 sends on to %2, which is not followed").arg(placeOf(m_request.url), placeOf(target));
    } else if (status / 100 == 2) {
        emit answered(status, m_end.headers);
    }
}

void HttpStream::takeBytes()
{
    takeHeaders();
    const QByteArray bytes = m_reply->readAll();
    if (bytes.isEmpty() || m_isEnded) {
        return;
    }
    m_hasBytes = true;
    m_limit.start(m_request.idleLimit);
    if (m_end.status / 100 == 2) {
        emit bytesArrived(bytes);
    } else {
        m_end.errorBody += bytes.left(LargestErrorBody - m_end.errorBody.size());
    }
}

void HttpStream::takeTlsErrors(const QList<QSslError> &errors)
{
    QStringList problems;
    for (const QSslError &error : errors) {
        const QString issuer = error.certificate().issuerInfo(QSslCertificate::CommonName).join(' ');
        problems.append(error.errorString()
                        + (issuer.isEmpty() ? QString() : tr(" (issued by %1)").arg(issuer)));
    }
    m_tlsProblem = problems.join("; ");
}

void HttpStream::takeEnd()
{
    takeHeaders();
    if (m_reply->isOpen()) {
        takeBytes();
    }
    if (m_isEnded) {
        return; // a receiver has cancelled it
    }
    HttpEnd end = m_end;
    const QString place = placeOf(m_request.url);
    if (m_reply->error() == QNetworkReply::SslHandshakeFailedError) {
        end.reason = HttpEnd::Reason::NotReached;
        end.message = tr("%1 is not trusted: %2. A file with more certificate authorities can be named in "
                         "SSL_CERT_FILE")
                          .arg(place, m_tlsProblem.isEmpty() ? tr("the TLS handshake failed") : m_tlsProblem);
    } else if (end.reason == HttpEnd::Reason::Answered && m_reply->error() != QNetworkReply::NoError) {
        switch (m_reply->error()) {
        case QNetworkReply::ConnectionRefusedError:
            end.reason = HttpEnd::Reason::NotReached;
            end.message = tr("nothing answers at %1: the connection was refused").arg(place);
            break;
        case QNetworkReply::HostNotFoundError:
            end.reason = HttpEnd::Reason::NotReached;
            end.message = tr("the host %1 is not known").arg(place);
            break;
        case QNetworkReply::ProxyConnectionRefusedError:
        case QNetworkReply::ProxyConnectionClosedError:
        case QNetworkReply::ProxyNotFoundError:
        case QNetworkReply::ProxyTimeoutError:
        case QNetworkReply::ProxyAuthenticationRequiredError:
            end.reason = HttpEnd::Reason::NotReached;
            end.message = tr("the proxy %1 does not let the connection to %2 through")
                              .arg(m_settings.proxy.hostName(), place);
            break;
        default:
            if (end.status == 0 || end.status / 100 == 2) {
                end.reason = end.status == 0 && m_reply->error() == QNetworkReply::UnknownNetworkError
                                 ? HttpEnd::Reason::NotReached
                                 : HttpEnd::Reason::Cut;
                end.message = tr("the connection to %1 broke").arg(place);
            }
        }
    }
    finish(end);
}

void HttpStream::timeOut()
{
    const auto limit = m_hasBytes ? m_request.idleLimit : m_request.firstByteLimit;
    const QString seconds = QString::number(static_cast<double>(limit.count()) / 1000.0);
    finish({HttpEnd::Reason::TimedOut,
            m_end.status,
            m_end.headers,
            {},
            m_hasBytes ? tr("%1 sent nothing more for %2 s").arg(placeOf(m_request.url), seconds)
                       : tr("%1 sent nothing for %2 s").arg(placeOf(m_request.url), seconds)});
}

void HttpStream::endSoon(HttpEnd end)
{
    QMetaObject::invokeMethod(
        this, [this, end = std::move(end)] { finish(end); }, Qt::QueuedConnection);
}

void HttpStream::finish(const HttpEnd &end)
{
    if (m_isEnded) {
        return;
    }
    m_isEnded = true;
    m_limit.stop();
    if (m_reply) {
        m_reply->disconnect(this);
        m_reply->abort();
    }
    emit finished(end);
}

} // namespace spettro
