#pragma once

#include "app/llm/JsonProgress.h"
#include "app/llm/ReplyReader.h"

#include <memory>

namespace spettro {

/// The body of a response with status 200, from its first byte to the reply: a stream of events, one JSON value from a
/// server that does not stream, or something that is no reply. The body itself says which; servers are wrong about its
/// type too often.
class ReplyStream
{
public:
    /// `contentType`: what the server calls it, for error messages. `redactor` has to outlive the stream.
    ReplyStream(std::unique_ptr<ReplyReader> reader, QByteArray contentType, const Redactor &redactor);

    void feed(QByteArrayView bytes);

    /// Complete also when the body was found to be none.
    ReplyProgress progress() const;

    /// The body is at its end, or is not read any further.
    ReplyOutcome end();

private:
    enum class Form { Unknown, Events, Value, Page };

    static Form formOf(QByteArrayView beginning);
    void feedKnown(QByteArrayView bytes);
    void feedEvents(QByteArrayView bytes);
    void fail(ModelError::Kind kind, const QByteArray &words);
    void endValue();
    void failWithoutEvents();
    QByteArray excerpt() const;

    std::unique_ptr<ReplyReader> m_reader;
    QByteArray m_contentType;
    const Redactor &m_redactor;
    SseParser m_parser;
    Form m_form = Form::Unknown;
    QByteArray m_body; ///< All of a JSON value; the beginning of everything else.
    qsizetype m_size = 0;
    bool m_hasEvents = false;
    std::optional<ModelError> m_failure;
};

} // namespace spettro
