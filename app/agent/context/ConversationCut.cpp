#include "app/agent/context/ConversationCut.h"

#include "app/agent/context/ContextGauge.h"

#include <algorithm>

namespace spettro {

namespace {

QByteArray noteFor(const QByteArray &text)
{
    return "[left out to save room: " + QByteArray::number(text.size())
           + " bytes; call the tool again if this is needed]";
}

} // namespace

bool canBegin(const Message &message)
{
    return std::none_of(message.parts.begin(), message.parts.end(),
                        [](const Part &part) { return std::holds_alternative<ResultPart>(part); });
}

qsizetype tailBegin(const Conversation &conversation, qint64 tokens)
{
    qsizetype begin = conversation.size();
    qint64 size = 0;
    for (qsizetype i = conversation.size() - 1; i > 0; --i) {
        size += estimatedTokens(conversation.at(i));
        if (size > tokens && begin < conversation.size()) {
            break;
        }
        begin = canBegin(conversation.at(i)) ? i : begin;
    }
    return begin;
}

Conversation withShortResults(const Conversation &conversation, qsizetype end, qsizetype bytes)
{
    Conversation shortened = conversation;
    for (qsizetype i = 0; i < end; ++i) {
        for (Part &part : shortened[i].parts) {
            auto *result = std::get_if<ResultPart>(&part);
            if (result && result->text.size() > bytes && noteFor(result->text).size() < result->text.size()) {
                result->text = noteFor(result->text);
            }
        }
    }
    return shortened;
}

} // namespace spettro
