#include "app/llm/MessagesReader.h"
#include "app/llm/JsonText.h"

#include <algorithm>

namespace spettro {

void MessagesReader::takeEvent(const Json &event)
{
    const QByteArray type = textOf(member(event, "type"));
    if (type == "message_start") {
        takeUsage(member(member(event, "message"), "usage"));
    } else if (type == "content_block_start" || type == "content_block_delta"
               || type == "content_block_stop") {
        const qint64 last = m_blocks.empty() ? 0 : m_blocks.rbegin()->first;
        const qint64 index = integerOf(member(event, "index")).value_or(last);
        if (type == "content_block_start") {
            takeBlock(index, member(event, "content_block"));
        } else if (const auto found = m_blocks.find(index); found == m_blocks.end()) {
            return;
        } else if (type == "content_block_delta") {
            takeDelta(found->second, member(event, "delta"));
        } else {
            found->second.isEnded = true;
        }
    } else if (type == "message_delta") {
        takeUsage(member(event, "usage"));
        takeStop(member(event, "delta"));
    } else if (type == "message_stop") {
        if (finished() == Finish::None) {
            finish(Finish::Normal);
        }
        setComplete();
    }
}

void MessagesReader::takeWhole(const Json &reply)
{
    takeUsage(member(reply, "usage"));
    const Json &content = member(reply, "content");
    if (!content.is_array()) {
        return;
    }
    qint64 index = 0;
    for (const Json &block : content) {
        takeBlock(index, block);
        m_blocks[index].isEnded = true;
        ++index;
    }
    finish(Finish::Normal);
    takeStop(reply);
}

void MessagesReader::takeBlock(qint64 index, const Json &content)
{
    Block block;
    block.type = textOf(member(content, "type"));
    block.id = textOf(member(content, "id"));
    block.name = textOf(member(content, "name"));
    block.input = member(content, "input");
    if (block.type == "text") {
        block.text = textOf(member(content, "text"));
        tellText(block.text);
    } else if (block.type == "thinking") {
        block.text = textOf(member(content, "thinking"));
        block.opaque = textOf(member(content, "signature"));
        tellReasoning(block.text);
    } else if (block.type == "redacted_thinking") {
        block.opaque = textOf(member(content, "data"));
    } else if (block.type == "tool_use") {
        tellCall(block.name);
    }
    m_blocks[index] = block;
}

void MessagesReader::takeDelta(Block &block, const Json &delta)
{
    const QByteArray type = textOf(member(delta, "type"));
    if (type == "text_delta") {
        const QByteArray text = textOf(member(delta, "text"));
        block.text += text;
        tellText(text);
    } else if (type == "thinking_delta") {
        const QByteArray text = textOf(member(delta, "thinking"));
        block.text += text;
        tellReasoning(text);
    } else if (type == "signature_delta") {
        block.opaque += textOf(member(delta, "signature"));
    } else if (type == "input_json_delta") {
        block.text += textOf(member(delta, "partial_json"));
    }
}

void MessagesReader::takeStop(const Json &delta)
{
    const QByteArray reason = textOf(member(delta, "stop_reason"));
    if (reason.isEmpty()) {
        return;
    }
    if (reason == "max_tokens" || reason == "model_context_window_exceeded") {
        finish(Finish::OutputLimit);
    } else if (reason == "refusal") {
        addRefusal(textOf(member(member(delta, "stop_details"), "explanation")));
        finish(Finish::Refused);
    } else {
        finish(Finish::Normal);
    }
}

/// Figures come twice, and each time only some of them; the later ones are totals as well.
void MessagesReader::takeUsage(const Json &figures)
{
    if (!figures.is_object()) {
        return;
    }
    const auto read = [&](const char *name, qint64 &figure) {
        if (const std::optional<qint64> value = integerOf(member(figures, name))) {
            figure = std::max<qint64>(*value, 0);
        }
    };
    read("input_tokens", m_uncachedInput);
    read("cache_creation_input_tokens", m_writtenInput);
    read("cache_read_input_tokens", usage().cachedInput);
    read("output_tokens", usage().output);
    usage().input = m_uncachedInput + m_writtenInput + usage().cachedInput;
    usage().isKnown = true;
}

QList<ReplyReader::Item> MessagesReader::takeItems()
{
    QList<Item> items;
    for (const auto &[index, block] : m_blocks) {
        if (block.type == "text") {
            items << TextPart{block.text};
        } else if (block.type == "thinking" || block.type == "redacted_thinking") {
            items << ReasoningPart{block.text, block.opaque, block.type, Protocol::Messages};
        } else if (block.type == "tool_use") {
            // Some servers send the arguments whole with the start of the block, as a reply without a stream has them.
            const bool isWhole =
                block.text.trimmed().isEmpty() && !block.input.is_null() && !block.input.empty();
            items << ReceivedCall{block.id, block.name, isWhole ? toText(block.input) : block.text,
                                  !block.isEnded};
        }
    }
    return items;
}

} // namespace spettro
