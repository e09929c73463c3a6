#include "app/Provider.h"

#include <algorithm>
#include <array>

namespace spettro {

namespace {

constexpr std::array Providers{
    Provider{.name = "anthropic",
             .protocol = Protocol::Messages,
             .baseUrl = "https://api.anthropic.com/v1",
             .keyVariable = "ANTHROPIC_API_KEY",
             .keyName = "anthropic",
             .contextTokens = 200'000},
    Provider{.name = "openai",
             .protocol = Protocol::ChatCompletions,
             .baseUrl = "https://api.openai.com/v1",
             .keyVariable = "OPENAI_API_KEY",
             .keyName = "openai",
             .outputLimit = Dialect::OutputLimit::MaxCompletionTokens},
    Provider{.name = "openai-responses",
             .protocol = Protocol::Responses,
             .baseUrl = "https://api.openai.com/v1",
             .keyVariable = "OPENAI_API_KEY",
             .keyName = "openai"},
    Provider{.name = "openrouter",
             .protocol = Protocol::ChatCompletions,
             .baseUrl = "https://openrouter.ai/api/v1",
             .keyVariable = "OPENROUTER_API_KEY",
             .keyName = "openrouter",
             .keyPath = "/key"},
    Provider{.name = "ollama",
             .protocol = Protocol::ChatCompletions,
             .baseUrl = "http://127.0.0.1:11434/v1",
             .keyVariable = nullptr,
             .keyName = nullptr},
};

} // namespace

const Provider *findProvider(const std::string &name)
{
    const auto *found = std::find_if(Providers.begin(), Providers.end(),
                                     [&](const Provider &provider) { return name == provider.name; });
    return found == Providers.end() ? nullptr : found;
}

std::string providerNames()
{
    std::string names;
    for (const Provider &provider : Providers) {
        names += (names.empty() ? "" : ", ") + std::string(provider.name);
    }
    return names;
}

} // namespace spettro
