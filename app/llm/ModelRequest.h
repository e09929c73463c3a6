#pragma once

#include "app/llm/Conversation.h"
#include "tools/Json.h"

#include <optional>

namespace spettro {

/// A tool as the model is told of it.
struct ToolDeclaration
{
    QByteArray name;
    QByteArray description;
    Json inputSchema; ///< A JSON Schema of an object.
};

/// What a model is asked, in no server's language. For caches to hit, the next request has the same model, system and
/// tools, and the same messages with more behind them.
struct ModelRequest
{
    QByteArray model;
    QByteArray system;
    QList<ToolDeclaration> tools;
    Conversation messages;
    std::optional<int> maxOutputTokens;
};

} // namespace spettro
