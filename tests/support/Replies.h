#pragma once

#include "app/llm/ReplyStream.h"

#include <memory>
#include <random>

namespace spettro::test {

/// Remembers what a listener is told.
class Recorder : public ReplyListener
{
public:
    void textArrived(const QByteArray &part) override { text += part; }
    void reasoningArrived(const QByteArray &part) override { reasoning += part; }
    void callStarted(const QByteArray &tool) override { calls << tool; }

    QByteArray text;
    QByteArray reasoning;
    QList<QByteArray> calls;
};

/// How a body is cut by the network: sizes of the pieces, the last one for ever.
using Cuts = std::vector<qsizetype>;

/// Several ways: whole, byte by byte, in two at every offset if the body is short, and at random.
std::vector<Cuts> waysToCut(const QByteArray &body, std::mt19937 &random);

/// What comes of a reply, as text: a line for each part, then stop reason and usage, or `error KIND: MESSAGE` and usage.
template<typename Reader>
QByteArray replyOf(const QByteArray &body, const Cuts &cuts,
                   const QByteArray &contentType = "text/event-stream");

QByteArray described(const ReplyOutcome &outcome);

/// Feeds the body and describes what comes of it.
QByteArray readReply(ReplyStream &stream, const QByteArray &body, const Cuts &cuts);

template<typename Reader>
QByteArray replyOf(const QByteArray &body, const Cuts &cuts, const QByteArray &contentType)
{
    const Redactor redactor({"sk-TESTKEY123"});
    Recorder recorder;
    ReplyStream stream(std::make_unique<Reader>(recorder, redactor), contentType, redactor);
    return readReply(stream, body, cuts);
}

/// The same for every way to cut the body; if they differ, both, which equals no expectation.
template<typename Reader>
QByteArray replyOf(const QByteArray &body, const QByteArray &contentType = "text/event-stream")
{
    std::mt19937 random(20261130);
    const QByteArray whole = replyOf<Reader>(body, Cuts{body.size() + 1}, contentType);
    for (const Cuts &cuts : waysToCut(body, random)) {
        const QByteArray cut = replyOf<Reader>(body, cuts, contentType);
        if (cut != whole) {
            return "WHOLE: " + whole + "\nCUT: " + cut;
        }
    }
    return whole;
}

} // namespace spettro::test
