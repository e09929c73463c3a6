#pragma once

#include "app/llm/ModelError.h"
#include "app/llm/Redactor.h"
#include "app/llm/SseParser.h"
#include "tools/Json.h"

#include <variant>

namespace spettro {

using ReplyOutcome = std::variant<ModelReply, ModelError>;

/// Told of a reply while it comes. Only for showing: if the reply breaks off, what was told is void.
class ReplyListener
{
public:
    virtual ~ReplyListener() = default;
    virtual void textArrived(const QByteArray &text);
    virtual void reasoningArrived(const QByteArray &text);
    /// The model began a call of this tool.
    virtual void callStarted(const QByteArray &tool);
};

/// How far a reply has come.
enum class ReplyProgress {
    Reading,
    Ended,    ///< The model is done; only figures may still come.
    Complete, ///< Nothing that counts comes any more: stop reading and close.
};

/// Puts a reply together from the events of one protocol. One reader reads one reply.
class ReplyReader
{
public:
    ReplyReader(ReplyListener &listener, const Redactor &redactor);
    virtual ~ReplyReader() = default;

    /// Damaged JSON, and an error that the server reports, end the reply.
    void readEvent(const SseEvent &event);

    /// The reply as one JSON value, from a server that does not stream.
    void readWhole(const Json &reply);

    ReplyProgress progress() const;

    /// What came of it, once nothing more comes. Anything the protocol did not declare to be done is an error.
    ReplyOutcome end();

protected:
    enum class Finish {
        None, ///< The protocol has not said that the reply is done.
        Normal,
        OutputLimit,
        Refused,
    };

    /// A call as it was received.
    struct ReceivedCall
    {
        QByteArray id;
        QByteArray name;
        QByteArray arguments;
        /// The protocol marks the end of a call, and did not mark this one's.
        bool isUnfinished = false;
    };

    using Item = std::variant<TextPart, ReasoningPart, ReceivedCall>;

    virtual void takeEvent(const Json &event) = 0;
    virtual void takeWhole(const Json &reply) = 0;
    /// `[DONE]` came.
    virtual void takeDone() {}
    /// The content of the reply, in its order. Called once, at the end.
    virtual QList<Item> takeItems() = 0;

    void tellText(const QByteArray &text);
    void tellReasoning(const QByteArray &text);
    void tellCall(const QByteArray &tool);
    void fail(const ModelError &error);
    void finish(Finish reason) { m_finish = reason; }
    void setComplete() { m_isComplete = true; }
    void addRefusal(const QByteArray &words) { m_refusal += words; }
    Finish finished() const { return m_finish; }
    Usage &usage() { return m_usage; }
    const Redactor &redactor() const { return m_redactor; }

private:
    ReplyOutcome outcome();
    ModelError error(ModelError::Kind kind, const QByteArray &words) const;

    ReplyListener &m_listener;
    const Redactor &m_redactor;
    Finish m_finish = Finish::None;
    Usage m_usage;
    QByteArray m_refusal;
    std::optional<ModelError> m_failure;
    bool m_isComplete = false;
};

} // namespace spettro
