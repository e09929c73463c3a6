#pragma once

#include "app/llm/Conversation.h"

#include <QHash>

namespace spettro {

/// Notices a model that makes no headway: the same call with the same result again and again, or step after step in which
/// every call fails. Work that repeats itself but changes something (a file, an output) is none of that.
class RepetitionWatch
{
public:
    enum class Verdict {
        Fine,
        Warn, ///< Tell the model; said once for each call that repeats.
        Stop,
    };

    /// One call of a step and what came of it. `isChange`: of the kind that changes files.
    void add(const CallPart &call, const ResultPart &result, bool isChange);

    /// The step is over: what to do.
    Verdict endStep();

    /// What repeats, in words for the operator.
    QByteArray description() const { return m_description; }

private:
    QHash<QByteArray, int> m_counts; ///< Of call and result, since something changed.
    int m_failedSteps = 0;           ///< In a row.
    int m_callsOfStep = 0;
    int m_failuresOfStep = 0;
    Verdict m_verdict = Verdict::Fine;
    QByteArray m_description;
};

} // namespace spettro
