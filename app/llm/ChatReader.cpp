#include "app/llm/ChatReader.h"
#include "app/llm/JsonText.h"

#include <algorithm>

namespace spettro {

void ChatReader::takeEvent(const Json &event)
{
    takeChoices(event, Form::Fragment);
}

void ChatReader::takeWhole(const Json &reply)
{
    takeChoices(reply, Form::Whole);
    if (finished() == Finish::None && member(reply, "choices").is_array()) {
        finish(Finish::Normal);
    }
}

void ChatReader::takeDone()
{
    if (finished() == Finish::None) {
        finish(Finish::Normal);
    }
    setComplete();
}

void ChatReader::takeChoices(const Json &reply, Form form)
{
    takeUsage(member(reply, "usage"));
    takeUsage(member(member(reply, "x_groq"), "usage"));
    const Json &choices = member(reply, "choices");
    if (!choices.is_array()) {
        return;
    }
    for (const Json &choice : choices) {
        if (integerOf(member(choice, "index")).value_or(0) != 0) {
            continue; // Nobody asked for a second answer.
        }
        takeUsage(member(choice, "usage"));
        const Json &delta = member(choice, "delta");
        takeContent(delta.is_object() ? delta : member(choice, "message"), form);
        takeFinish(textOf(member(choice, "finish_reason")));
    }
}

void ChatReader::takeContent(const Json &message, Form form)
{
    for (const char *field : {"reasoning_content", "reasoning"}) {
        addReasoning(field, textOf(member(message, field)));
    }
    m_details.add(member(message, "reasoning_details"));

    const Json &content = member(message, "content");
    takeText(textOf(content));
    if (content.is_array()) { // Mistral's blocks.
        for (const Json &block : content) {
            takeText(textOf(member(block, "text")));
        }
    }
    addRefusal(textOf(member(message, "refusal")));

    const Json &calls = member(message, "tool_calls");
    if (!calls.is_array()) {
        return;
    }
    for (const Json &call : calls) {
        if (!call.is_object()) {
            continue;
        }
        if (form == Form::Whole) {
            m_calls.addWhole(call);
        } else if (m_calls.addFragment(call)) {
            tellCall(m_calls.calls().last().name);
        }
    }
}

void ChatReader::takeText(const QByteArray &text)
{
    if (!text.isEmpty()) {
        addText(m_splitter.add(text));
    }
}

void ChatReader::addText(const ThinkSplitter::Pieces &pieces)
{
    addReasoning("think", pieces.reasoning);
    m_text += pieces.text;
    tellText(pieces.text);
}

/// Some servers send the same reasoning in two fields: the first one that had any counts.
void ChatReader::addReasoning(const char *field, const QByteArray &text)
{
    if (text.isEmpty()) {
        return;
    }
    if (m_reasoningField.isEmpty()) {
        m_reasoningField = field;
    }
    if (m_reasoningField == field) {
        m_reasoning += text;
        tellReasoning(text);
    }
}

void ChatReader::takeFinish(const QByteArray &reason)
{
    if (reason.isEmpty()) {
        return;
    }
    if (reason == "length" || reason == "max_tokens" || reason == "model_length") {
        finish(Finish::OutputLimit);
    } else if (reason == "content_filter" || reason == "refusal") {
        finish(Finish::Refused);
    } else if (reason == "error") {
        ModelError error;
        error.kind = ModelError::Kind::Server;
        error.message = "The server ended the reply with an error that it does not name.";
        fail(error);
    } else {
        finish(Finish::Normal);
    }
}

void ChatReader::takeUsage(const Json &figures)
{
    if (!figures.is_object()) {
        return;
    }
    const auto figure = [](const Json &value) { return std::max<qint64>(integerOf(value).value_or(0), 0); };
    Usage read;
    read.isKnown = true;
    read.input = figure(member(figures, "prompt_tokens"));
    read.output = figure(member(figures, "completion_tokens"));
    read.cachedInput = figure(member(member(figures, "prompt_tokens_details"), "cached_tokens"));
    if (read.cachedInput == 0) {
        read.cachedInput = figure(member(figures, "prompt_cache_hit_tokens")); // DeepSeek
    }
    usage() = read;
}

QList<ReplyReader::Item> ChatReader::takeItems()
{
    addText(m_splitter.finish());
    QList<Item> items;
    const QByteArray details = m_details.text();
    if (!details.isEmpty()) {
        items << ReasoningPart{m_reasoning, details, "reasoning_details", Protocol::ChatCompletions};
    } else if (!m_reasoning.isEmpty()) {
        items << ReasoningPart{m_reasoning, {}, m_reasoningField, Protocol::ChatCompletions};
    }
    items << TextPart{m_text};
    for (const CallCollector::Call &call : m_calls.calls()) {
        items << ReceivedCall{call.id, call.name, call.arguments, false};
    }
    return items;
}

} // namespace spettro
