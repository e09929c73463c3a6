#pragma once

#include "app/Provider.h"
#include "app/keys/KeyStore.h"
#include "sandbox/policy/Result.h"

namespace spettro {

/// The server of a provider, or the one at `baseUrl` where that is not empty, with the proxy and the authorities of the
/// environment; without title and key. An error names the flag or the variable.
sandbox::Result<ServerSettings> serverSettings(const Provider &provider, const std::string &baseUrl);

/// The same with the key: that of the provider's variable, else the one that is stored for this very server. A missing one is
/// an error only at the provider's own server. Says on standard error where the key can be read on its way.
sandbox::Result<ServerSettings> serverSettingsWithKey(const Provider &provider, const std::string &baseUrl);

/// What the key of this server is stored as; empty where the provider wants none.
QByteArray storedNameFor(const Provider &provider, const ServerSettings &settings);

/// The operator's keys.
KeyStore keyStore();

/// Says on standard error where the key of these settings can be read on its way.
void warnIfReadable(const ServerSettings &settings);

} // namespace spettro
