#include "app/ConnectCommand.h"

#include "app/SecretInput.h"
#include "app/ServerAccess.h"
#include "app/config/PolicyLoader.h"
#include "app/keys/KeyText.h"
#include "app/llm/ModelLister.h"

#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

enum ExitCode { Done = 0, Failed = 1 };

Error usageError(const std::string &message)
{
    return {ErrorKind::Usage, message, 0};
}

void mention(const std::string &what)
{
    if (!what.empty()) {
        std::fprintf(stderr, "spettro: %s\n", what.c_str());
    }
}

int fail(const std::string &why)
{
    mention(why);
    return Failed;
}

int forget(const QByteArray &name)
{
    const Result<ForgottenKey> forgotten = keyStore().forget(name);
    if (!forgotten) {
        return fail(forgotten.error().message);
    }
    mention(forgotten->trouble);
    if (!forgotten->wasThere && !forgotten->trouble.empty()) {
        return Failed; // it may still be there
    }
    std::puts(forgotten->wasThere ? "The key is forgotten." : "There was no key.");
    return Done;
}

Result<QByteArray> askForKey(const Provider &provider, const ServerSettings &settings)
{
    const Result<QByteArray> typed =
        readSecret(QByteArray("Key of ") + provider.name + " for " + settings.baseUrl.host().toUtf8() + ": ");
    if (!typed) {
        return typed.error();
    }
    Result<QByteArray> key = keyFrom(*typed);
    return key ? std::move(key) : usageError("the key is not taken: " + key.error().message);
}

/// The number of models that the server offers to this key.
Result<qsizetype> tryOut(const Provider &provider, const ServerSettings &settings, bool isOwnServer)
{
    const ModelListOutcome outcome = listModels(settings, isOwnServer ? provider.keyPath : "");
    if (const auto *error = std::get_if<ModelError>(&outcome)) {
        return usageError(error->message.toStdString());
    }
    return std::get<QList<OfferedModel>>(outcome).size();
}

int keep(const Provider &provider, const ServerSettings &settings, const ConnectFlags &flags)
{
    const Result<KeptKey> kept = keyStore().keep(storedNameFor(provider, settings), settings.key,
                                                 flags.useFile ? KeyPlace::File : KeyPlace::Desktop);
    if (!kept) {
        return fail("the key is right but could not be stored: " + kept.error().message);
    }
    mention(kept->trouble);
    std::printf("The key is stored in %s.\n", kept->place.constData());
    if (!qgetenv(provider.keyVariable).trimmed().isEmpty()) {
        mention(std::string(provider.keyVariable) + " is set, and is used instead as long as it is");
    }
    return Done;
}

} // namespace

int connectCommand(const CommandLine &line)
{
    const Provider *provider = findProvider(line.model.provider);
    if (!provider) {
        return reportError(usageError("connect: one of " + providerNames()));
    }
    Result<ServerSettings> settings = serverSettings(*provider, line.model.baseUrl);
    if (!settings) {
        return reportError(settings.error());
    }
    const bool hasKey = provider->keyName != nullptr;
    if (line.connect.remove) {
        return hasKey ? forget(storedNameFor(*provider, *settings))
                      : reportError(usageError(std::string(provider->name) + " has no key"));
    }
    if (hasKey) {
        Result<QByteArray> key = askForKey(*provider, *settings);
        if (!key) {
            return reportError(key.error());
        }
        settings.value().key = std::move(key).value();
        warnIfReadable(*settings);
    }
    const Result<qsizetype> count = tryOut(*provider, *settings, line.model.baseUrl.empty());
    if (!count) {
        return fail(count.error().message + (hasKey ? "\nNothing is stored." : ""));
    }
    const int exitCode = hasKey ? keep(*provider, *settings, line.connect) : Done;
    std::printf("%s offers %lld model%s.\n", settings->baseUrl.host().toUtf8().constData(),
                static_cast<long long>(*count), *count == 1 ? "" : "s");
    return exitCode;
}

} // namespace spettro
