#pragma once

#include <QByteArray>
#include <QList>

#include <variant>

namespace spettro {

/// The three languages in which model servers are spoken to.
enum class Protocol {
    ChatCompletions, ///< OpenAI's older one, which nearly every server speaks.
    Responses,       ///< OpenAI's newer one.
    Messages,        ///< Anthropic's.
};

struct TextPart
{
    QByteArray text;

    bool operator==(const TextPart &) const = default;
};

/// What a model thought before it answered. Only the protocol that it came from can take it back.
struct ReasoningPart
{
    QByteArray text;   ///< May be empty: some servers show nothing of it.
    QByteArray opaque; ///< Signature, encrypted content or the whole item as JSON; sent back as it came.
    QByteArray
        kind; ///< The protocol's own name for it: a field of a message, or the type of a block or item.
    Protocol protocol = Protocol::ChatCompletions;

    bool operator==(const ReasoningPart &) const = default;
};

/// A tool call by the model.
struct CallPart
{
    QByteArray id; ///< Not empty and without equal within its message.
    QByteArray name;
    QByteArray arguments; ///< JSON text of one object.
    QByteArray problem;   ///< Not empty: the call must not run, and this is the answer to the model.

    bool operator==(const CallPart &) const = default;
};

/// What came of a call. It belongs to the call with this id in the last message of the assistant before it.
struct ResultPart
{
    QByteArray callId;
    QByteArray text;
    bool isError = false;

    bool operator==(const ResultPart &) const = default;
};

using Part = std::variant<TextPart, ReasoningPart, CallPart, ResultPart>;

/// One message; all texts are UTF-8. Results of calls are in messages of the user, calls and reasoning in those of the
/// assistant.
struct Message
{
    enum class Role { User, Assistant };

    Role role = Role::User;
    QList<Part> parts;

    bool operator==(const Message &) const = default;
};

using Conversation = QList<Message>;

} // namespace spettro
