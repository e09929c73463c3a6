#include "app/createModel.h"

#include "app/llm/ScriptedModel.h"
#include "app/llm/ServerModel.h"

#include <QFile>

#include <algorithm>
#include <array>

namespace spettro {

using namespace sandbox;

namespace {

struct Provider
{
    const char *name;
    Protocol protocol;
    const char *baseUrl;
    const char *keyVariable; ///< Null where no key is wanted.
    Dialect::OutputLimit outputLimit = Dialect::OutputLimit::MaxTokens;
};

constexpr std::array Providers{
    Provider{"anthropic", Protocol::Messages, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
    Provider{"openai", Protocol::ChatCompletions, "https://api.openai.com/v1", "OPENAI_API_KEY",
             Dialect::OutputLimit::MaxCompletionTokens},
    Provider{"openai-responses", Protocol::Responses, "https://api.openai.com/v1", "OPENAI_API_KEY"},
    Provider{"openrouter", Protocol::ChatCompletions, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
    Provider{"ollama", Protocol::ChatCompletions, "http://127.0.0.1:11434/v1", nullptr},
};

Error usageError(const std::string &message)
{
    return {ErrorKind::Usage, message, 0};
}

Result<HttpSettings> httpSettings(const QUrl &url)
{
    HttpSettings settings;
    const auto proxy = proxyFor(url, [](const char *name) { return qgetenv(name); });
    if (const auto *why = std::get_if<QString>(&proxy)) {
        return usageError(why->toStdString());
    }
    settings.proxy = std::get<QNetworkProxy>(proxy);
    if (const QByteArray path = qgetenv("SSL_CERT_FILE"); !path.isEmpty()) {
        const auto authorities = readAuthorities(QFile::decodeName(path));
        if (const auto *why = std::get_if<QString>(&authorities)) {
            return usageError("SSL_CERT_FILE: " + why->toStdString());
        }
        settings.moreAuthorities = std::get<QList<QSslCertificate>>(authorities);
    }
    return settings;
}

Result<std::unique_ptr<Model>> createServer(const Provider &provider, const ModelFlags &flags)
{
    if (flags.model.empty()) {
        return usageError(std::string("--model: say which model of ") + provider.name + " is to work");
    }
    ServerSettings settings;
    settings.protocol = provider.protocol;
    settings.baseUrl =
        QUrl(flags.baseUrl.empty() ? QString(provider.baseUrl) : QString::fromStdString(flags.baseUrl),
             QUrl::StrictMode);
    const QString scheme = settings.baseUrl.scheme();
    if (!settings.baseUrl.isValid() || settings.baseUrl.host().isEmpty()
        || (scheme != "https" && scheme != "http")) {
        return usageError("--base-url: an address like https://HOST/v1");
    }
    if (provider.keyVariable) {
        settings.key = qgetenv(provider.keyVariable);
    }
    if (settings.key.trimmed().isEmpty() && provider.keyVariable && flags.baseUrl.empty()) {
        return usageError(std::string("--provider ") + provider.name
                          + ": its key is missing; put it into the variable " + provider.keyVariable);
    }
    settings.title = QByteArray::fromStdString(flags.model) + " at " + settings.baseUrl.host().toUtf8();
    settings.dialect.outputLimit = provider.outputLimit;
    Result<HttpSettings> http = httpSettings(settings.baseUrl);
    if (!http) {
        return http.error();
    }
    settings.http = std::move(http).value();
    return std::unique_ptr<Model>(std::make_unique<ServerModel>(std::move(settings)));
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
    const auto *provider = std::find_if(Providers.begin(), Providers.end(),
                                        [&](const Provider &one) { return flags.provider == one.name; });
    if (provider != Providers.end()) {
        return createServer(*provider, flags);
    }
    std::string names = "scripted";
    for (const Provider &one : Providers) {
        names += std::string(", ") + one.name;
    }
    return usageError("--provider: one of " + names);
}

} // namespace spettro
