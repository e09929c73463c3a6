#include "app/llm/Redactor.h"
#include "app/llm/JsonText.h"

#include <QRegularExpression>

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype ShortestSecret = 3;
constexpr const char *Removed = "[removed]";

/// What looks like a secret, and what it becomes.
struct Pattern
{
    QRegularExpression expression;
    QString replacement;
};

const QList<Pattern> &patterns()
{
    constexpr auto AnyCase = QRegularExpression::CaseInsensitiveOption;
    static const QList<Pattern> table{
        {QRegularExpression("\\b(bearer|basic)\\s+[a-z0-9._~+/=*-]{6,}", AnyCase), "\\1 [removed]"},
        {QRegularExpression("\\b(x-api-key|api-key|x-goog-api-key)(\"?\\s*[:=]\\s*\"?)[^\\s\"',;&]+",
                            AnyCase),
         "\\1\\2[removed]"},
        {QRegularExpression("://[^/\\s@?#\"']+@"), "://[removed]@"},
        {QRegularExpression("([?&][a-z0-9_.-]*(?:key|token|secret|password|signature|sig)=)[^&\\s\"'#<>]+",
                            AnyCase),
         "\\1[removed]"},
        {QRegularExpression("\\bsk-[a-z0-9_*-]{8,}", AnyCase), "[removed]"},
    };
    return table;
}

} // namespace

Redactor::Redactor(const QList<QByteArray> &secrets)
{
    for (const QByteArray &given : secrets) {
        const QByteArray secret = given.trimmed();
        if (secret.size() < ShortestSecret) {
            continue;
        }
        const QByteArray inJson = toText(toJson(secret));
        m_secrets << secret << secret.toPercentEncoding() << inJson.sliced(1, inJson.size() - 2)
                  << secret.toBase64() << secret.toBase64(QByteArray::OmitTrailingEquals);
    }
    std::stable_sort(m_secrets.begin(), m_secrets.end(),
                     [](const QByteArray &a, const QByteArray &b) { return a.size() > b.size(); });
}

QByteArray Redactor::clean(const QByteArray &text) const
{
    QByteArray known = text;
    for (const QByteArray &secret : m_secrets) {
        known.replace(secret, Removed);
    }
    QString cleaned = QString::fromUtf8(known);
    for (const Pattern &pattern : patterns()) {
        cleaned.replace(pattern.expression, pattern.replacement);
    }
    return cleaned.toUtf8();
}

} // namespace spettro
