#pragma once

#include "app/llm/ModelError.h"

#include <optional>

namespace spettro {

/// In what servers of one protocol differ. The defaults suit most; a server's error tells where they do not.
struct Dialect
{
    /// The name of the limit in chat completions.
    enum class OutputLimit { MaxTokens, MaxCompletionTokens };
    /// Whether earlier reasoning goes back.
    enum class Reasoning {
        AsReceived,
        Always, ///< Chat completions: with an empty `reasoning_content` where there was none.
        Never,
    };
    enum class CallIds {
        AsReceived,
        NineCharacters, ///< Mistral: letters and digits only.
    };
    enum class StreamUsage { Asked, NotAsked };

    OutputLimit outputLimit = OutputLimit::MaxTokens;
    Reasoning reasoning = Reasoning::AsReceived;
    CallIds callIds = CallIds::AsReceived;
    StreamUsage streamUsage = StreamUsage::Asked; ///< Chat completions: `stream_options`.

    bool operator==(const Dialect &) const = default;
};

/// The dialect with which a request that ended in `error` may go through; nothing if the error is about something else.
/// Never leads back: each point is changed at most once, so that asking again and again comes to an end.
std::optional<Dialect> adaptedDialect(const Dialect &dialect, const ModelError &error,
                                      const Dialect &initial = {});

} // namespace spettro
