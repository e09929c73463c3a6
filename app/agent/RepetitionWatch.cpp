#include "app/agent/RepetitionWatch.h"

#include <QCryptographicHash>

#include <utility>

namespace spettro {

namespace {

constexpr int WarnAtFailures = 3;  ///< The same call with the same error.
constexpr int StopAtFailures = 5;  ///< Alternating with another call, that is ten steps.
constexpr int WarnAtSuccesses = 6; ///< The same call with the same output, nothing changed in between.
constexpr int StopAtSuccesses = 30;
constexpr int WarnAtFailedSteps = 5; ///< Different calls, all of which fail.
constexpr int StopAtFailedSteps = 10;

QByteArray fingerprint(const CallPart &call, const ResultPart &result)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QByteArray &text : {call.name, call.arguments, result.text}) {
        hash.addData(QByteArray::number(text.size()) + ':');
        hash.addData(text);
    }
    return hash.result();
}

RepetitionWatch::Verdict judge(int count, int warn, int stop)
{
    return count >= stop   ? RepetitionWatch::Verdict::Stop
           : count == warn ? RepetitionWatch::Verdict::Warn
                           : RepetitionWatch::Verdict::Fine;
}

} // namespace

void RepetitionWatch::add(const CallPart &call, const ResultPart &result, bool isChange)
{
    ++m_callsOfStep;
    m_failuresOfStep += result.isError ? 1 : 0;
    const QByteArray key = fingerprint(call, result);
    if (isChange && !result.isError && !m_counts.contains(key)) {
        m_counts.clear();
    }
    const int count = ++m_counts[key];
    const Verdict verdict = result.isError ? judge(count, WarnAtFailures, StopAtFailures)
                                           : judge(count, WarnAtSuccesses, StopAtSuccesses);
    if (verdict > m_verdict) {
        m_verdict = verdict;
        m_description = call.name + " was called " + QByteArray::number(count)
                        + " times in the same way with the same result";
    }
}

RepetitionWatch::Verdict RepetitionWatch::endStep()
{
    const bool isFailedStep = m_callsOfStep > 0 && m_failuresOfStep == m_callsOfStep;
    m_failedSteps = isFailedStep ? m_failedSteps + 1 : 0;
    const Verdict steps = judge(m_failedSteps, WarnAtFailedSteps, StopAtFailedSteps);
    if (steps > m_verdict) {
        m_verdict = steps;
        m_description = "every call of the last " + QByteArray::number(m_failedSteps) + " steps failed";
    }
    m_callsOfStep = 0;
    m_failuresOfStep = 0;
    return std::exchange(m_verdict, Verdict::Fine);
}

} // namespace spettro
