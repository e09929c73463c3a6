#include "tests/support/Replies.h"

#include <algorithm>

namespace spettro::test {

namespace {

constexpr qsizetype EveryOffsetUpTo = 700;

QByteArray kindName(ModelError::Kind kind)
{
    static const char *const names[] = {"Authentication", "Quota",       "UnknownModel", "ContextTooLong",
                                        "OutputLimit",    "RateLimited", "Overloaded",   "Server",
                                        "Transport",      "Refused",     "BadRequest",   "BadReply",
                                        "EmptyReply",     "Interrupted"};
    return names[static_cast<int>(kind)];
}

QByteArray usageText(const Usage &usage)
{
    if (!usage.isKnown) {
        return "usage unknown";
    }
    return "usage " + QByteArray::number(usage.input) + '/' + QByteArray::number(usage.cachedInput) + '/'
           + QByteArray::number(usage.output);
}

QByteArray partText(const Part &part)
{
    if (const auto *text = std::get_if<TextPart>(&part)) {
        return "text " + text->text;
    }
    if (const auto *reasoning = std::get_if<ReasoningPart>(&part)) {
        return reasoning->kind + ' ' + reasoning->text + '|' + reasoning->opaque;
    }
    if (const auto *call = std::get_if<CallPart>(&part)) {
        return "call " + call->id + ' ' + call->name + ' ' + call->arguments
               + (call->problem.isEmpty() ? "" : " !" + call->problem);
    }
    return "a result";
}

} // namespace

std::vector<Cuts> waysToCut(const QByteArray &body, std::mt19937 &random)
{
    std::vector<Cuts> ways{{1}};
    for (qsizetype offset = 1; offset < body.size() && body.size() <= EveryOffsetUpTo; ++offset) {
        ways.push_back({offset, body.size()});
    }
    for (int i = 0; i < 20; ++i) {
        Cuts cuts;
        for (qsizetype size = 0; size < body.size(); size += cuts.back()) {
            cuts.push_back(1 + static_cast<qsizetype>(random() % (i % 2 == 0 ? 9 : 200)));
        }
        cuts.push_back(1);
        ways.push_back(cuts);
    }
    return ways;
}

QByteArray described(const ReplyOutcome &outcome)
{
    if (const auto *error = std::get_if<ModelError>(&outcome)) {
        return "error " + kindName(error->kind) + ": " + error->message + '\n' + usageText(error->usage);
    }
    const auto &reply = std::get<ModelReply>(outcome);
    QByteArray text;
    for (const Part &part : reply.message.parts) {
        text += partText(part) + '\n';
    }
    static const char *const reasons[] = {"EndOfTurn", "ToolCalls", "OutputLimit"};
    return text + reasons[static_cast<int>(reply.stopReason)] + '\n' + usageText(reply.usage);
}

QByteArray readReply(ReplyStream &stream, const QByteArray &body, const Cuts &cuts)
{
    std::size_t cut = 0;
    for (qsizetype at = 0; at < body.size();) {
        const qsizetype size = std::min(cuts[std::min(cut++, cuts.size() - 1)], body.size() - at);
        stream.feed(QByteArrayView(body).sliced(at, size));
        at += size;
    }
    return described(stream.end());
}

} // namespace spettro::test
