#pragma once

#include "app/llm/Model.h"

#include <variant>

namespace spettro {

/// What a compaction works on.
struct CompactionTask
{
    Conversation conversation;
    QByteArray pinned; ///< What has to stay word for word: the goal. May be empty.
    qint64 window = 0; ///< Tokens that the conversation is to fit in.
    QByteArray model;  ///< As the server knows it.
};

/// A conversation that got shorter.
struct Compacted
{
    Conversation conversation;
    QByteArray summary; ///< Empty where leaving out old results was enough.
};

/// Makes a conversation shorter: first the large results of old steps go, and where that is not enough, the model sums up all
/// but the newest steps. Pure: it says what to ask, and is told what came of it.
///
/// The request for the summary holds what is to be summed up as one text, and no tools: it has no calls whose results could
/// be lost, and can be made as small as it has to be.
class Compaction
{
public:
    explicit Compaction(CompactionTask task);

    using Step =
        std::variant<Compacted,    ///< Done.
                     ModelRequest, ///< To be asked; what comes of it goes to `take`.
                     QByteArray>;  ///< Failed, in words for the operator: the conversation stays as it is.

    Step begin();
    Step take(const ModelOutcome &outcome);

private:
    ModelRequest request() const;
    Step finish(const QByteArray &summary) const;
    Conversation joined(const QByteArray &summary) const;

    CompactionTask m_task;
    qsizetype m_tail = 0;     ///< Where the newest part begins, which stays.
    qsizetype m_material = 0; ///< Bytes of text that the model is given to sum up.
    int m_tries = 0;
};

} // namespace spettro
