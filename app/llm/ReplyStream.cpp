#include "app/llm/ReplyStream.h"
#include "app/llm/JsonText.h"
#include "app/llm/ServerError.h"

#include <algorithm>
#include <utility>

namespace spettro {

namespace {

using Kind = ModelError::Kind;

constexpr qsizetype MaximumBody = qsizetype(128) * 1024 * 1024;
constexpr qsizetype MaximumValue = qsizetype(32) * 1024 * 1024;
constexpr qsizetype KeptBeginning = 4096;

} // namespace

ReplyStream::ReplyStream(std::unique_ptr<ReplyReader> reader, QByteArray contentType,
                         const Redactor &redactor)
    : m_reader(std::move(reader)), m_contentType(std::move(contentType)), m_redactor(redactor)
{}

void ReplyStream::feed(QByteArrayView bytes)
{
    if (progress() == ReplyProgress::Complete) {
        return;
    }
    m_size += bytes.size();
    if (m_size > MaximumBody || (m_form == Form::Value && m_size > MaximumValue)) {
        fail(Kind::BadReply, "The reply is too long.");
        return;
    }
    if (m_form != Form::Unknown) {
        feedKnown(bytes);
        return;
    }
    m_body += bytes;
    m_form = formOf(m_body);
    if (m_form == Form::Unknown && m_body.size() > KeptBeginning) {
        m_form = Form::Events;
    }
    if (m_form != Form::Unknown) {
        const QByteArray beginning = std::exchange(m_body, {});
        feedKnown(beginning);
    }
}

void ReplyStream::feedKnown(QByteArrayView bytes)
{
    const qsizetype kept = m_form == Form::Value ? MaximumValue : KeptBeginning;
    m_body += bytes.first(std::clamp<qsizetype>(kept - m_body.size(), 0, bytes.size()));
    if (m_form == Form::Events) {
        feedEvents(bytes);
    }
}

ReplyProgress ReplyStream::progress() const
{
    return m_failure ? ReplyProgress::Complete : m_reader->progress();
}

ReplyOutcome ReplyStream::end()
{
    if (!m_failure && m_form == Form::Value) {
        endValue();
    } else if (!m_failure && m_form == Form::Page) {
        fail(Kind::BadReply, "The server answered with a page: " + excerpt());
    } else if (!m_failure) {
        m_parser.finish([this](const SseEvent &event) {
            m_hasEvents = true;
            m_reader->readEvent(event);
        });
        if (!m_hasEvents) {
            failWithoutEvents();
        }
    }
    ReplyOutcome outcome = m_reader->end();
    if (m_failure) {
        const auto *reported = std::get_if<ModelError>(&outcome);
        m_failure->usage = reported ? reported->usage : std::get<ModelReply>(outcome).usage;
        return *m_failure;
    }
    return outcome;
}

/// By the first byte that is no space. Every field of an event begins with a letter or a colon.
ReplyStream::Form ReplyStream::formOf(QByteArrayView beginning)
{
    constexpr QByteArrayView Mark = "\xEF\xBB\xBF";
    if (Mark.startsWith(beginning)) {
        return Form::Unknown;
    }
    if (beginning.startsWith(Mark)) {
        beginning = beginning.sliced(Mark.size());
    }
    const QByteArrayView text = beginning.trimmed();
    if (text.isEmpty()) {
        return Form::Unknown;
    }
    if (text.front() == '{') {
        return Form::Value;
    }
    return text.front() == '<' ? Form::Page : Form::Events;
}

void ReplyStream::feedEvents(QByteArrayView bytes)
{
    const bool isRead = m_parser.feed(bytes, [this](const SseEvent &event) {
        m_hasEvents = true;
        m_reader->readEvent(event);
    });
    if (!isRead && m_reader->progress() != ReplyProgress::Complete) {
        fail(Kind::BadReply, "The reply has an event that is too long.");
    }
}

void ReplyStream::fail(Kind kind, const QByteArray &words)
{
    m_failure = modelError(kind, words, m_redactor);
    m_body = {};
}

void ReplyStream::failWithoutEvents()
{
    const bool isStream =
        m_contentType.contains("event-stream") || m_body.contains("data:") || m_body.startsWith(':');
    if (isStream || m_body.trimmed().isEmpty()) {
        fail(Kind::Transport, "The connection ended before the reply began.");
    } else {
        fail(Kind::BadReply, "The server answered with something that is no reply: " + excerpt());
    }
}

void ReplyStream::endValue()
{
    if (const std::optional<Json> value = parseJson(m_body)) {
        m_reader->readWhole(*value);
        return;
    }
    JsonProgress written;
    written.add(m_body);
    if (written.isOpen()) {
        fail(Kind::Transport, "The connection ended in the middle of the reply.");
    } else {
        fail(Kind::BadReply, "The server answered with something that is no reply: " + excerpt());
    }
}

QByteArray ReplyStream::excerpt() const
{
    const QByteArray type = m_contentType.isEmpty() ? QByteArray() : " (status 200, " + m_contentType + ')';
    return excerptOf(m_body, m_redactor) + type;
}

} // namespace spettro
