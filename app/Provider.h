#pragma once

#include "app/llm/Dialect.h"
#include "app/llm/ServerModel.h"

#include <string>

namespace spettro {

/// Who offers models, and how it is spoken to.
struct Provider
{
    const char *name;
    Protocol protocol;
    const char *baseUrl;
    const char *keyVariable; ///< Null where no key is wanted.
    const char *keyName;     ///< What its stored key is called; null where no key is wanted.
    Dialect::OutputLimit outputLimit = Dialect::OutputLimit::MaxTokens;
    /// How many tokens every one of its models takes in at once; 0 where that differs or is not known.
    long long contextTokens = 0;
    /// A path that only a right key may read, for a server that shows its models to everybody; else empty.
    const char *keyPath = "";
};

/// The provider of this name; null where there is none.
const Provider *findProvider(const std::string &name);

/// The names of all, as an error message lists them.
std::string providerNames();

} // namespace spettro
