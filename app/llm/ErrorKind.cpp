#include "app/llm/ErrorKind.h"

#include <algorithm>
#include <initializer_list>

namespace spettro {

namespace {

using Kind = ModelError::Kind;

bool hasAny(const QByteArray &text, std::initializer_list<const char *> words)
{
    return std::any_of(words.begin(), words.end(), [&](const char *word) { return text.contains(word); });
}

bool isContextTooLong(const QByteArray &text)
{
    return hasAny(text, {
                            "context_length_exceeded",              // OpenAI, Groq, DeepSeek
                            "exceed_context_size",                  // llama.cpp
                            "available context size",               // llama.cpp
                            "maximum context length",               // OpenAI, vLLM, OpenRouter, Mistral
                            "maximum model length",                 // vLLM
                            "model's context length",               // SGLang
                            "the context length",                   // Ollama, LM Studio
                            "context window",                       // OpenAI responses, MiniMax
                            "exceed context limit",                 // Anthropic, with max_tokens
                            "context the overflows",                // LM Studio
                            "context overflow",                     // LM Studio
                            "prompt is too long",                   // Anthropic
                            "request_too_large",                    // Anthropic
                            "exceeds the maximum size",             // Anthropic
                            "input is too long",                    // Bedrock
                            "maximum prompt length",                // xAI
                            "prompt exceeds max length",            // Z.AI
                            "exceeds the maximum number of tokens", // Gemini
                            "reduce the length of the messages",    // Groq
                            "exceeded model token limit",           // Moonshot
                            "too large for model",                  // Mistral
                            "prompt token count",                   // GitHub
                        });
}

bool isUnpaid(const QByteArray &text)
{
    if (text.contains("please retry in")) { // Gemini speaks of quota and billing at every limit of a minute.
        return false;
    }
    return hasAny(text, {"insufficient_quota", "exceeded your current quota", "billing", "credit balance",
                         "insufficient balance", "insufficient_balance", "insufficient credits",
                         "payment required", "out of credits"});
}

bool isUnknownModel(const QByteArray &text)
{
    return text.contains("model_not_found")
           || (text.contains("model")
               && hasAny(text, {"not found", "not_found", "does not exist", "not loaded", "unknown model",
                                "no model", "invalid model", "not a valid model", "no such model",
                                "no endpoints found"}));
}

/// The server fails at what it was sent, and will again.
bool isTemplateFailure(const QByteArray &text)
{
    return hasAny(text, {"jinja", "chat template", "tool call arguments as json", "roles must alternate",
                         "conversation roles"});
}

} // namespace

Kind errorKind(const ServerWords &words)
{
    const int status = words.status;
    const QByteArray code = words.code.toLower();
    const QByteArray text = code + ' ' + words.message.toLower();

    if (status != 429 && isContextTooLong(text)) {
        return Kind::ContextTooLong;
    }
    if (status == 402 || (status < 500 && isUnpaid(text))) {
        return Kind::Quota;
    }
    if (hasAny(code, {"content_filter", "content_policy", "refusal"})) {
        return Kind::Refused;
    }
    if (status == 401 || status == 403
        || hasAny(code, {"authentication", "permission_error", "invalid_api_key"})) {
        return Kind::Authentication;
    }
    if (status == 429 || hasAny(code, {"rate_limit", "too_many_requests"})) {
        return Kind::RateLimited;
    }
    if (status < 500 && isUnknownModel(text)) {
        return Kind::UnknownModel;
    }
    if (status == 529 || status == 503 || code.contains("overloaded")) {
        return Kind::Overloaded;
    }
    if (status == 413) {
        return Kind::ContextTooLong;
    }
    if (isTemplateFailure(text) || status == 501 || status == 505) {
        return Kind::BadRequest;
    }
    const bool isForLater = status == 408 || status == 409 || status == 425;
    if (status >= 500 || isForLater || hasAny(code, {"server_error", "api_error", "internal", "timeout"})) {
        return Kind::Server;
    }
    return Kind::BadRequest;
}

} // namespace spettro
