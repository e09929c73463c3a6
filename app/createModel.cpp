#include "app/createModel.h"

#include "app/llm/ScriptedModel.h"

#include <QFile>

namespace spettro {

using namespace sandbox;

namespace {

Result<std::unique_ptr<Model>> createScripted(const std::string &path)
{
    QFile file(path.empty() ? QString(":/tour/tour.toml") : QFile::decodeName(path.c_str()));
    const std::string name = path.empty() ? "the tour" : path;
    if (!file.open(QIODevice::ReadOnly)) {
        return Error{ErrorKind::Usage, "--model " + name + ": " + file.errorString().toStdString(), 0};
    }
    auto script = readModelScript(file.readAll(), QByteArray::fromStdString(name));
    if (const auto *why = std::get_if<QByteArray>(&script)) {
        return Error{ErrorKind::Usage, "--model " + why->toStdString(), 0};
    }
    return std::unique_ptr<Model>(std::make_unique<ScriptedModel>(std::get<ModelScript>(std::move(script))));
}

} // namespace

Result<std::unique_ptr<Model>> createModel(const ModelFlags &flags)
{
    if (flags.provider == "scripted") {
        return createScripted(flags.model);
    }
    return Error{ErrorKind::Usage,
                 "--provider: say which model is to work; there is scripted, which plays a script", 0};
}

} // namespace spettro
