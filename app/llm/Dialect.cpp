#include "app/llm/Dialect.h"

#include <algorithm>
#include <initializer_list>

namespace spettro {

namespace {

bool hasAny(const QByteArray &text, std::initializer_list<const char *> words)
{
    return std::any_of(words.begin(), words.end(), [&](const char *word) { return text.contains(word); });
}

/// The server does not know the name; it does not only dislike the value.
bool isAboutName(const QByteArray &text)
{
    return hasAny(text, {"unsupported", "not supported", "unrecognized", "unknown", "unexpected", "extra",
                         "not permitted", "not allowed", "instead"});
}

} // namespace

std::optional<Dialect> adaptedDialect(const Dialect &dialect, const ModelError &error, const Dialect &initial)
{
    if (error.kind != ModelError::Kind::BadRequest) {
        return std::nullopt;
    }
    const QByteArray text = error.message.toLower();
    Dialect adapted = dialect;
    const bool isLimitNew = dialect.outputLimit == Dialect::OutputLimit::MaxCompletionTokens;
    if (hasAny(text, {"max_tokens", "max_completion_tokens"}) && isAboutName(text)
        && dialect.outputLimit == initial.outputLimit) {
        adapted.outputLimit =
            isLimitNew ? Dialect::OutputLimit::MaxTokens : Dialect::OutputLimit::MaxCompletionTokens;
    } else if (hasAny(text, {"reasoning", "thinking", "signature", "encrypted content"})) {
        const bool isMissing = hasAny(text, {"must be passed back", "missing"});
        if (dialect.reasoning == Dialect::Reasoning::AsReceived) {
            adapted.reasoning = isMissing ? Dialect::Reasoning::Always : Dialect::Reasoning::Never;
        }
    } else if (text.contains("with a length of 9")) {
        adapted.callIds = Dialect::CallIds::NineCharacters;
    } else if (hasAny(text, {"stream_options", "include_usage"})) {
        adapted.streamUsage = Dialect::StreamUsage::NotAsked;
    }
    if (adapted == dialect) {
        return std::nullopt;
    }
    return adapted;
}

} // namespace spettro
