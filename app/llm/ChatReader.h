#pragma once

#include "app/llm/CallCollector.h"
#include "app/llm/ReasoningDetails.h"
#include "app/llm/ReplyReader.h"
#include "app/llm/ThinkSplitter.h"

namespace spettro {

/// Reads replies of the chat completions protocol.
class ChatReader : public ReplyReader
{
public:
    using ReplyReader::ReplyReader;

protected:
    void takeEvent(const Json &event) override;
    void takeWhole(const Json &reply) override;
    void takeDone() override;
    QList<Item> takeItems() override;

private:
    enum class Form { Fragment, Whole };

    void takeChoices(const Json &reply, Form form);
    void takeContent(const Json &message, Form form);
    void takeText(const QByteArray &text);
    void addText(const ThinkSplitter::Pieces &pieces);
    void addReasoning(const char *field, const QByteArray &text);
    void takeFinish(const QByteArray &reason);
    void takeUsage(const Json &figures);

    QByteArray m_text;
    QByteArray m_reasoning;
    QByteArray m_reasoningField; ///< Where the reasoning came from.
    ReasoningDetails m_details;
    ThinkSplitter m_splitter;
    CallCollector m_calls;
};

} // namespace spettro
