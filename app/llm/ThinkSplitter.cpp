#include "app/llm/ThinkSplitter.h"

#include <algorithm>
#include <utility>

namespace spettro {

namespace {

constexpr QByteArrayView Open = "<think>";
constexpr QByteArrayView Close = "</think>";

QByteArray withoutLeadingSpace(const QByteArray &text)
{
    const auto first =
        std::find_if(text.begin(), text.end(), [](char c) { return c != ' ' && c != '\n' && c != '\r'; });
    return text.sliced(first - text.begin());
}

/// How many bytes at the end of `text` may be the beginning of `tag`.
qsizetype startedTag(const QByteArray &text, QByteArrayView tag)
{
    for (qsizetype size = std::min(text.size(), tag.size() - 1); size > 0; --size) {
        if (text.endsWith(tag.first(size))) {
            return size;
        }
    }
    return 0;
}

} // namespace

ThinkSplitter::Pieces ThinkSplitter::add(const QByteArray &text)
{
    m_held += text;
    Pieces pieces;
    if (m_state == State::Beginning) {
        const QByteArray begun = withoutLeadingSpace(m_held);
        if (begun.startsWith(Open)) {
            m_held = begun.sliced(Open.size());
            m_state = State::Thinking;
        } else if (!Open.startsWith(begun)) {
            m_state = State::Text;
        }
    }
    if (m_state == State::Thinking) {
        const qsizetype end = m_held.indexOf(Close);
        if (end >= 0) {
            pieces.reasoning = m_held.first(end);
            m_held = m_held.sliced(end + Close.size());
            m_state = State::AfterThinking;
        } else {
            pieces.reasoning = m_held.chopped(startedTag(m_held, Close));
            m_held = m_held.sliced(pieces.reasoning.size());
        }
    }
    if (m_state == State::AfterThinking) {
        m_held = withoutLeadingSpace(m_held);
        if (!m_held.isEmpty()) {
            m_state = State::Text;
        }
    }
    if (m_state == State::Text) {
        pieces.text = std::exchange(m_held, {});
    }
    return pieces;
}

ThinkSplitter::Pieces ThinkSplitter::finish()
{
    Pieces pieces;
    (m_state == State::Thinking ? pieces.reasoning : pieces.text) = std::exchange(m_held, {});
    return pieces;
}

} // namespace spettro
