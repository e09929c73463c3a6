#include "app/ModelsCommand.h"

#include "app/ServerAccess.h"
#include "app/config/PolicyLoader.h"
#include "app/llm/JsonText.h"
#include "app/llm/ModelLister.h"
#include "tools/text/SafeText.h"

#include <cstdio>

namespace spettro {

using namespace sandbox;

namespace {

enum ExitCode { Done = 0, Failed = 1 };

int fail(const QByteArray &why)
{
    std::fprintf(stderr, "spettro: %s\n", why.constData());
    return Failed;
}

void printLines(const QList<OfferedModel> &models)
{
    for (const OfferedModel &model : models) {
        std::printf("%s\n", visibleText(model.id).constData());
    }
}

void printJson(const QList<OfferedModel> &models)
{
    Json list = Json::array();
    for (const OfferedModel &model : models) {
        Json entry;
        entry["id"] = toJson(model.id);
        if (model.contextTokens > 0) {
            entry["context_tokens"] = model.contextTokens;
        }
        list.push_back(std::move(entry));
    }
    std::printf("%s\n", toText(list).constData());
}

} // namespace

int modelsCommand(const CommandLine &line)
{
    const Provider *provider = findProvider(line.model.provider);
    if (!provider) {
        return reportError({ErrorKind::Usage, "--provider: one of " + providerNames(), 0});
    }
    const Result<ServerSettings> settings = serverSettingsWithKey(*provider, line.model.baseUrl);
    if (!settings) {
        return reportError(settings.error());
    }
    ModelListOutcome outcome = listModels(*settings);
    if (const auto *error = std::get_if<ModelError>(&outcome)) {
        return fail(error->message);
    }
    QList<OfferedModel> models = std::get<QList<OfferedModel>>(std::move(outcome));
    if (const QByteArray wanted = QByteArray::fromStdString(line.model.model); !wanted.isEmpty()) {
        models.removeIf([&](const OfferedModel &model) { return model.id != wanted; });
        if (models.isEmpty()) {
            return fail("the server does not offer " + visibleText(wanted));
        }
    }
    line.format == OutputFormat::Json ? printJson(models) : printLines(models);
    return Done;
}

} // namespace spettro
