#pragma once

#include <QByteArray>

namespace spettro {

/// Parts reasoning from text where a server writes both into the text: `<think>...</think>` at its very beginning.
/// Such words further on are text.
class ThinkSplitter
{
public:
    struct Pieces
    {
        QByteArray reasoning;
        QByteArray text;
    };

    /// Reads on; gives what is certain by now. Tags may be cut anywhere.
    Pieces add(const QByteArray &text);

    /// What was held back, once no more comes.
    Pieces finish();

private:
    enum class State { Beginning, Thinking, AfterThinking, Text };

    State m_state = State::Beginning;
    QByteArray m_held;
};

} // namespace spettro
