#pragma once

#include "app/http/HttpStream.h"
#include "app/llm/ModelList.h"
#include "app/llm/ServerModel.h"

#include <memory>

namespace spettro {

using ModelListOutcome = std::variant<QList<OfferedModel>, ModelError>;

/// Asks a server once which models it offers; in parts where it gives them so. Nothing is tried again.
class ModelLister : public QObject
{
    Q_OBJECT

public:
    /// `keyPath`: a path behind the base URL that answers with 2xx only where the key is right. It is asked first; empty for
    /// servers that show their list to right keys only.
    explicit ModelLister(ServerSettings settings, QByteArray keyPath = {}, QObject *parent = nullptr);

    /// To be called once; `finished` comes for it exactly once and later.
    void start();

signals:
    /// The models by id, each once; or what went wrong, in words as those of `ServerModel`.
    void finished(const spettro::ModelListOutcome &outcome);

private:
    enum class Stage { Key, List };

    void send();
    HttpRequest request() const;
    void takeBytes(const QByteArray &bytes);
    void takeEnd(const HttpEnd &end);
    std::optional<ModelError> errorOf(const HttpEnd &end) const;
    void takePage(const ModelPage &page);

    ServerSettings m_settings;
    QByteArray m_keyPath;
    Redactor m_redactor;
    Stage m_stage;
    std::unique_ptr<HttpStream> m_stream;
    QByteArray m_body;
    qsizetype m_received = 0; ///< Of all parts.
    int m_pages = 0;
    QByteArray m_after;
    QList<OfferedModel> m_models;
};

/// The same, waited for in an event loop.
ModelListOutcome listModels(const ServerSettings &settings, const QByteArray &keyPath = {});

} // namespace spettro
