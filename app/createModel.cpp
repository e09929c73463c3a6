#include "app/createModel.h"

#include "app/ServerAccess.h"
#include "app/llm/ScriptedModel.h"
#include "app/llm/ServerModel.h"

#include <QFile>

namespace spettro {

using namespace sandbox;

namespace {

Error usageError(const std::string &message)
{
    return {ErrorKind::Usage, message, 0};
}

Result<std::unique_ptr<Model>> createServer(const Provider &provider, const ModelFlags &flags)
{
    if (flags.model.empty()) {
        return usageError(std::string("--model: say which model of ") + provider.name
                          + " is to work; 'spettro models --provider " + provider.name + "' lists them");
    }
    Result<ServerSettings> settings = serverSettingsWithKey(provider, flags.baseUrl);
    if (!settings) {
        return settings.error();
    }
    settings.value().title =
        QByteArray::fromStdString(flags.model) + " at " + settings->baseUrl.host().toUtf8();
    return std::unique_ptr<Model>(std::make_unique<ServerModel>(std::move(settings).value()));
}

Result<std::unique_ptr<Model>> createScripted(const std::string &path)
{
    QFile file(path.empty() ? QString(":/tour/tour.toml") : QFile::decodeName(path.c_str()));
    const std::string name = path.empty() ? "the tour" : path;
    if (!file.open(QIODevice::ReadOnly)) {
        return usageError("--model " + name + ": " + file.errorString().toStdString());
    }
    auto script = readModelScript(file.readAll(), QByteArray::fromStdString(name));
    if (const auto *why = std::get_if<QByteArray>(&script)) {
        return usageError("--model " + why->toStdString());
    }
    return std::unique_ptr<Model>(std::make_unique<ScriptedModel>(std::get<ModelScript>(std::move(script))));
}

} // namespace

Result<std::unique_ptr<Model>> createModel(const ModelFlags &flags)
{
    if (flags.provider == "scripted") {
        return createScripted(flags.model);
    }
    const Provider *provider = findProvider(flags.provider);
    return provider ? createServer(*provider, flags)
                    : usageError("--provider: one of scripted, " + providerNames());
}

long long knownContextTokens(const ModelFlags &flags)
{
    const Provider *provider = findProvider(flags.provider);
    const bool isKnown = flags.contextTokens == 0 && provider && flags.baseUrl.empty();
    return isKnown ? provider->contextTokens : flags.contextTokens;
}

} // namespace spettro
